/** What a queue says of a record besides its name: whom it is about, and how much. */
import { useQueries } from '@tanstack/react-query'
import { summariesQuery } from '../../api/records/approvals.ts'
import type { Approval, Entity, RecordRow } from '../../api/types.ts'
import { columnsAt, defaultPaths, type Entities, type ListColumn } from '../list/columns.ts'
import { useReading, useSession } from '../session/session.ts'
import { formatValue, valueAt } from '../values/format-value.ts'
import { approvalKey } from './approval-key.ts'

export type Summary = { readonly about: string; readonly amount: string }

type SummaryColumns = Readonly<Record<keyof Summary, ListColumn | undefined>>

/** The first link and the first amount of a list of the entity. */
const summaryColumns = (entity: Entity, entities: Entities): SummaryColumns => {
  const columns = columnsAt(defaultPaths(entity, entities), entity, entities)
  const about = columns.find((column) => column.link !== undefined)
  const amount = columns.find(({ field, place }) => field.type === 'decimal' && place.length === 1)
  return { about, amount }
}

/** Texts by key of the approval, as far as they have come. */
export const useSummaries = (list: readonly Approval[]): ReadonlyMap<string, Summary> => {
  const { entities } = useSession()
  const reading = useReading()
  const groups = [...Map.groupBy(list, ({ entity }) => entity)].flatMap(([key, all]) => {
    const entity = entities.get(key)
    return entity ? [{ key, all, columns: summaryColumns(entity, entities) }] : []
  })
  const results = useQueries({
    queries: groups.map(({ key, all, columns }) =>
      summariesQuery(
        key,
        all.map(({ id }) => id),
        Object.values(columns).flatMap((column) => column?.path ?? []),
      ),
    ),
  })
  const print = (row: RecordRow, column: ListColumn | undefined) =>
    column ? formatValue(valueAt(row, column.place), column.field, reading) : ''
  return new Map(
    groups.flatMap(({ all, columns }, at) =>
      all.flatMap((one) => {
        const row = results[at]?.data?.get(one.id)
        if (!row) return []
        const { about, amount } = columns
        const summary = { about: print(row, about), amount: print(row, amount) }
        return [[approvalKey(one), summary] as const]
      }),
    ),
  )
}
