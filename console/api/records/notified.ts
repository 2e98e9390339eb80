/**
 * Who was notified of what happened to a record, as far as the user may know it, and what was sent, for administrators; and who will
 * be notified of a change that is not made yet.
 */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { SentNotifications } from '../../../src/notify/notified-users.ts'
import type { RecipientPreview } from '../../../src/notify/preview.ts'
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

/** What would be done. */
export type Intent =
  | {
      readonly operation: 'proceedToStep'
      /** Key of the action. */
      readonly action: string
      readonly entityIds: readonly number[]
      /** Of its form, as far as they are typed. */
      readonly values?: Readonly<Record<string, unknown>>
    }
  | { readonly operation: 'takeOwnership'; readonly entityIds: readonly number[] }
  | { readonly operation: 'create'; readonly values: Readonly<Record<string, unknown>> }

export type Recipients = RecipientPreview

/** The most records that the service takes at once. */
export const maxRecords = 50

export const recipientsQuery = (entityKey: string, intent: Intent) =>
  queryOptions({
    queryKey: [userKey, 'recipients', entityKey, intent],
    queryFn: ({ signal }) =>
      request<Recipients>('/api/notifications/recipients', {
        method: 'POST',
        body: { entityKey, ...intent },
        signal,
      }),
    placeholderData: keepPreviousData,
    // What it says is looked at shortly before it happens.
    staleTime: 0,
    retry: false,
  })
