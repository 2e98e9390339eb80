/** The kinds of rows of the queue: deliveries and jobs, each with what the other one does not have. */
import { useQuery } from '@tanstack/react-query'
import {
  type ChannelName,
  countedSent,
  type Delivery,
  type DeliveryStatus,
  deliveryQueue,
  type Job,
  type JobStatus,
  jobQueue,
} from '../../api/admin/queue.ts'
import { deliveryChannels, mayRetry, queueStatuses } from './admin-search.ts'
import { DeliveryFilters, deliveryColumns } from './deliveries.tsx'
import { jobColumns, RemoveJobs } from './jobs.tsx'
import { queueParts } from './queue-list.tsx'

/** The parts of a list of each kind, in the order in which they are offered. */
export const queueKinds = {
  deliveries: queueParts<Delivery, DeliveryStatus>({
    name: 'deliveries',
    requests: deliveryQueue,
    statuses: queueStatuses.deliveries,
    useCounts: ({ channel, entity, record, user, q }) => {
      const query = { entity, record, user, q, sentLimit: countedSent + 1 }
      const { data } = useQuery(deliveryQueue.counts(query))
      const channels: readonly ChannelName[] = channel ? [channel] : deliveryChannels
      return (status) => data && channels.reduce((sum, one) => sum + data[one][status], 0)
    },
    columnsOf: deliveryColumns,
    nameOf: ({ subject, address }, { deliveries }) =>
      `${subject || deliveries.noSubject}, ${address ?? ''}`,
    mayBeSelected: mayRetry,
    mayRetryAll: mayRetry,
    Filters: DeliveryFilters,
  }),
  jobs: queueParts<Job, JobStatus>({
    name: 'jobs',
    requests: jobQueue,
    statuses: queueStatuses.jobs,
    useCounts: () => {
      const { data } = useQuery(jobQueue.counts({}))
      return (status) => data?.[status]
    },
    columnsOf: jobColumns,
    nameOf: ({ task, id }) => `${task} ${id}`,
    mayBeSelected: (status) => status !== 'running',
    mayRetryAll: (status) => status === 'dead' || status === 'failing',
    Remove: RemoveJobs,
  }),
}
