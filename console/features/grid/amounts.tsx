/** Amounts of several units beside each other, none of them broken. */
import { Fragment, type ReactNode } from 'react'

export const Amounts = ({ texts }: { readonly texts: readonly string[] }): ReactNode =>
  texts.map((text, at) => (
    <Fragment key={text}>
      {at > 0 && ' '}
      <span className="amount" dir="auto">
        {text}
      </span>
    </Fragment>
  ))
