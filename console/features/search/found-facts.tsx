/** What tells a found record from others of the same name. */
import type { ReactNode } from 'react'
import { MarkedText } from '../values/marked-text.tsx'
import type { FoundRecord } from './use-found.ts'
import './found-facts.css'

type FactsProps = { readonly record: FoundRecord; readonly words: string }

export const FoundFacts = ({ record: { matched, facts }, words }: FactsProps): ReactNode => {
  if (!matched && facts?.length === 0) return null
  return (
    <span className="found-facts">
      <span>
        {matched && (
          <span>
            <span dir="auto">{matched.label}</span>:{' '}
            <MarkedText text={matched.text} words={words} />
          </span>
        )}
        {facts?.map((fact, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two facts may read the same
          <span key={at}>
            <span dir="auto">{fact}</span>
          </span>
        ))}
      </span>
    </span>
  )
}
