/** What a queue says of a record besides its name: its title, whom it is about, and how much. */
import { useQueries, useQueryClient } from '@tanstack/react-query'
import type { Approval } from '../../api/open-actions.ts'
import { summariesQuery } from '../../api/records/approvals.ts'
import type { Entity, RecordRow } from '../../api/types.ts'
import { useReading, useSession } from '../session/session.ts'
import { type Entities, type ListColumn, pathsOf, textAt } from '../values/columns.ts'
import { mainColumns } from '../values/main-columns.ts'
import { approvalKey } from './approval-key.ts'

/** What is read of each. */
const columnsOf = (entity: Entity, entities: Entities) => {
  const { title, about, amount } = mainColumns(entity, entities)
  return { title, about, amount }
}

/** Its title and whom it is about, as far as it has them; empty without an amount. */
export type Summary = { readonly about: readonly string[]; readonly amount: string }

/** Texts by key of the approval, as far as they have come. */
export const useSummaries = (list: readonly Approval[]): ReadonlyMap<string, Summary> => {
  const { entities } = useSession()
  const reading = useReading()
  const client = useQueryClient()
  const groups = [...Map.groupBy(list, ({ entity }) => entity)].flatMap(([key, all]) => {
    const entity = entities.get(key)
    return entity ? [{ key, all, columns: columnsOf(entity, entities) }] : []
  })
  const results = useQueries({
    queries: groups.map(({ key, all, columns }) =>
      summariesQuery(client, {
        entity: key,
        ids: all.map(({ id }) => id),
        paths: Object.values(columns).flatMap((column) => (column ? pathsOf(column) : [])),
      }),
    ),
  })
  const print = (row: RecordRow, column: ListColumn | undefined) =>
    column ? textAt(row, column, reading) : ''
  return new Map(
    groups.flatMap(({ all, columns }, at) =>
      all.flatMap((one) => {
        const row = results[at]?.data?.get(one.id)
        if (!row) return []
        const { title, about, amount } = columns
        const texts = new Set([print(row, title), print(row, about)])
        texts.delete('')
        const summary = { about: [...texts], amount: print(row, amount) }
        return [[approvalKey(one), summary] as const]
      }),
    ),
  )
}
