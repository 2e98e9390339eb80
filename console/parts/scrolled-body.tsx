/** A part of a page that scrolls by itself; keys reach it even if nothing in it can be focused. */
import type { ReactNode } from 'react'

type BodyProps = { readonly label: string; readonly children: ReactNode }

export const ScrolledBody = ({ label, children }: BodyProps): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys.
  <section className="admin-body" aria-label={label} tabIndex={0}>
    {children}
  </section>
)
