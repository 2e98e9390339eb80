/** The records of one entity that a search has found, and the way to all that its list finds. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { RecordLink } from '../preview/record-link.tsx'
import { MarkedText } from '../values/marked-text.tsx'
import { DaySection } from './day-section.tsx'
import { FoundFacts } from './found-facts.tsx'
import type { FoundRecord } from './use-found.ts'

type GroupProps = {
  readonly entity: Entity
  readonly records: readonly FoundRecord[]
  readonly words: string
}

export const FoundGroup = ({ entity, records, words }: GroupProps): ReactNode => {
  const texts = useWorkTexts().search
  return (
    <DaySection
      title={<span dir="auto">{entity.pluralName}</span>}
      all={
        <Link
          to="/$entity"
          params={{ entity: entity.key }}
          search={{ q: words }}
          aria-label={texts.moreOf(entity.pluralName)}
        >
          {texts.more}
        </Link>
      }
    >
      <ul className="found-rows">
        {records.map((record) => (
          <li key={record.id}>
            <RecordLink entity={entity.key} id={record.id}>
              <MarkedText text={record.display ?? `${record.id}`} words={words} />
            </RecordLink>
            <FoundFacts record={record} words={words} />
          </li>
        ))}
      </ul>
    </DaySection>
  )
}
