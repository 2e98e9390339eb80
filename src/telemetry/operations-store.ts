/** Facts about the database that operators watch: what waits for how long, and what holds PostgreSQL back. */
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { raw, sql } from '../database/sql.ts'

export type Operations = {
  /** Since when the oldest job, and the oldest delivery, is due, in seconds; 0 if none is. */
  readonly oldestDue: Readonly<Record<'jobs' | 'deliveries', number>>
  /** The age of the oldest open transaction in seconds: PostgreSQL keeps every row that it may see. */
  readonly oldestTransaction: number
  /** The used part of PostgreSQL's queue of notifications, 0 to 1: full, no change can be committed. */
  readonly notificationQueue: number
  /** By how many seconds each standby is behind, by its name. */
  readonly standbys: readonly { readonly name: string; readonly lag: number }[]
  /** Indexes that are being built: of which table, in which phase of PostgreSQL, and the part of it that is done. */
  readonly builds: readonly IndexBuild[]
}

type IndexBuild = { readonly table: string; readonly phase: string; readonly done: number }

const secondsSince = (time: string) =>
  `greatest(0, coalesce(extract(epoch FROM now() - ${time}), 0))::float8`

type Row = { jobs: string; deliveries: string; transaction: string; queue: string }

/** Reads all of them; a role without `pg_monitor` sees its own transactions alone, and no standby. */
export const readOperations = async (database: Queryable): Promise<Operations> => {
  const row = await queryRow<Row>(
    database,
    sql`
SELECT
  (SELECT ${raw(secondsSince('min(run_at)'))}
   FROM graphile_worker._private_jobs
   WHERE is_available AND run_at <= now()) AS jobs,
  (SELECT ${raw(secondsSince('min(due_at)'))}
   FROM docket.delivery
   WHERE status IN ('queued', 'failed') AND due_at <= now()) AS deliveries,
  (SELECT ${raw(secondsSince('min(xact_start)'))}
   FROM pg_stat_activity
   WHERE datname = current_database() AND backend_type = 'client backend') AS transaction,
  pg_notification_queue_usage() AS queue`,
  )
  const standbys = await queryRows<{ name: string; lag: string }>(
    database,
    sql`
SELECT application_name AS name, coalesce(extract(epoch FROM replay_lag), 0)::float8 AS lag
FROM pg_stat_replication
WHERE state = 'streaming'
ORDER BY application_name, pid`,
  )
  const builds = await queryRows<{ table: string; phase: string; done: string }>(
    database,
    sql`
SELECT relid::regclass::text AS table, split_part(phase, ':', 1) AS phase,
  greatest(
    coalesce(blocks_done::float8 / nullif(blocks_total, 0), 0),
    coalesce(tuples_done::float8 / nullif(tuples_total, 0), 0)
  ) AS done
FROM pg_stat_progress_create_index
WHERE datname = current_database() AND relid IS NOT NULL
ORDER BY 1, 2`,
  )
  return {
    oldestDue: { jobs: Number(row?.jobs), deliveries: Number(row?.deliveries) },
    oldestTransaction: Number(row?.transaction),
    notificationQueue: Number(row?.queue),
    standbys: standbys.map(({ name, lag }) => ({ name, lag: Number(lag) })),
    builds: builds.map(({ done, ...build }) => ({ ...build, done: Number(done) })),
  }
}
