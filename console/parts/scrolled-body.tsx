/** A part of a page that scrolls by itself; keys reach it even if nothing in it can be focused. */
import type { ReactNode } from 'react'

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
