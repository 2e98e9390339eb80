/** Which jobs a page shows, as its address says it. */
import type { JobStatus } from '../../api/admin/jobs.ts'

export const jobStatuses = [
  'waiting',
  'running',
  'scheduled',
  'failing',
  'dead',
] as const satisfies readonly JobStatus[]

export type JobSearch = { readonly status?: JobStatus | undefined }

export const parseJobSearch = (search: Readonly<Record<string, unknown>>): JobSearch => {
  const status = jobStatuses.find((one) => one === search.status)
  return status ? { status } : {}
}

/** Whether jobs of a status may be run again all together. */
export const mayRunAll = (status: JobStatus | undefined): status is 'dead' | 'failing' =>
  status === 'dead' || status === 'failing'
