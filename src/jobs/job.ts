/**
 * What a job is: work that follows a change. Rooms above name their kinds with the payload that each
 * takes, enqueue them in the statement of the change, and register a handler; this room knows none.
 */

/** A name with the payload that its jobs carry: plain JSON, an object. */
export type JobKind<Payload extends object> = {
  readonly name: string
  /** Never there: it carries the type from who enqueues to who handles. */
  readonly payload?: Payload
}

/** Names a kind of job; `area.verb`, such as `email.send`, unique in the service and kept for ever. */
export const jobKind = <Payload extends object>(name: string): JobKind<Payload> => ({ name })

/** What a running job may know of itself. */
export type JobContext = {
  readonly jobId: string
  /** Which attempt this is, from 1. */
  readonly attempt: number
  /** After so many attempts the job is dead. */
  readonly of: number
  /** Aborted when the process must end: what is still running is given to another process. */
  readonly signal: AbortSignal
}

/** Runs the jobs of one kind; made by `handleJob`. */
export type JobHandler = {
  readonly name: string
  readonly run: (payload: unknown, context: JobContext) => Promise<void>
}

/**
 * Makes the handler of a kind. A job may run twice, also at the same time: `run` must do no harm
 * then. What it throws is the job's error, and the job is tried again later.
 */
export const handleJob = <Payload extends object>(
  kind: JobKind<Payload>,
  run: (payload: Payload, context: JobContext) => Promise<void>,
): JobHandler => ({
  name: kind.name,
  // What was enqueued under this kind had its type.
  run: (payload, context) => run(payload as Payload, context),
})
