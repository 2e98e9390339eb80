/** Parts of a page: called by its heading, or scrolled by itself. */
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

// A part of a page that scrolls by itself; keys reach it even if nothing in it can be focused.

type BodyProps = {
  readonly label: string
  readonly className: string
  readonly children: ReactNode
}

export const ScrolledBody = ({ label, className, children }: BodyProps): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
  <section className={className} aria-label={label} tabIndex={0}>
    {children}
  </section>
)
