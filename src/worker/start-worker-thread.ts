/** Starts the thread of the worker, and another one should it end by itself. */
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Project } from '../definitions/load-project.ts'
import { toPlainProject } from '../definitions/plain-project.ts'
import type { JobRunner } from '../jobs/run-jobs.ts'
import type { Observe } from '../observations.ts'
import { settledWithin } from '../settled-within.ts'
import type { WorkerThreadReport, WorkerThreadSettings } from './worker-thread.ts'

type Options = Omit<WorkerThreadSettings, 'project'> & {
  readonly project: Project
  readonly observe: Observe
}

/** A thread that was started. */
export type RunningThread = {
  /** Rejects where it ends before it runs. */
  readonly started: Promise<void>
  /** With why it ended. */
  readonly ended: Promise<unknown>
  /** Lets jobs end within the grace time, and answers how many did not. */
  readonly stop: () => Promise<number>
}

// The built package has .js where the source has .ts.
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
const file = new URL(`./worker-thread${extension}`, import.meta.url)

const pauseMs = 1_000
// Beyond the grace time, for closing connections and processes.
const closeWithinMs = 10_000

/** Answers when the worker runs; throws what the first thread could not start for. */
export const startWorkerThread = (options: Options): Promise<JobRunner> =>
  keepRunning(() => runThread(options), options.observe)

/** Runs a thread, and another one whenever it ends by itself, until it is stopped. */
export const keepRunning = async (
  run: () => RunningThread,
  observe: Observe,
): Promise<JobRunner> => {
  let isStopping = false
  let thread = run()
  const goOn = async () => {
    for (;;) {
      const error = await thread.ended
      if (isStopping) return
      observe({ kind: 'workerInterrupted', error })
      await delay(pauseMs, undefined, { ref: false })
      if (isStopping) return
      thread = run()
      thread.started.catch(() => undefined)
    }
  }
  await thread.started
  void goOn()
  return {
    stop: async () => {
      isStopping = true
      return thread.stop()
    },
  }
}

const runThread = ({ observe, project, ...settings }: Options): RunningThread => {
  const graceMs = settings.config.SHUTDOWN_GRACE_SECONDS * 1_000
  const worker = new Worker(file, {
    workerData: {
      ...settings,
      project: toPlainProject(project),
    } satisfies WorkerThreadSettings,
    name: 'worker',
  })
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  let unfinished = 0
  let cause: unknown
  worker.on('message', (message: WorkerThreadReport) => {
    if (message.kind === 'observed') observe(message.observation)
    else if (message.kind === 'started') started.resolve()
    else unfinished = message.unfinished
  })
  worker.on('error', (error) => {
    cause = error
  })
  worker.once('exit', () => {
    const error = cause ?? new Error('The thread of the worker ended.')
    started.reject(error)
    ended.resolve(error)
  })
  return {
    started: started.promise,
    ended: ended.promise,
    stop: async () => {
      worker.postMessage('stop')
      // What holds the thread for longer is ended with it.
      await settledWithin(graceMs + closeWithinMs, ended.promise)
      await worker.terminate()
      return unfinished
    },
  }
}
