/** A part of a page, called by its heading. */
import { type ReactNode, useId } from 'react'

type Props = { readonly title: string; readonly children: ReactNode }

export const TitledSection = ({ title, children }: Props): ReactNode => {
  const heading = useId()
  return (
    <section aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      {children}
    </section>
  )
}
