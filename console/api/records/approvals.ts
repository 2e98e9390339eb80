/** What a queue of approvals shows of its records. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'
import type { RecordPage, RecordRow } from '../types.ts'

type SummariesOf = {
  readonly entity: string
  readonly ids: readonly number[]
  readonly paths: readonly string[]
}

type Rows = ReadonlyMap<number, RecordRow>

/** What was read last below a key. */
const lastOf = (client: QueryClient, queryKey: readonly unknown[]): Rows | undefined =>
  client
    .getQueryCache()
    .findAll({ queryKey })
    .toSorted((one, other) => one.state.dataUpdatedAt - other.state.dataUpdatedAt)
    .map((query) => client.getQueryData<Rows>(query.queryKey))
    .findLast((rows) => rows !== undefined)

const summariesKey = (entity: string, paths: readonly string[]) =>
  [userKey, 'approvals', 'summaries', entity, paths] as const

/** Some fields of waiting records of one entity, by their ids. */
export const summariesQuery = (client: QueryClient, { entity, ids, paths }: SummariesOf) =>
  queryOptions({
    queryKey: [...summariesKey(entity, paths), ids],
    queryFn: async ({ signal }): Promise<Rows> => {
      const body = { $where: { id: { $in: ids } }, $select: [...new Set(['id', ...paths])] }
      const page = await request<RecordPage>(`/${entity}/search`, {
        ...{ method: 'POST', query: { limit: Math.max(ids.length, 1) }, body, signal },
      })
      return new Map(page.data.map((row) => [row.id, row]))
    },
    enabled: ids.length > 0 && paths.length > 0,
    // One that leaves the queue takes nothing from the others. An observer of several queries keeps no previous data.
    placeholderData: () => lastOf(client, summariesKey(entity, paths)),
  })
