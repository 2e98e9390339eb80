/**
 * A job: work that follows a change. Features name their kinds with the payload of each, enqueue jobs in the
 * statement of the change, so that both are committed or neither, and register a handler; this folder knows no feature.
 */
import { isSql, json, nothing, type Sql, signalled, sql, text } from '../database/sql.ts'
import { currentTrace } from '../spans.ts'
import { queueChannel } from './queue.ts'

/** A name with the payload that its jobs carry: plain JSON, an object. */
export type JobKind<Payload extends object> = {
  readonly name: string
  /** Never set: it carries the type from the sender to the handler. */
  readonly payload?: Payload
}

/** Names a kind of job: `area.verb`, such as `email.send`, unique in the service and never changed. */
export const jobKind = <Payload extends object>(name: string): JobKind<Payload> => ({ name })

/** What the payload of a job contains besides, if it follows a traced change. */
export type Traced = {
  /** Of the change; when the job runs, that of the job. */
  readonly traceparent?: string
}

/** The channel that signals to processes that jobs wait. */
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
 * statement that changes something, which `jobsIn` names, so that workers are notified after the commit. PostgreSQL
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

/** What a running job knows about itself. */
export type JobContext = {
  readonly jobId: string
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** After so many attempts the job is dead. */
  readonly of: number
  /** Aborted when the process must end: a job that still runs is released to another process. */
  readonly signal: AbortSignal
}

/** Runs the jobs of one kind; created by `handleJob`. */
export type JobHandler = {
  readonly name: string
  readonly run: (payload: unknown, context: JobContext) => Promise<void>
}

/**
 * Creates the handler of a kind. A job may run twice, also at the same time, so `run` must be idempotent.
 * What it throws is the job's error, and the job is retried later.
 */
export const handleJob = <Payload extends object>(
  kind: JobKind<Payload>,
  run: (payload: Payload, context: JobContext) => Promise<void>,
): JobHandler => ({
  name: kind.name,
  // Jobs of this kind were enqueued with its type.
  run: (payload, context) => run(payload as Payload, context),
})
