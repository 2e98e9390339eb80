/** What a queue of approvals shows of its records. */
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Approval, ApprovalCount } from '../../../src/workflow/approval-endpoints.ts'
import { request, searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { RecordRow } from '../types.ts'

/** Which records that wait for a decision are wanted, as the service takes it. */
export type WantedApprovals = {
  readonly entity?: string
  /** Key or kind of an action. */
  readonly action?: string
}

/** The records that wait for a decision of the user: what can be approved first, those that wait longest before others. */
export const approvalsQuery = (limit: number, wanted: WantedApprovals = {}) =>
  queryOptions({
    queryKey: [userKey, 'approvals', 'list', wanted, limit],
    queryFn: async ({ signal }) => {
      const query = { ...wanted, limit }
      const page = await request<{ data: readonly Approval[] }>('/api/approvals', { query, signal })
      return page.data
    },
    placeholderData: keepPreviousData,
  })

/** Their number. */
export const approvalCountOf = (wanted: WantedApprovals) =>
  queryOptions({
    queryKey: [userKey, 'approvals', 'count', wanted],
    queryFn: ({ signal }) =>
      request<ApprovalCount>('/api/approvals/count', { query: wanted, signal }),
    placeholderData: keepPreviousData,
  })

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
      const page = await searchRecords(entity, body, { limit: Math.max(ids.length, 1), signal })
      return new Map(page.data.map((row) => [row.id, row]))
    },
    enabled: ids.length > 0 && paths.length > 0,
    // One that leaves the queue takes nothing from the others. An observer of several queries keeps no previous data.
    placeholderData: () => lastOf(client, summariesKey(entity, paths)),
  })
