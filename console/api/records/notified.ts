/** Who was notified of what happened to a record, as far as the user may know it. */
import { queryOptions } from '@tanstack/react-query'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export type Notified = {
  /** The entry of the history. */
  readonly history_id: number
  readonly operation: string
  readonly at: string
  readonly count: number
  readonly hasMore: boolean
  /** Those whom the user may read, the user first. */
  readonly people: readonly {
    readonly id: number
    readonly full_name: string | null
    readonly channels: readonly {
      readonly channel: 'inbox' | 'email' | 'webhook'
      /** Null: not sent yet. */
      readonly at: string | null
    }[]
  }[]
  /** It depends on what the user may not read; then nobody is counted. */
  readonly isPartial: boolean
}

const most = 100

/** The newest events first. */
export const notifiedQuery = (entity: string, id: number) =>
  queryOptions({
    queryKey: [userKey, 'notified', entity, id],
    queryFn: async ({ signal }) => {
      const query = { limit: most }
      const path = `/${entity}/${id}/notified`
      return (await request<{ data: readonly Notified[] }>(path, { query, signal })).data
    },
    // Notifications follow their event a moment later.
    staleTime: 0,
  })
