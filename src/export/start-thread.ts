/** Starts and stops a thread that runs exports. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ThreadReport, ThreadRequest, ThreadSettings } from './export-order.ts'

type Options = {
  readonly settings: ThreadSettings
  readonly onReport: (report: ThreadReport) => void
  /** The thread is no more; told once. */
  readonly onEnd: (error: Error) => void
}

// The built package has .js where the source has .ts.
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
const file = new URL(`./export-thread${extension}`, import.meta.url)

// A thread holds about 10 MiB, for rows are not kept in its heap. At this limit the thread ends;
// without one of its own the whole process would.
const mostHeapMiB = 256
const stopPatienceMs = 2000

/** Starts the thread; it does not keep the process alive. */
export const startThread = ({ settings, onReport, onEnd }: Options): Worker => {
  const worker = new Worker(file, {
    workerData: settings,
    name: 'export',
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMiB },
  })
  let cause: unknown
  worker.on('message', onReport)
  worker.on('error', (error) => {
    cause = error
  })
  worker.once('exit', () => onEnd(new Error('The thread of the export ended.', { cause })))
  // Last, for a listener makes it keep the process alive again.
  worker.unref()
  return worker
}

/** Lets the thread close its connections; ends it when that takes long. */
export const stopThread = async (worker: Worker): Promise<void> => {
  worker.ref()
  const ended = once(worker, 'exit')
  const request: ThreadRequest = { kind: 'stop' }
  worker.postMessage(request)
  const late = setTimeout(() => worker.terminate(), stopPatienceMs)
  await ended
  clearTimeout(late)
}
