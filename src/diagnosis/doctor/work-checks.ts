/** What waits: jobs and e-mails, and the signals between processes. */
import { sql } from '../../database/sql.ts'
import { printCount, printSeconds } from '../amounts.ts'
import { checkRows, levelOf, verdict } from '../check.ts'
import type { DoctorCheck } from './doctor-target.ts'

const lateLimits = { warn: 60, fail: 600 }
const someDead = { warn: 1 }

type Dead = { dead: number }
type Late = { seconds: number; workers: number }
type Queue = { percent: number }

const workers = sql`
  (
    SELECT count(*)::integer
    FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'docket worker'
  ) AS workers`

const deadJobs = sql`
SELECT count(*)::integer AS dead
FROM graphile_worker._private_jobs
WHERE attempts >= max_attempts AND locked_at IS NULL`

const lateJobs = sql`
SELECT
  coalesce(extract(epoch FROM now() - min(run_at)), 0)::bigint AS seconds,
  ${workers}
FROM graphile_worker._private_jobs
WHERE is_available AND run_at <= now()`

const deadDeliveries = sql`SELECT count(*)::integer AS dead FROM docket.delivery WHERE status = 'dead'`

const lateDeliveries = sql`
SELECT
  coalesce(extract(epoch FROM now() - min(due_at)), 0)::bigint AS seconds,
  ${workers}
FROM docket.delivery
WHERE status IN ('queued', 'failed') AND due_at <= now()`

const judgeDead =
  (where: string) =>
  ([row]: readonly Dead[]) =>
    verdict(
      levelOf(row?.dead ?? 0, someDead),
      String(row?.dead ?? 0),
      `They were given up: read their errors, and retry or remove them on the page "${where}" of the console.`,
    )

const judgeLate = ([row]: readonly Late[]) => {
  const { seconds = 0, workers = 0 } = row ?? {}
  return verdict(
    levelOf(seconds, lateLimits),
    `${printSeconds(seconds)}; ${printCount(workers, 'worker')}`,
    workers === 0
      ? 'Nobody runs jobs: start "docket start" or "docket worker".'
      : 'Start a further "docket worker", or see in the log what keeps the workers busy; a restored database sends only after "docket deliveries --accept-copy".',
  )
}

const queue = sql`SELECT (100 * pg_notification_queue_usage())::bigint AS percent`

export const workChecks: readonly DoctorCheck[] = [
  checkRows('dead jobs', deadJobs, judgeDead('Jobs')),
  checkRows('oldest waiting job', lateJobs, judgeLate),
  checkRows('dead e-mails', deadDeliveries, judgeDead('Deliveries')),
  checkRows('oldest waiting e-mail', lateDeliveries, judgeLate),
  checkRows('queue of signals', queue, ([row]: readonly Queue[]) => {
    const percent = row?.percent ?? 0
    return verdict(
      levelOf(percent, { warn: 10, fail: 50 }),
      `${percent} % used`,
      'When it is full, no change is committed: a session that listens has an open transaction; end the oldest transaction.',
    )
  }),
]
