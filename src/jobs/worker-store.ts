/**
 * Who runs jobs, in PostgreSQL: a worker is a row with the number of an advisory lock that its
 * connection holds. A row whose lock is free is a worker that died: its jobs are given back.
 */
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { int, type Sql, sql, text } from '../database/sql.ts'

// Any number will do: tells the locks of workers from other ones of two numbers.
const lockClass = 7_305_114

/** Takes a free lock for this session and lists the worker with it; the lock ends with the session. */
export const registerWorker = async (session: Queryable, workerId: string): Promise<void> => {
  const statement = sql`
    WITH next AS MATERIALIZED (SELECT nextval('docket.worker_lock_number')::integer AS number)
    INSERT INTO docket.worker (id, lock_number)
    SELECT ${text(workerId)}, number
    FROM next
    WHERE pg_try_advisory_lock(${int(lockClass)}, number)
    RETURNING id`
  let rows: unknown[] = []
  // A number whose lock is held comes back only after two thousand million workers.
  while (rows.length === 0) rows = await queryRows(session, statement)
}

/** Strikes a worker off; jobs that it still has are free again, and that attempt does not count. */
export const leaveWorker = async (session: Queryable, workerId: string): Promise<void> => {
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
    ${told}`
  await queryRows(session, statement)
}

export type Recovered = {
  /** Workers that were found dead. */
  readonly workers: number
  /** Jobs that they had in hand. */
  readonly jobs: number
}

/**
 * Gives back the jobs of dead workers; of several processes that look, one does it. The attempt
 * counts, or a job that ends every process would do so for ever; from the second one on it waits a
 * while, so that it does not meet the same neighbours again.
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
    ${told}, (SELECT count(*)::integer FROM lost) AS workers`
  const row = await queryRow<Recovered>(session, statement)
  return { workers: row?.workers ?? 0, jobs: row?.jobs ?? 0 }
}

const diedText = 'The process that ran it ended.'

// Looked at twice: what a worker asked for in its last moment may be locked after it was found dead,
// by up to three minutes where graphile-worker asked a server that was starting.
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

// Wakes other workers, which look by themselves only every two seconds.
const told: Sql = sql`
  SELECT (SELECT count(*)::integer FROM freed) AS jobs,
    pg_notify(
      'jobs:insert',
      json_build_object('r', random(), 'count', (SELECT count(*) FROM freed))::text
    )`
