/** Records that are found by words in all entities. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { FoundRecords } from '../../../src/records/find-in-entities.ts'
import { request, searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'

export type { FoundRecords }

/** The records of all entities that fit some words best, so many of each at most. */
export const foundQuery = (words: string, limit: number) =>
  queryOptions({
    queryKey: [userKey, 'found', words, limit],
    queryFn: ({ signal }) =>
      request<FoundRecords>('/api/search', { query: { q: words, limit }, signal }),
    placeholderData: keepPreviousData,
  })

/** Some fields of records of one entity, by their ids. */
export const factsQuery = (entity: string, ids: readonly number[], paths: readonly string[]) =>
  queryOptions({
    queryKey: [userKey, 'facts', entity, ids, paths],
    queryFn: async ({ signal }) => {
      const body = { $where: { id: { $in: ids } }, $select: [...new Set(['id', ...paths])] }
      const page = await searchRecords(entity, body, { limit: ids.length, signal })
      return new Map(page.data.map((row) => [row.id, row]))
    },
    enabled: paths.length > 0,
  })
