/** Shared parts of the notification benchmarks: a group of users, and processes with the same settings. */
import type { Pool } from '../../src/database/pool.ts'
import { jobKind } from '../../src/jobs/job.ts'
import type { ChangeMessage } from '../../src/records/write/change-events.ts'
import { until } from '../../test/support/wait.ts'
import type { Environment, Service } from '../environment.ts'
import type { Program, Variables } from '../programs.ts'
import type { Members } from './fill.ts'

export type Measured = Pick<Environment, 'pool' | 'startPeer'> & {
  readonly members: Members
  /** The user id of a member by number, from 1. */
  readonly tokenOf: (member: number) => Promise<string>
  /** `--no-jobs` leaves them to workers. */
  readonly startService: (...args: readonly string[]) => Promise<Service>
  readonly startWorker: (variables?: Variables) => Promise<Program>
}

/**
 * A job that does nothing, with the payload of those that send notifications: the cost of the job system
 * itself.
 */
export const emptyJob = jobKind<ChangeMessage>('bench.empty')

/** Leaves the e-mails in their queue. */
export const withoutSending = { EMAIL_MAX_PER_SECOND: '1' }

/** The maximum time to wait for anything. */
export const waitSeconds = 300

/** Removes the waiting e-mails; retries if a sender locked the same tables in another order. */
export const clearEmails = (pool: Pool): Promise<boolean> => {
  const isDeadlock = (error: unknown) => (error as { readonly code?: string }).code === '40P01'
  return until('the queue of e-mails is empty', () =>
    pool.query('TRUNCATE docket.mailing CASCADE').then(
      () => true,
      (error: unknown) => {
        if (isDeadlock(error)) return false
        throw error
      },
    ),
  )
}
