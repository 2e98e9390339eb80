/** What selected records amount to, for each unit, as the service adds it up. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { totalsQuery, type UnitTotals } from '../../api/totals.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading, useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { Amounts } from './amounts.tsx'
import { amountOf, formatTotal } from './totalled.ts'

type SumsProps = {
  readonly entity: Entity
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  /** Whether the criteria are about to change. */
  readonly isOld?: boolean
  /** Whether it says what is added up. */
  readonly isNamed?: boolean
}

// Those of the most records; all of them are found under the totals.
const mostUnits = 3
const firstOfMany = 2

/** Nothing where the entity has no amount with a unit. */
export const UnitSums = (props: SumsProps): ReactNode => {
  const { entities } = useSession()
  const column = amountOf(props.entity, entities)
  if (!column) return null
  return <Sums {...props} column={column} />
}

const Sums = (props: SumsProps & { readonly column: ListColumn }): ReactNode => {
  const { entity, criteria, isOld = false, isNamed = false, column } = props
  const texts = useWorkTexts().totals
  const reading = useReading()
  const { path, unit } = column
  const found = useQuery(totalsQuery({ entity: entity.key, criteria, path }, unit?.path))
  const textOf = (totals: UnitTotals) =>
    formatTotal(totals.sum?.[path], 'sum', column, reading, totals.unit)
  const byCount = (found.data?.totals ?? []).toSorted((one, other) => other.count - one.count)
  const all = byCount.map(textOf).filter((text) => text !== '')
  const shown = all.slice(0, all.length > mostUnits ? firstOfMany : mostUnits)
  const rest = all.length - shown.length
  return (
    <span
      className="unit-sums"
      aria-live="polite"
      aria-busy={isOld || found.isPlaceholderData || undefined}
    >
      {isNamed && all.length > 0 && <bdi>{column.label} </bdi>}
      {found.error ? (
        found.error.message
      ) : (
        <Amounts texts={rest > 0 ? [...shown, texts.moreUnits(rest)] : shown} />
      )}
    </span>
  )
}
