/**
 * The definition of a job: work that follows a change. Features name their kinds with the payload of each,
 * enqueue jobs in the statement of the change, and register a handler; this folder knows no feature.
 */

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
