/** Runs one job by its handler, and tells how it ended. */
import type { JobHelpers, Task } from 'graphile-worker'
import { errorText } from '../errors.ts'
import type { Observe } from '../observations.ts'
import type { JobContext, JobHandler } from './job.ts'

type Options = {
  readonly observe: Observe
  readonly signal: AbortSignal
  /** Jobs that run in this process now, by id. */
  readonly running: Map<string, Promise<void>>
  /**
   * Those that have ended well here, the latest ones. Where that could not be written down, because
   * the connection was lost, such a job comes again: it is not run again, only written down.
   */
  readonly done: Set<string>
}

// Of those that could not be written down there are no more than run at once.
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
    // After a lost connection the same job may come again while it still runs here.
    const known = running.get(context.jobId)
    const again = () => (done.has(context.jobId) ? undefined : run(parsed(payload), context))
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
    observe({ kind: 'jobDone', jobId: context.jobId, task: name, ms: performance.now() - begun })
  }

const remember = (done: Set<string>, jobId: string): void => {
  done.add(jobId)
  const [oldest = ''] = done
  if (done.size > maxDone) done.delete(oldest)
}

// A handler may throw before it answers with a promise.
const start = async (run: () => Promise<void> | undefined): Promise<void> => run()

// The pool gives JSON as text, as everywhere.
const parsed = (payload: unknown): unknown => JSON.parse(String(payload))

const longestText = 1000

/** What operators see of an error: one line, and nothing that PostgreSQL's JSON would refuse. */
const shortText = (error: unknown): string => {
  const [line = ''] = errorText(error)
    .trim()
    .split(/[\r\n]/)
  return line.replaceAll('\0', '').toWellFormed().slice(0, longestText) || 'No message.'
}
