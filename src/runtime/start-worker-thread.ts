/** Starts the thread of the worker, and restarts it when it ends by itself. */
import { setTimeout as delay } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { serveListener } from '../database/share-listener.ts'
import { toPlainProject } from '../definitions/plain-project.ts'
import { serveEngine } from '../documents/engine-channel.ts'
import type { JobRunner } from '../jobs/run-jobs.ts'
import type { Observe } from '../observations.ts'
import { programBeside, startServiceThread } from '../processes/service-thread.ts'
import type { Runtime } from './open-runtime.ts'
import type { WorkerThreadReport, WorkerThreadSettings } from './worker-thread.ts'

type Options = Pick<WorkerThreadSettings, 'watch'>

/** A thread that was started. */
export type RunningThread = {
  /** Rejects when it ends before it runs. */
  readonly started: Promise<void>
  /** Resolves with the reason why it ended. */
  readonly ended: Promise<unknown>
  /** Lets jobs end within the grace time; resolves with the number of those that did not. */
  readonly stop: () => Promise<number>
}

const pauseMs = 1_000
// By default long work such as an import grows it to pages of 64 MiB, of which little is in use; so they are 16.
const maxYoungMiB = 24
// Beyond the grace time, for closing connections and processes.
const closeWithinMs = 10_000

/** Resolves when the worker runs; throws the error of the first start. */
export const startWorkerThread = (runtime: Runtime, options: Options): Promise<JobRunner> =>
  keepRunning(() => runThread(runtime, options), runtime.observe)

/** Runs a thread, and starts a new one whenever it ends by itself, until it is stopped. */
export const keepRunning = async (
  run: () => RunningThread,
  observe: Observe,
): Promise<JobRunner> => {
  let isStopping = false
  let thread = run()
  const restart = async () => {
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
  void restart()
  return {
    stop: async () => {
      isStopping = true
      return thread.stop()
    },
  }
}

/**
 * The thread gets what it cannot open itself, renders documents with the engine of this one, and listens on its
 * connection.
 */
const runThread = (runtime: Runtime, { watch }: Options): RunningThread => {
  const { config, project, connectionString, observe } = runtime
  const [engines, listeners] = [new MessageChannel(), new MessageChannel()]
  const [engine, listener] = [engines.port2, listeners.port2]
  serveEngine(runtime.engine, engines.port1)
  serveListener(runtime.listener, listeners.port1)
  const graceMs = config.SHUTDOWN_GRACE_SECONDS * 1_000
  const started = Promise.withResolvers<void>()
  let unfinished = 0
  const thread = startServiceThread<WorkerThreadReport>({
    name: 'worker',
    program: programBeside(import.meta.url, 'worker-thread'),
    settings: {
      config,
      connectionString,
      watch,
      engine,
      listener,
      project: toPlainProject(project),
    } satisfies WorkerThreadSettings,
    transfer: [engine, listener],
    maxYoungMiB,
    onMessage: (message) => {
      if (message.kind === 'observed') observe(message.observation)
      else if (message.kind === 'started') started.resolve()
      else unfinished = message.unfinished
    },
  })
  const ended = thread.ended.then((error) => error.cause ?? error)
  void ended.then(started.reject)
  return {
    started: started.promise,
    ended,
    stop: async () => {
      // Anything that blocks the thread for longer is terminated with it.
      await thread.stop(graceMs + closeWithinMs)
      return unfinished
    },
  }
}
