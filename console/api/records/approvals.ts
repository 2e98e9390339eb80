/** Decisions: what a queue shows of its records, and deciding on several at once. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { writeMany } from '../bulk.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Approval, RecordPage, RecordRow } from '../types.ts'

/** Some fields of waiting records of one entity, by their ids. */
export const summariesQuery = (entity: string, ids: readonly number[], paths: readonly string[]) =>
  queryOptions({
    queryKey: [userKey, 'approvals', 'summaries', entity, ids, paths],
    queryFn: async ({ signal }): Promise<ReadonlyMap<number, RecordRow>> => {
      const body = { $where: { id: { $in: ids } }, $select: ['id', ...paths] }
      const page = await request<RecordPage>(`/${entity}/search`, {
        ...{ method: 'POST', query: { limit: Math.max(ids.length, 1) }, body, signal },
      })
      return new Map(page.data.map((row) => [row.id, row]))
    },
    enabled: ids.length > 0 && paths.length > 0,
    // One that leaves the queue takes nothing from the others.
    placeholderData: keepPreviousData,
  })

/** Takes one action on several records of an entity, each only as it was read. */
export const decideOnAll = (entity: string, list: readonly Approval[], action: object) =>
  writeMany(entity, {
    ids: list.map(({ id }) => id),
    do: action,
    versions: Object.fromEntries(list.map(({ id, version }) => [id, version])),
  })
