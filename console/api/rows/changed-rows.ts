/** Rows of lists that have changed: read again, and put in their place. */
import type { QueryClient } from '@tanstack/react-query'
import { searchRecords } from '../client.ts'
import { type ListRequest, userKey } from '../queries.ts'
import type { Criteria, RecordRow } from '../types.ts'
import { type ListRow, type RowWindow, windowsKey } from './rows.ts'

/** What else is kept of the lists of an entity, such as their counts: no longer true after a change. */
export const forgetOtherLists = (client: QueryClient, list: ListRequest): Promise<void> => {
  const own = JSON.stringify(windowsKey(list))
  return client.invalidateQueries({
    queryKey: [userKey, 'list', list.entity],
    predicate: ({ queryKey }) => JSON.stringify(queryKey.slice(0, -1)) !== own,
  })
}

/** Some rows of a list, by their ids and whatever else they must match. */
const search = async (
  { entity, criteria: { $select } }: ListRequest,
  ids: readonly number[],
  criteria: Criteria,
): Promise<readonly RecordRow[]> => {
  const among = { id: { $in: ids } }
  const { $where, ...rest } = criteria
  const body = { ...rest, $select, $where: $where ? { $and: [$where, among] } : among }
  const page = await searchRecords(entity, body, { limit: ids.length })
  return page.data
}

/** The rows as they are now; those that the list would not have any more are marked. */
export const readRows = async (
  list: ListRequest,
  rows: readonly ListRow[],
): Promise<ReadonlyMap<number, ListRow>> => {
  const { $where, $search } = list.criteria
  const filter = { ...($where && { $where }), ...($search !== undefined && { $search }) }
  const ids = rows.map(({ id }) => id)
  const found = new Map<number, ListRow>()
  for (const row of await search(list, ids, filter)) found.set(row.id, row)
  const missing = ids.filter((id) => !found.has(id))
  if (missing.length === 0) return found
  const left = await search(list, missing, {})
  for (const row of left) found.set(row.id, { ...row, $mark: 'left' })
  for (const row of rows) if (!found.has(row.id)) found.set(row.id, { ...row, $mark: 'gone' })
  return found
}

/** Shows rows in the places that they have in the list. */
export const putRows = (
  client: QueryClient,
  list: ListRequest,
  rows: ReadonlyMap<number, ListRow>,
): void => {
  // It was this user's change that has put a row out of sight, whatever reading it again says.
  const shown = (row: ListRow): ListRow => {
    const next = rows.get(row.id) ?? row
    return next.$mark === 'gone' && row.$mark === 'unread' ? row : next
  }
  for (const query of client.getQueryCache().findAll({ queryKey: windowsKey(list) })) {
    const window = client.getQueryData<RowWindow>(query.queryKey)
    // What will be read again comes with these changes.
    if (!window?.rows.some(({ id }) => rows.has(id)) || query.state.isInvalidated) continue
    client.setQueryData(
      query.queryKey,
      { ...window, rows: window.rows.map(shown) },
      { updatedAt: query.state.dataUpdatedAt },
    )
  }
}

/** How many of these records the list would have. */
export const countAmong = async (list: ListRequest, ids: readonly number[]): Promise<number> => {
  const { $where, $search } = list.criteria
  const among = { id: { $in: ids } }
  const page = await searchRecords(
    list.entity,
    {
      ...($search !== undefined && { $search }),
      $where: $where ? { $and: [$where, among] } : among,
      $select: ['id'],
      $count: true,
    },
    { limit: 1 },
  )
  return page.total ?? 0
}

/** The rows of a list that have been read, by id. */
export const knownRows = (client: QueryClient, list: ListRequest): ReadonlyMap<number, ListRow> => {
  const windows = client.getQueriesData<RowWindow>({ queryKey: windowsKey(list) })
  return new Map(
    windows.flatMap(([, window]) => window?.rows.map((row) => [row.id, row] as const) ?? []),
  )
}
