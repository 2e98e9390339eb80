/** What was sent, or is to be: deliveries, their numbers and their messages. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { ChannelName } from '../../../src/definitions/schemas/notification-rule.ts'
import type { RetriedPage } from '../../../src/http/endpoint/retry-many.ts'
import type { DeliveryStatus } from '../../../src/outbox/delivery.ts'
import type {
  Delivery,
  DeliveryCounts,
  ShownMessage,
} from '../../../src/outbox/delivery-endpoints.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export type { ChannelName, Delivery, DeliveryStatus }
export type DeliveryAttachment = Delivery['attachments'][number]

/** A message as it was sent, or as it would be sent now. */
export type DeliveryMessage = ShownMessage

/** What deliveries are about. */
export type DeliveryFilter = {
  readonly channel?: ChannelName | undefined
  readonly status?: DeliveryStatus | undefined
  readonly entity?: string | undefined
  readonly record?: number | undefined
  readonly user?: number | undefined
  /** Words of the address and the subject. */
  readonly q?: string | undefined
}

export const deliveriesKey = [userKey, 'admin', 'deliveries'] as const

const pageSize = 50
// What is sent or retried meanwhile is shown without a reload.
const refreshMs = 15_000

export const deliveriesQuery = (filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: [...deliveriesKey, 'list', filter],
    queryFn: async ({ signal, pageParam: page }) => {
      const query = { ...filter, limit: pageSize, page }
      const found = await request<{ data: readonly Delivery[] }>('/api/deliveries', {
        query,
        signal,
      })
      return found.data
    },
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.length === pageSize ? all.length + 1 : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })

/** The most sent ones that are counted; their number only grows. */
export const countedSent = 10_000

export const deliveryCountsQuery = ({ entity, record, user, q }: DeliveryFilter) =>
  queryOptions({
    queryKey: [...deliveriesKey, 'counts', { entity, record, user, q }],
    queryFn: ({ signal }) =>
      request<DeliveryCounts>('/api/deliveries/count', {
        query: { entity, record, user, q, sentLimit: countedSent + 1 },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  })

export const deliveryQuery = (id: number) =>
  queryOptions({
    queryKey: [...deliveriesKey, id],
    queryFn: ({ signal }) => request<Delivery>(`/api/deliveries/${id}`, { signal }),
    refetchInterval: refreshMs,
  })

export const deliveryMessageQuery = (id: number, status: DeliveryStatus) =>
  queryOptions({
    // What is composed now and what was sent may differ.
    queryKey: [...deliveriesKey, id, 'message', status === 'sent'],
    queryFn: ({ signal }) => request<DeliveryMessage>(`/api/deliveries/${id}/message`, { signal }),
  })

/** Those to send again: some, or the oldest of a status. */
export type RetryChoice =
  | { readonly ids: readonly number[] }
  | { readonly status: 'failed' | 'dead'; readonly channel?: ChannelName }

export type Retried = RetriedPage

export const retryDeliveries = (body: RetryChoice): Promise<Retried> =>
  request('/api/deliveries/retry', { method: 'POST', body })
