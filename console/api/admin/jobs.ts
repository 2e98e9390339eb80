/** Work of the service that follows changes: jobs and their numbers. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Job, JobCounts } from '../../../src/api/job-endpoints.ts'
import type { JobStatus } from '../../../src/jobs/job-store.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Retried } from './deliveries.ts'

export type { Job, JobStatus }

export const jobsKey = [userKey, 'admin', 'jobs'] as const

const pageSize = 50
const refreshMs = 10_000

export const jobsQuery = (status: JobStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: [...jobsKey, 'list', status],
    queryFn: async ({ signal, pageParam: page }) => {
      const query = { status, limit: pageSize, page }
      const found = await request<{ data: readonly Job[] }>('/api/jobs', { query, signal })
      return found.data
    },
    initialPageParam: 1,
    getNextPageParam: (last, all) => (last.length === pageSize ? all.length + 1 : undefined),
    refetchInterval: refreshMs,
  })

export const jobCountsQuery = queryOptions({
  queryKey: [...jobsKey, 'counts'],
  queryFn: ({ signal }) => request<JobCounts>('/api/jobs/count', { signal }),
  placeholderData: keepPreviousData,
  refetchInterval: refreshMs,
})

/** Those to run now: some, or the oldest of a status. */
export type JobChoice =
  | { readonly ids: readonly number[] }
  | { readonly status: 'dead' | 'failing' }

export const retryJobs = (body: JobChoice): Promise<Retried> =>
  request('/api/jobs/retry', { method: 'POST', body })

/** Forgets a job, which then never runs. */
export const removeJob = (id: number): Promise<void> =>
  request(`/api/jobs/${id}`, { method: 'DELETE' })
