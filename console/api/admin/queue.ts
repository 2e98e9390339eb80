/** The queue of the service: deliveries and jobs, how many have each status, and trying them again. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Job, JobCounts } from '../../../src/api/job-endpoints.ts'
import type { ChannelName } from '../../../src/definitions/schemas/notification-rule.ts'
import type { RetriedPage } from '../../../src/http/endpoint/retry-many.ts'
import type { JobStatus } from '../../../src/jobs/job-store.ts'
import type { DeliveryStatus } from '../../../src/outbox/delivery.ts'
import type {
  Delivery,
  DeliveryCounts,
  ShownMessage,
} from '../../../src/outbox/delivery-endpoints.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export type { ChannelName, Delivery, DeliveryStatus, Job, JobStatus }
export type DeliveryAttachment = Delivery['attachments'][number]

/** A message as it was sent, or as it would be sent now. */
export type DeliveryMessage = ShownMessage

export type QueueName = 'deliveries' | 'jobs'
export type QueueStatus = DeliveryStatus | JobStatus

/** What a list is narrowed down to; of jobs only by their status. */
export type QueueFilter<S extends QueueStatus = QueueStatus> = {
  readonly channel?: ChannelName | undefined
  readonly status?: S | undefined
  readonly entity?: string | undefined
  readonly record?: number | undefined
  readonly user?: number | undefined
  /** Words of the address and the subject. */
  readonly q?: string | undefined
}

/** Those to try again now: some, or the oldest of a status. */
type RetryChoice<S extends QueueStatus> =
  | { readonly ids: readonly number[] }
  | { readonly status: S; readonly channel?: ChannelName }

export type Retried = RetriedPage

const pageSize = 50
// What is done or retried meanwhile is shown without a reload.
const refreshMs = 15_000

/** The most sent ones that are counted; their number only grows. */
export const countedSent = 10_000

const queueOf = <R, S extends QueueStatus, Counts>(name: QueueName) => {
  const key = [userKey, 'admin', name] as const
  const path = `/api/${name}`
  return {
    key,
    list: (filter: QueueFilter<S>) =>
      infiniteQueryOptions({
        queryKey: [...key, 'list', filter],
        queryFn: async ({ signal, pageParam: page }) => {
          const query = { ...filter, limit: pageSize, page }
          return (await request<{ data: readonly R[] }>(path, { query, signal })).data
        },
        initialPageParam: 1,
        getNextPageParam: (last, all) => (last.length === pageSize ? all.length + 1 : undefined),
        placeholderData: keepPreviousData,
        refetchInterval: refreshMs,
      }),
    counts: (query: Readonly<Record<string, string | number | undefined>>) =>
      queryOptions({
        queryKey: [...key, 'counts', query],
        queryFn: ({ signal }) => request<Counts>(`${path}/count`, { query, signal }),
        placeholderData: keepPreviousData,
        refetchInterval: refreshMs,
      }),
    retry: (body: RetryChoice<S>): Promise<Retried> =>
      request(`${path}/retry`, { method: 'POST', body }),
  }
}

/** The requests of one kind of rows. */
export type QueueRequests<R, S extends QueueStatus> = Omit<
  ReturnType<typeof queueOf<R, S, unknown>>,
  'counts'
>

export const deliveryQueue = queueOf<Delivery, DeliveryStatus, DeliveryCounts>('deliveries')

export const jobQueue = queueOf<Job, JobStatus, JobCounts>('jobs')

export const deliveryQuery = (id: number) =>
  queryOptions({
    queryKey: [...deliveryQueue.key, id],
    queryFn: ({ signal }) => request<Delivery>(`/api/deliveries/${id}`, { signal }),
    refetchInterval: refreshMs,
  })

export const deliveryMessageQuery = (id: number, status: DeliveryStatus) =>
  queryOptions({
    // What is composed now and what was sent may differ.
    queryKey: [...deliveryQueue.key, id, 'message', status === 'sent'],
    queryFn: ({ signal }) => request<DeliveryMessage>(`/api/deliveries/${id}/message`, { signal }),
  })

/** Forgets a job, which then never runs. */
export const removeJob = (id: number): Promise<void> =>
  request(`/api/jobs/${id}`, { method: 'DELETE' })
