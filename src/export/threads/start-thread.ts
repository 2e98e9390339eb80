/** Starts and stops a thread that runs exports. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { programBeside } from '../../processes/program-beside.ts'
import { settledWithin } from '../../settled-within.ts'
import type { ThreadReport, ThreadRequest, ThreadSettings } from '../export-task.ts'

type Options = {
  readonly settings: ThreadSettings
  readonly onReport: (report: ThreadReport) => void
  /** Called once. */
  readonly onExit: (error: Error) => void
}

// A thread holds about 10 MiB, for rows are not kept in its heap. At this limit the thread ends;
// without one of its own the whole process would.
const maxHeapMiB = 256
const stopTimeoutMs = 2000

/** Starts the thread; it does not keep the process alive. */
export const startThread = ({ settings, onReport, onExit }: Options): Worker => {
  const worker = new Worker(programBeside(import.meta.url, 'export-thread'), {
    workerData: settings,
    name: 'export',
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB },
  })
  let cause: unknown
  worker.on('message', onReport)
  worker.on('error', (error) => {
    cause = error
  })
  worker.once('exit', () => onExit(new Error('The thread of the export ended.', { cause })))
  // Last, for a listener makes it keep the process alive again.
  worker.unref()
  return worker
}

/** Lets the thread close its connections; ends it when that takes long. */
export const stopThread = async (worker: Worker): Promise<void> => {
  worker.ref()
  const exited = once(worker, 'exit')
  const request: ThreadRequest = { kind: 'stop' }
  worker.postMessage(request)
  await settledWithin(stopTimeoutMs, exited)
  await worker.terminate()
}
