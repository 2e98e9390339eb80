/**
 * Runs jobs in this process: any number of processes may do so on one database. A worker has a lease
 * (worker-lease.ts) and a task runner; when the database is lost, both start again.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { runTaskList, type WorkerEvents } from 'graphile-worker'
import { reportConnections } from '../database/connections/count-connections.ts'
import type { Listener } from '../database/listener.ts'
import { createPool } from '../database/pool.ts'
import type { Observe } from '../observations.ts'
import { connectionRetries, pauseAfter } from '../retry-policy.ts'
import { settledWithin } from '../within.ts'
import type { JobHandler } from './job.ts'
import { silent } from './migrate-jobs.ts'
import { jobsSchema, listened } from './prepare-jobs.ts'
import { taskOf } from './run-job.ts'
import { ownLookMs, wakeWorkers } from './wake-workers.ts'
import { acquireLease, type WorkerLease } from './worker-lease.ts'

type Options = {
  readonly connectionString: string
  /** Signals that jobs wait; while it is lost, workers look every second. */
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

type Work = Options & {
  readonly running: Map<string, Promise<void>>
  readonly done: Set<string>
  /** Aborted when the grace time is over. */
  readonly cut: AbortController
}

const closeTimeoutMs = 1_000
const writeTimeoutMs = 5_000

/** Starts to run jobs. Returns after the first attempt, whether the database was available or not. */
export const runJobs = async (options: Options): Promise<JobRunner> => {
  const work: Work = { ...options, running: new Map(), done: new Set(), cut: new AbortController() }
  const stop = new AbortController()
  const attempted = Promise.withResolvers<void>()
  const ended = retryUntilStopped(work, stop.signal, attempted.resolve)
  await attempted.promise
  return {
    stop: async () => {
      stop.abort()
      await ended
      return work.running.size
    },
  }
}

const retryUntilStopped = async (work: Work, stop: AbortSignal, onAttempt: () => void) => {
  let failures = 0
  while (!stop.aborted) {
    try {
      await runUntilStopped(work, stop, () => {
        failures = 0
        onAttempt()
      })
    } catch (error) {
      // Reported once: the attempts that follow belong to the same loss.
      if (failures === 0) work.observe({ kind: 'workerInterrupted', error })
      failures++
      onAttempt()
      const pauseMs = pauseAfter(connectionRetries, failures)
      await delay(pauseMs, undefined, { signal: stop }).catch(() => undefined)
    }
  }
  await waitForRunning(work)
}

/** Waits for running jobs, once, for the grace time; also for those of a lost session. */
const waitForRunning = async ({ running, graceMs, cut }: Work, draining?: Promise<void>) => {
  if (cut.signal.aborted) return
  await settledWithin(graceMs, Promise.all([draining, Promise.allSettled(running.values())]))
  cut.abort(new Error('The process ends.'))
}

/** Throws when the lease or the runner is lost. */
const runUntilStopped = async (work: Work, stop: AbortSignal, onRunning: () => void) => {
  const lease = await acquireLease(work.connectionString, work.observe)
  const runner = startRunner(work, lease)
  const { workerId } = lease
  const tasks = work.handlers.map(({ name }) => name)
  work.observe({ kind: 'workerStarted', workerId, atOnce: work.atOnce, tasks })
  onRunning()
  try {
    await Promise.race([lease.lost, runner.lost, whenAborted(stop)])
  } catch (error) {
    // Running jobs continue to their end; a worker that finds the free lock releases them to others
    // meanwhile.
    runner
      .drain()
      .then(runner.close)
      .catch(() => undefined)
    await lease.close()
    throw error
  }
  await waitForRunning(work, runner.drain())
  await lease.release()
  await settledWithin(closeTimeoutMs, runner.close())
  work.observe({ kind: 'workerStopped', workerId, unfinished: work.running.size })
}

/**
 * Starts the task runner, which listens by the listener of the process, on no connection of its own. It takes only as
 * many jobs as it runs at once: an idle process could not take jobs that wait in another, and they would lose an
 * attempt with it. Results are stored in batches.
 */
const startRunner = (work: Work, { workerId }: WorkerLease) => {
  const { connectionString, listener, handlers, atOnce, poolSize, observe, running, done, cut } =
    work
  const pool = createPool({ connectionString, size: poolSize, work: { kind: 'queue' }, observe })
  reportConnections('queue', pool, observe)
  pool.on('connect', listened)
  const events: WorkerEvents = new EventEmitter()
  // Before it takes its first job: jobs are locked under the name of the lease.
  events.once('pool:create', ({ workerPool }) => {
    workerPool.id = workerId
  })
  const lost = whenLost(events)
  const idle = whenIdle(events, atOnce)
  const tasks = handlers.map((handler) => {
    const task = taskOf(handler, { observe, running, done, signal: cut.signal })
    return [handler.name, task] as const
  })
  const taken = runTaskList(
    {
      concurrency: atOnce,
      pollInterval: ownLookMs,
      noHandleSignals: true,
      schema: jobsSchema,
      logger: silent,
      events,
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    },
    Object.fromEntries(tasks),
    pool,
  )
  taken.promise.catch(() => undefined)
  const endWaking = wakeWorkers({ listener, workers: taken, events, atOnce })
  return {
    lost,
    /** Takes no more jobs; resolves when the running ones have ended. */
    drain: async () => {
      endWaking()
      const drained = Promise.resolve(taken.gracefulShutdown()).catch(() => undefined)
      await Promise.race([drained, idle])
      // If two batches of results failed at the same time, graphile-worker 0.18 waits for them forever.
      await settledWithin(writeTimeoutMs, drained)
    },
    close: () => pool.end(),
  }
}

/** Rejects when the runner fails, for example because it cannot store the results of jobs. */
const whenLost = (events: WorkerEvents): Promise<never> => {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => undefined)
  events.once('pool:fatalError', ({ error }) => reject(error))
  events.once('pool:gracefulShutdown', ({ message }) => reject(new Error(message)))
  return promise
}

/** Resolves when each worker of the runner has finished its last job. */
const whenIdle = (events: WorkerEvents, atOnce: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let idle = 0
  events.on('worker:stop', () => {
    idle++
    if (idle === atOnce) resolve()
  })
  return promise
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
