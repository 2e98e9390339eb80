/** The kind of job that nothing is to be done for: what is left is the job system's own work. */
import { jobKind } from '../../src/jobs/job.ts'
import type { ChangeMessage } from '../../src/records/write/change-events.ts'

/** Carries what the engine's jobs carry. */
export const emptyJob = jobKind<ChangeMessage>('bench.empty')
