/**
 * Builds SQL that enqueues a job in the same statement as the change that it follows, so that both are
 * committed or neither.
 */
import { isSql, json, nothing, type Sql, signalled, sql, text } from '../database/sql.ts'
import { currentTrace } from '../spans.ts'
import type { JobKind, Traced } from './job.ts'
import { queueChannel } from './queue.ts'

/** On which processes learn that jobs wait. */
export const jobChannel = queueChannel('docket_job')

/** A payload, or SQL of type json that builds it, for an id that the statement has just created. */
type PayloadOf<Payload extends object> = (Payload & { readonly parts?: never }) | Sql

export type Job<Payload extends object> = {
  readonly kind: JobKind<Payload>
  readonly payload: PayloadOf<Payload>
  /** Not before this time; default now. */
  readonly runAt?: Sql
}

/**
 * An SQL expression that enqueues one job for each row it is evaluated for, and is 1. It belongs into a column of the
 * statement that changes something, which `jobsIn` names, so that workers are told after the commit. PostgreSQL
 * leaves out a SELECT under WITH that nothing refers to, and the job with it.
 */
export const enqueue = <Payload extends object>({ kind, payload, runAt }: Job<Payload>): Sql => {
  const body = traced(isSql(payload) ? payload : json(payload))
  return sql`docket.add_job(${text(kind.name)}, ${body}${runAt ? sql`, ${runAt}` : nothing})`
}

/** The job belongs to the trace of the change; outside of a trace its payload stays as it is. */
const traced = (body: Sql): Sql => {
  const traceparent = currentTrace()
  return traceparent === undefined
    ? body
    : sql`(${body}::jsonb || ${json({ traceparent } satisfies Traced)}::jsonb)::json`
}

/** A column with the number of jobs that its expression has enqueued for each row; null is none. */
export const jobsIn = (jobs: Sql, column: string): Sql => signalled(jobChannel, jobs, column)
