/** Runs one job by its handler, and reports how it ended. */
import type { JobHelpers, Task } from 'graphile-worker'
import { errorText } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { currentTrace, inSpan } from '../spans.ts'
import type { JobContext, JobHandler, Traced } from './job.ts'

type Options = {
  readonly observe: Observe
  readonly signal: AbortSignal
  /** Jobs that run in this process now, by id. */
  readonly running: Map<string, Promise<void>>
  /**
   * The latest jobs that succeeded here. If a success could not be recorded, because the connection was
   * lost, the job is taken again: it is not run again, only recorded.
   */
  readonly done: Set<string>
}

// At most as many are unrecorded as run at the same time.
const maxDone = 1_000

/** What graphile-worker calls for each job of the handler's kind. */
export const taskOf =
  ({ name, run }: JobHandler, { observe, signal, running, done }: Options): Task =>
  async (payload, { job }: JobHelpers) => {
    const context: JobContext = {
      jobId: String(job.id),
      attempt: job.attempts,
      of: job.max_attempts,
      signal,
    }
    const begun = performance.now()
    const waited = job.attempts === 1 ? { waitedMs: msSince(job.run_at) } : {}
    // After a lost connection the same job may be taken again while it still runs here.
    const known = running.get(context.jobId)
    const again = () =>
      done.has(context.jobId) ? undefined : runTraced({ name, run }, parsed(payload), context)
    const ended = known ?? start(again)
    running.set(context.jobId, ended)
    try {
      await ended
      remember(done, context.jobId)
    } catch (error) {
      if (signal.aborted) throw error
      const { jobId, attempt, of } = context
      const kind = attempt >= of ? 'jobDead' : 'jobFailed'
      observe({ kind, jobId, task: name, attempt, of, error })
      throw new Error(shortText(error))
    } finally {
      if (running.get(context.jobId) === ended) running.delete(context.jobId)
    }
    const ms = performance.now() - begun
    observe({ kind: 'jobDone', jobId: context.jobId, task: name, ms, ...waited })
  }

// The pool returns times as text; the clock of the server may be ahead.
const msSince = (time: Date | string): number => Math.max(0, Date.now() - new Date(time).getTime())

const remember = (done: Set<string>, jobId: string): void => {
  done.add(jobId)
  const [oldest = ''] = done
  if (done.size > maxDone) done.delete(oldest)
}

/** In a span below that of the change, if this was traced. What follows the job is below the span of the job. */
const runTraced = (
  { name, run }: JobHandler,
  payload: object & Traced,
  context: JobContext,
): Promise<void> => {
  if (payload.traceparent === undefined) return run(payload, context)
  const attributes = {
    'messaging.system': 'docket',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': name,
    'messaging.message.id': context.jobId,
    'docket.job.attempt': context.attempt,
  }
  return inSpan(
    { name: `process ${name}`, kind: 'consumer', attributes },
    () => run({ ...payload, traceparent: currentTrace() ?? payload.traceparent }, context),
    payload.traceparent,
  )
}

// A handler may throw before it returns a promise.
const start = async (run: () => Promise<void> | undefined): Promise<void> => run()

// The pool returns JSON as text, as everywhere.
const parsed = (payload: unknown): object & Traced => JSON.parse(String(payload))

const longestText = 1000

/** The error for operators: one line, without characters that PostgreSQL's JSON rejects. */
const shortText = (error: unknown): string => {
  const [line = ''] = errorText(error)
    .trim()
    .split(/[\r\n]/)
  return line.replaceAll('\0', '').toWellFormed().slice(0, longestText) || 'No message.'
}
