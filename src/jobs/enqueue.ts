/**
 * Builds SQL that enqueues a job in the same statement as the change that it follows, so that both are
 * committed or neither.
 */
import { int, isSql, join, json, raw, type Sql, sql, text, timestamp } from '../database/sql.ts'
import type { JobKind } from './job.ts'

/** A payload, or SQL of type json that builds it, for an id that the statement has just created. */
type PayloadOf<Payload extends object> = (Payload & { readonly parts?: never }) | Sql

/** Options of a job besides its kind and payload. */
type JobOptions = {
  /** Not before this time. */
  readonly runAt?: Date | Sql
  /** At most one waiting job has this key: a second one replaces the first. */
  readonly jobKey?: string | Sql
  /** Default `replace`; `preserve_run_at` keeps the time that the first job was to run. */
  readonly jobKeyMode?: 'replace' | 'preserve_run_at'
  /** Default 25, which is about four days. */
  readonly maxAttempts?: number
  /**
   * Jobs of one queue run one after the other, up to two seconds apart; a few fixed names, never one
   * per record.
   */
  readonly queueName?: string
}

export type Job<Payload extends object> = JobOptions & {
  readonly kind: JobKind<Payload>
  readonly payload: PayloadOf<Payload>
}

/**
 * An SQL expression that enqueues one job for each row it is evaluated for: put it into the select
 * list or RETURNING of the statement that changes something. PostgreSQL leaves out a SELECT under
 * WITH that nothing refers to, and the job with it.
 */
export const enqueue = <Payload extends object>(job: Job<Payload>): Sql => {
  const slots = Object.entries(slotsOf(job)).map(
    ([name, slot]) => sql`${raw(`${name} => `)}${slot}`,
  )
  return sql`(graphile_worker.add_job(${join(slots, ', ')})).id`
}

export type JobSet<Payload extends object> = Omit<Job<Payload>, 'payload'> & {
  /** Of type json, over the columns of `rows`. */
  readonly payload: Sql
  /** The row source: the name of a CTE, a table, or a subquery with its alias. */
  readonly rows: Sql
}

/**
 * Builds a SELECT that enqueues a job for every row of a set, and returns their number as `jobs`: 100,000 in one
 * or two seconds. It must be the last part of its statement. Keys, if any, must differ.
 */
export const enqueueMany = <Payload extends object>({ rows, ...job }: JobSet<Payload>): Sql => {
  const slots: Slots = slotsOf(job)
  const spec = specColumns.map((column) => slots[column] ?? sql`NULL`)
  const keepsTime = job.jobKeyMode === 'preserve_run_at' ? sql`true` : sql`false`
  return sql`SELECT count(*)::integer AS jobs FROM graphile_worker.add_jobs((
    SELECT array_agg((${join(spec, ', ')})::graphile_worker.job_spec) FROM ${rows}
  ), ${keepsTime})`
}

type Slots = Readonly<Record<string, Sql>>

// In the order of the type graphile_worker.job_spec.
const specColumns = [
  'identifier',
  'payload',
  'queue_name',
  'run_at',
  'max_attempts',
  'job_key',
  'priority',
  'flags',
]

const slotsOf = <Payload extends object>({ kind, payload, ...options }: Job<Payload>): Slots => {
  const { runAt, jobKey, jobKeyMode, maxAttempts, queueName } = options
  return {
    identifier: text(kind.name),
    payload: isSql(payload) ? payload : json(payload),
    ...(queueName !== undefined && { queue_name: text(queueName) }),
    ...(runAt !== undefined && {
      run_at: isSql(runAt) ? runAt : timestamp(runAt),
    }),
    ...(maxAttempts !== undefined && { max_attempts: int(maxAttempts) }),
    ...(jobKey !== undefined && { job_key: isSql(jobKey) ? jobKey : text(jobKey) }),
    ...(jobKeyMode !== undefined && { job_key_mode: text(jobKeyMode) }),
  }
}
