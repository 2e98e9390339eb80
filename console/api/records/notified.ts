/** Who was notified of what happened to a record: as far as the user may know it, and what was sent, for administrators. */
import { queryOptions } from '@tanstack/react-query'
import type { SentNotifications } from '../../../src/notify/notified-users.ts'
import { type Delivery, deliveryQueue } from '../admin/queue.ts'
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

const mostDeliveries = 200

/** By the entry of the history that each is about. */
export const sentAboutQuery = (entity: string, record: number) =>
  queryOptions({
    queryKey: [...deliveryQueue.key, 'about', entity, record],
    queryFn: async ({ signal }): Promise<ReadonlyMap<number, readonly Delivery[]>> => {
      const query = { entity, record, limit: mostDeliveries }
      const page = await request<{ data: readonly Delivery[] }>('/api/deliveries', {
        query,
        signal,
      })
      const known = page.data.flatMap((one) =>
        one.history_id === null ? [] : [{ ...one, entryId: one.history_id }],
      )
      return Map.groupBy(known, ({ entryId }) => entryId)
    },
  })
