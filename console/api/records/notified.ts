/** Who was notified of what happened to a record, as far as the user may know it. */
import { queryOptions } from '@tanstack/react-query'
import type { SentNotifications } from '../../../src/notify/sent.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export type Notified = SentNotifications

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
