/** The first of some records by name, and how many more they are. */
import { Fragment, type ReactNode } from 'react'
import { useWorkTexts } from '../../texts/texts.ts'
import './record-names.css'

const mostNames = 5

export const RecordNames = ({ names }: { readonly names: readonly string[] }): ReactNode => {
  const texts = useWorkTexts().bulk
  const rest = names.length - mostNames
  return (
    <small className="record-names">
      {names.slice(0, mostNames).map((name, at) => (
        // Records may have the same name.
        // biome-ignore lint/suspicious/noArrayIndexKey: they keep their places
        <Fragment key={at}>
          {at > 0 && ', '}
          <bdi>{name}</bdi>
        </Fragment>
      ))}
      {rest > 0 && ` ${texts.more(rest)}`}
    </small>
  )
}
