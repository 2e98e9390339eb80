/** Why records are refused: each reason once, with how many and which it concerns. */
import type { ReactNode } from 'react'
import type { Target } from '../../api/bulk.ts'
import type { Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import type { Run } from './chunks.ts'
import { reasonOf } from './operations.ts'
import { RecordNames } from './record-names.tsx'

type ReasonsProps = {
  readonly entity: Entity
  readonly run: Run
  readonly targets: ReadonlyMap<number, Target>
}

const mostReasons = 8

/** What records are called, as they were read. */
export const namesOf = (ids: readonly number[], targets: ReadonlyMap<number, Target>) =>
  ids.map((id) => targets.get(id)?.name ?? String(id))

export const Reasons = ({ entity, run, targets }: ReasonsProps): ReactNode => {
  const texts = useWorkTexts().bulk
  const { locale } = useReading()
  const refused = run.outcomes.filter(({ status }) => status === 'refused')
  const groups = [...Map.groupBy(refused, (outcome) => reasonOf(outcome, entity, texts))]
  const sorted = groups.toSorted(([, one], [, other]) => other.length - one.length)
  const hidden = sorted.slice(mostReasons).flatMap(([, outcomes]) => outcomes).length
  if (refused.length === 0) return null
  return (
    <ul className="bulk-reasons">
      {sorted.slice(0, mostReasons).map(([reason, outcomes]) => (
        <li key={reason}>
          <span className="bulk-number">
            {new Intl.NumberFormat(locale).format(outcomes.length)}
          </span>
          <span dir="auto">{reason}</span>
          <RecordNames
            names={namesOf(
              outcomes.map(({ id }) => id),
              targets,
            )}
          />
        </li>
      ))}
      {hidden > 0 && <li>{texts.more(hidden)}</li>}
    </ul>
  )
}
