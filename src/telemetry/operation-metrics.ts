/** Metrics of work in the database, by what operators watch: jobs and deliveries, what waits for how long, what holds PostgreSQL back. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { raw, sql } from '../database/sql.ts'
import type { Observe } from '../observations.ts'

export type Watched = {
  readonly readOperations: () => Promise<Operations>
  /** Open streams of this process. */
  readonly countStreams: () => number
  /** Whether the connection of this process that receives and sends signals is open. */
  readonly isListening: () => boolean
}

type Metric = { readonly name: string; readonly help: string; readonly labels?: readonly string[] }

type Value = { readonly labels?: Readonly<Record<string, string>>; readonly value: number }

/** Registers a gauge with what `read` returns; it has no values while that fails. */
export const addGauge = (
  registry: Registry,
  { name, help, labels = [] }: Metric,
  read: () => readonly Value[] | Promise<readonly Value[]>,
): void => {
  new Gauge({
    name,
    help,
    labelNames: labels,
    registers: [registry],
    async collect() {
      const values = await Promise.resolve(read()).catch(() => [])
      this.reset()
      for (const { labels = {}, value } of values) this.set(labels, value)
    },
  })
}

type DatabaseMetric = Metric & {
  readonly valuesOf: (operations: Operations) => readonly Value[]
}

const ofDatabase: readonly DatabaseMetric[] = [
  {
    name: 'docket_oldest_due_seconds',
    help: 'Since when the oldest job or delivery is due that nobody has taken.',
    labels: ['queue'],
    valuesOf: ({ oldestDue }) =>
      Object.entries(oldestDue).map(([queue, value]) => ({ labels: { queue }, value })),
  },
  {
    name: 'docket_database_oldest_transaction_seconds',
    help: 'Age of the oldest open transaction; PostgreSQL cannot remove rows that it may see.',
    valuesOf: ({ oldestTransaction }) => [{ value: oldestTransaction }],
  },
  {
    name: 'docket_database_notification_queue_ratio',
    help: 'Used part of the queue of notifications of PostgreSQL, 0 to 1.',
    valuesOf: ({ notificationQueue }) => [{ value: notificationQueue }],
  },
  {
    name: 'docket_database_standby_lag_seconds',
    help: 'How far a standby is behind; needs the role pg_monitor.',
    labels: ['standby'],
    valuesOf: ({ standbys }) =>
      standbys.map(({ name, lag }) => ({ labels: { standby: name }, value: lag })),
  },
  {
    name: 'docket_database_index_build_ratio',
    help: 'Part that is done, 0 to 1, of the phase of an index that is being built.',
    labels: ['table', 'phase'],
    valuesOf: ({ builds }) =>
      builds.map(({ table, phase, done }) => ({ labels: { table, phase }, value: done })),
  },
]

/** Registers the metrics; those of the database are absent while it is unavailable. */
export const watchOperations = (
  registry: Registry,
  { readOperations, countStreams, isListening }: Watched,
): void => {
  const remembered = rememberBriefly(readOperations)
  for (const { valuesOf, ...metric } of ofDatabase)
    addGauge(registry, metric, async () => valuesOf(await remembered()))
  const streams = { name: 'docket_open_streams', help: 'Open streams of this process.' }
  addGauge(registry, streams, () => [{ value: countStreams() }])
  const listener = {
    name: 'docket_listener_up',
    help: 'Whether this process receives signals of others: 1 or 0.',
  }
  addGauge(registry, listener, () => [{ value: isListening() ? 1 : 0 }])
}

/** Returns the number of rows by status. */
export type CountJobs = () => Promise<Readonly<Record<string, number>>>

const outcomes = { jobDone: 'done', jobFailed: 'failed', jobDead: 'dead' } as const

/** Registers the metrics; returns an observer that counts the jobs of this process. */
export const watchJobs = (registry: Registry, count: CountJobs): Observe => {
  const runs = new Counter({
    name: 'docket_jobs_run_total',
    help: 'Attempts of jobs by outcome: done, failed (will be retried) or dead.',
    labelNames: ['task', 'outcome'],
    registers: [registry],
  })
  const waits = new Histogram({
    name: 'docket_job_wait_seconds',
    help: 'Time from the moment when a job was due to its first attempt, of jobs that then succeeded.',
    labelNames: ['task'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600],
    registers: [registry],
  })
  watchCounts(registry, {
    name: 'docket_jobs',
    help: 'Jobs in the database by status; absent while the database is unavailable.',
    count,
  })
  return (observation) => {
    switch (observation.kind) {
      case 'jobDone':
        if (observation.waitedMs !== undefined)
          waits.observe({ task: observation.task }, observation.waitedMs / 1000)
        runs.inc({ task: observation.task, outcome: outcomes.jobDone })
        break
      case 'jobFailed':
      case 'jobDead':
        runs.inc({ task: observation.task, outcome: outcomes[observation.kind] })
        break
      default:
    }
  }
}

type Counted = { readonly name: string; readonly help: string; readonly count: CountJobs }

/** A gauge of rows in the database by their status. */
export const watchCounts = (registry: Registry, { name, help, count }: Counted): void => {
  const remembered = rememberBriefly(count)
  addGauge(registry, { name, help, labels: ['status'] }, async () =>
    Object.entries(await remembered()).map(([status, value]) => ({ labels: { status }, value })),
  )
}

// Counting a million jobs takes 0.2 s, so concurrent readers share one count.
const keepMs = 5_000

/** Reads at most once in five seconds. */
const rememberBriefly = <T>(read: () => Promise<T>): (() => Promise<T>) => {
  let cached: Promise<T> | undefined
  let until = 0
  return () => {
    if (cached === undefined || performance.now() > until) {
      cached = read()
      until = performance.now() + keepMs
    }
    return cached
  }
}

type Operations = {
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
  (SELECT ${raw(secondsSince('min(due_at)'))}
   FROM docket.job
   WHERE status IN ('queued', 'failed') AND due_at <= now()) AS jobs,
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
