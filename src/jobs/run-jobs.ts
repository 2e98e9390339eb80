/** Runs jobs in this process: any number of processes may do so on one database. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { createBatcher } from '../database/batcher.ts'
import { reportConnections } from '../database/connections/count-connections.ts'
import type { Listener } from '../database/listener.ts'
import { createPool, type Pool } from '../database/pool.ts'
import { errorText } from '../errors.ts'
import type { Observe } from '../observations.ts'
import { jobRetries, pauseAfter } from '../retry-policy.ts'
import { currentTrace, inSpan } from '../spans.ts'
import { settledWithin } from '../within.ts'
import type { JobContext, JobHandler, Traced } from './job.ts'
import { jobQueueOf, removeDone, type TakenJob, takeJobs } from './job-store.ts'
import { failRow, releaseRows } from './queue.ts'
import { type During, recordResult, workQueue } from './work-queue.ts'

type Options = {
  readonly connectionString: string
  /** Signals that jobs wait; while it is lost, they are looked for every second. */
  readonly listener: Listener
  readonly handlers: readonly JobHandler[]
  /** Jobs that run at the same time in this process. */
  readonly atOnce: number
  /** Connections that take jobs and write their results. */
  readonly poolSize: number
  /** The grace time of running jobs when the runner stops. */
  readonly graceMs: number
  readonly observe: Observe
}

export type JobRunner = {
  /**
   * Takes no more jobs and lets the running ones end within the grace time. Jobs that still run then are
   * released to other processes; returns their number.
   */
  readonly stop: () => Promise<number>
}

// A job of a process that was killed is taken over after this time.
const leaseSeconds = 10
const releaseTimeoutMs = 5_000
const closeTimeoutMs = 1_000

/** Starts to run jobs. Returns after the first attempt, whether the database was available or not. */
export const runJobs = async (options: Options): Promise<JobRunner> => {
  const { listener, handlers, atOnce, graceMs, observe } = options
  const name = randomBytes(4).toString('hex')
  const workerId = `${hostname()}:${process.pid}:${name}`
  const pool = openQueuePool(options, name)
  const tasks = handlers.map((handler) => handler.name)
  const queue = jobQueueOf(tasks)
  const attempted = Promise.withResolvers<void>()
  let isUp: boolean | undefined
  // Reported once: the failures that follow belong to the same loss.
  const onFailure = (_task: string, error: unknown) => {
    if (isUp !== false) observe({ kind: 'workerInterrupted', error })
    isUp = false
    attempted.resolve()
  }
  const run = createRun({ ...options, pool, onFailure })
  const worker = workQueue<TakenJob>({
    pool,
    listener,
    queue,
    leaseSeconds,
    // Only as many as run at once: an idle process could not take jobs that wait in another.
    most: atOnce,
    take: (limit) => takeJobs(pool, queue, { limit, leaseSeconds, workerId }),
    work: run,
    onFailure,
    onTaken: () => {
      if (!isUp) observe({ kind: 'workerStarted', workerId, atOnce, tasks })
      isUp = true
      attempted.resolve()
    },
    onEnded: (jobs) => observe({ kind: 'workerRecovered', jobs }),
    onCut: (unfinished) =>
      settledWithin(releaseTimeoutMs, releaseRows(pool, queue, [...unfinished.keys()])),
  })
  await attempted.promise
  return {
    stop: async () => {
      const unfinished = await worker.stop(graceMs)
      await pool.endWithin(closeTimeoutMs)
      if (isUp) observe({ kind: 'workerStopped', workerId, unfinished })
      return unfinished
    },
  }
}

/** Its connections have the name of the worker, by which `docket doctor` counts workers. */
const openQueuePool = (
  { connectionString, listener, poolSize, observe }: Options,
  name: string,
): Pool => {
  const pool = createPool({
    connectionString,
    size: poolSize,
    work: { kind: 'queue' },
    applicationName: `docket worker ${name}`,
    signaller: listener.signaller,
    observe,
  })
  reportConnections('queue', pool, observe)
  return pool
}

type Running = Pick<Options, 'handlers' | 'observe'> & {
  readonly pool: Pool
  readonly onFailure: (task: string, error: unknown) => void
}

/** Runs one job by its handler, and records how it ended. */
const createRun = ({ pool, handlers, observe, onFailure }: Running) => {
  const byName = new Map(handlers.map((handler) => [handler.name, handler]))
  const batcher = createBatcher(pool)
  const done = (id: number) =>
    batcher('done', id, async (ids) => {
      await removeDone(pool, ids)
      return ids.map(() => undefined)
    })
  return async (job: TakenJob, { cut }: During): Promise<void> => {
    const { id, kind: task, tries: attempt, max_tries: of } = job
    const jobId = String(id)
    const record = (write: () => Promise<unknown>) =>
      recordResult(write, cut, (error) => onFailure('record', error)).catch(() => {
        // Reported already; after the lease it is run again.
      })
    const begun = performance.now()
    const waited =
      attempt === 1 ? { waitedMs: Math.max(0, Date.now() - Date.parse(job.was_due_at)) } : {}
    try {
      await runTraced(byName.get(task), JSON.parse(job.payload), {
        jobId,
        attempt,
        of,
        signal: cut,
      })
    } catch (error) {
      if (cut.aborted) return
      const isDead = attempt >= of
      observe({ kind: isDead ? 'jobDead' : 'jobFailed', jobId, task, attempt, of, error })
      const pauseMs = isDead ? undefined : pauseAfter(jobRetries, attempt)
      return record(() =>
        failRow(pool, jobQueueOf([task]), job, { error: shortText(error), pauseMs }),
      )
    }
    observe({ kind: 'jobDone', jobId, task, ms: performance.now() - begun, ...waited })
    await record(() => done(id))
  }
}

/** In a span below that of the change, if this was traced. What follows the job is below the span of the job. */
const runTraced = async (
  handler: JobHandler | undefined,
  payload: object & Traced,
  context: JobContext,
): Promise<void> => {
  if (!handler) throw new Error('There is no handler of its kind.')
  if (payload.traceparent === undefined) return handler.run(payload, context)
  const attributes = {
    'messaging.system': 'docket',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': handler.name,
    'messaging.message.id': context.jobId,
    'docket.job.attempt': context.attempt,
  }
  return inSpan(
    { name: `process ${handler.name}`, kind: 'consumer', attributes },
    () => handler.run({ ...payload, traceparent: currentTrace() ?? payload.traceparent }, context),
    payload.traceparent,
  )
}

const longestText = 1000

/** The error for operators: one line, without characters that PostgreSQL's JSON rejects. */
const shortText = (error: unknown): string => {
  const [line = ''] = errorText(error)
    .trim()
    .split(/[\r\n]/)
  return line.replaceAll('\0', '').toWellFormed().slice(0, longestText) || 'No message.'
}
