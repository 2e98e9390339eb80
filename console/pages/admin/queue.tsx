/** What the service does besides answering requests: deliveries and jobs, of which the failed ones are tried again. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  type ChannelName,
  countedSent,
  type Delivery,
  type DeliveryStatus,
  deliveryQueue,
  type Job,
  type JobStatus,
  jobQueue,
  type QueueFilter,
  type QueueName,
} from '../../api/admin/queue.ts'
import {
  deliveryChannels,
  parseQueueSearch,
  queueStatuses,
} from '../../features/administration/admin-search.ts'
import {
  DeliveryFilters,
  deliveryColumns,
  mayRetry,
} from '../../features/administration/deliveries.tsx'
import { jobColumns, RemoveJobs } from '../../features/administration/jobs.tsx'
import { queueParts } from '../../features/administration/queue-list.tsx'
import { PageHeading } from '../../features/session/page-title.tsx'
import { useSession } from '../../features/session/session.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { useAdminTexts, useTexts } from '../../texts/texts.ts'
import './admin.css'

/** The parts of a list of each kind, in the order in which they are offered. */
const queueKinds = {
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

const names = Object.keys(queueKinds) as readonly QueueName[]
const from = '/-/admin/deliveries'

export const Queue = (): ReactNode => {
  const texts = useAdminTexts()
  const { queue: title } = useTexts().administration
  const { administration } = useSession().me
  const navigate = useNavigate({ from })
  // The router leaves in the address what is of no use.
  const { kind: wanted = 'deliveries', ...filter } = parseQueueSearch(useSearch({ from }))
  const offered = names.filter((name) => administration.includes(name))
  const kind = offered.find((name) => name === wanted) ?? offered[0] ?? wanted
  const show = (name: QueueName, wish: QueueFilter) =>
    void navigate({ search: name === 'jobs' ? { kind: name, ...wish } : wish, replace: true })
  const { choices, rows } = queueKinds[kind]
  const narrowed = {
    filter: kind === wanted ? filter : {},
    onChange: (wish: QueueFilter) => show(kind, wish),
  }
  return (
    <div className="admin-page">
      <header className="admin-head">
        <div className="admin-row">
          <PageHeading title={title} />
          {offered.length > 1 && (
            <Tabs
              label={title}
              value={kind}
              tabs={offered.map((value) => ({ value, label: texts[value].title }))}
              onChange={(name) => show(name, {})}
            />
          )}
        </div>
        {choices(narrowed)}
      </header>
      {rows(narrowed)}
    </div>
  )
}
