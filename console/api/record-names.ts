/** What records are called, asked for in one search per entity. */
import { useQueries } from '@tanstack/react-query'
import { request } from './client.ts'
import { userKey } from './queries.ts'
import type { Entity, RecordPage } from './types.ts'

export type RecordPlace = { readonly entity: string; readonly id: number }

export const placeKey = ({ entity, id }: RecordPlace): string => `${entity}/${id}`

const namesQuery = ({ key, displayField }: Entity, ids: readonly number[]) => ({
  queryKey: [userKey, 'list', key, 'names', ids],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const body = { $where: { id: { $in: ids } }, $select: [...new Set(['id', displayField])] }
    const query = { limit: ids.length }
    const page = await request<RecordPage>(`/${key}/search`, {
      ...{ method: 'POST', query, body, signal },
    })
    return page.data.map((row) => {
      const name = row[displayField]
      return [`${key}/${row.id}`, name === null || name === undefined ? '' : String(name)] as const
    })
  },
})

/**
 * The names by place, without those of records that the user may not see or that are gone; undefined until all
 * have come.
 */
export const useRecordNames = (
  places: readonly RecordPlace[],
  entities: ReadonlyMap<string, Entity>,
): ReadonlyMap<string, string> | undefined => {
  const readable = [...Map.groupBy(places, ({ entity }) => entity)].flatMap(([key, all]) => {
    const entity = entities.get(key)
    const ids = [...new Set(all.map(({ id }) => id))].sort((one, other) => one - other)
    return entity && entity.permissions.read !== false ? [{ entity, ids }] : []
  })
  return useQueries({
    queries: readable.map(({ entity, ids }) => namesQuery(entity, ids)),
    combine: (results) =>
      results.every(({ isPending }) => !isPending)
        ? new Map(results.flatMap(({ data = [] }) => data))
        : undefined,
  })
}
