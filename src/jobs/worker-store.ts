/**
 * The workers that run jobs: each is a row with the number of an advisory lock that its connection holds. If the
 * lock is free, the worker has died, and its jobs are released.
 */
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { int, type Sql, sql, text } from '../database/sql.ts'
import { jobsIn } from './enqueue.ts'

// An arbitrary number that distinguishes the locks of workers from other advisory locks.
const lockClass = 7_305_114

/** Takes a free lock for this session and stores the worker with it. The lock ends with the session. */
export const registerWorker = async (session: Queryable, workerId: string): Promise<void> => {
  const statement = sql`
    WITH next AS MATERIALIZED (SELECT nextval('docket.worker_lock_number')::integer AS number)
    INSERT INTO docket.worker (id, lock_number)
    SELECT ${text(workerId)}, number
    FROM next
    WHERE pg_try_advisory_lock(${int(lockClass)}, number)
    RETURNING id`
  let rows: unknown[] = []
  // The sequence repeats a number only after two billion workers.
  while (rows.length === 0) rows = await queryRows(session, statement)
}

/** Removes a worker. Its jobs are released, and the attempt does not count. */
export const removeWorker = async (session: Queryable, workerId: string): Promise<void> => {
  const worker = text(workerId)
  const statement = sql`
    WITH gone AS (DELETE FROM docket.worker WHERE id = ${worker}),
    ${queuesFreed(sql`= ${worker}`)},
    freed AS (
      UPDATE graphile_worker._private_jobs
      SET locked_at = NULL, locked_by = NULL, attempts = greatest(0, attempts - 1)
      WHERE locked_by = ${worker}
      RETURNING id
    )
    ${reported}`
  await queryRows(session, statement)
}

export type Recovered = {
  /** Workers that were found dead. */
  readonly workers: number
  /** Jobs that they were running. */
  readonly jobs: number
}

/**
 * Releases the jobs of dead workers; of several processes one does it. The attempt counts: otherwise a job
 * that kills its process would do so forever. From the second attempt on the job waits, so that it does not
 * run beside the same jobs again.
 */
export const recoverWorkers = async (session: Queryable): Promise<Recovered> => {
  const found = await queryRows(session, sql`SELECT w.id ${deadWorkers}`)
  if (found.length === 0) return { workers: 0, jobs: 0 }
  const wait = sql`exp(least(attempts - 1, 10)) * (0.5 + random() / 2) * interval '1 second'`
  const statement = sql`
    WITH dead AS MATERIALIZED (
      SELECT w.id, w.lost_at ${deadWorkers}
      FOR UPDATE OF w SKIP LOCKED
    ),
    lost AS (
      UPDATE docket.worker w
      SET lost_at = now()
      FROM dead d
      WHERE w.id = d.id AND d.lost_at IS NULL
      RETURNING w.id
    ),
    gone AS (
      DELETE FROM docket.worker w
      USING dead d
      WHERE w.id = d.id AND d.lost_at IS NOT NULL
    ),
    ${queuesFreed(sql`IN (SELECT id FROM dead)`)},
    freed AS (
      UPDATE graphile_worker._private_jobs
      SET locked_at = NULL, locked_by = NULL, last_error = ${text(diedText)},
        run_at = CASE WHEN attempts < 2 THEN run_at ELSE now() + ${wait} END
      WHERE locked_by IN (SELECT id FROM dead)
      RETURNING id
    )
    ${reported}, (SELECT count(*)::integer FROM lost) AS workers`
  const row = await queryRow<Recovered>(session, statement)
  return { workers: row?.workers ?? 0, jobs: row?.jobs ?? 0 }
}

const diedText = 'The process that ran it ended.'

// A dead worker is checked twice: a job may be locked for it after it was found dead,
// up to three minutes later if graphile-worker asked a server that was starting.
const deadWorkers: Sql = sql`
  FROM docket.worker w
  WHERE (w.lost_at IS NULL OR w.lost_at < now() - interval '4 minutes')
    AND NOT EXISTS (
      SELECT FROM pg_locks l
      WHERE l.locktype = 'advisory'
        AND l.granted
        AND l.objsubid = 2
        AND l.classid = ${int(lockClass)}
        AND l.objid::bigint = w.lock_number
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )`

const queuesFreed = (ofWorkers: Sql): Sql =>
  sql`queues AS (
    UPDATE graphile_worker._private_job_queues
    SET locked_at = NULL, locked_by = NULL
    WHERE locked_by ${ofWorkers}
  )`

// Other workers look for them at once.
const reported: Sql = sql`SELECT ${jobsIn(sql`(SELECT count(*)::integer FROM freed)`, 'jobs')}`
