/** A thread of the service that runs a program, posts messages, and stops on request; where programs are. */
import { type Transferable, Worker } from 'node:worker_threads'
import { settledWithin } from '../within.ts'

/** Tells the program of a thread to close its resources and end. */
export type StopRequest = { readonly kind: 'stop' }

type Options<Report> = {
  readonly name: string
  readonly program: URL
  /** The program's workerData: plain data and transferred ports. */
  readonly settings: object
  readonly transfer?: readonly Transferable[]
  /** Beyond it the thread ends; without it the whole process would end at its own limit. */
  readonly maxHeapMiB?: number
  /** Of objects that live shortly; a thread that makes many of them takes less memory, and some more time. */
  readonly maxYoungMiB?: number
  readonly onMessage: (message: Report) => void
}

export type ServiceThread = {
  readonly worker: Worker
  /** Resolves with the reason why it ended. */
  readonly ended: Promise<Error>
  /** Lets it end within the time, then terminates it. */
  readonly stop: (timeoutMs: number) => Promise<void>
}

/** Starts the thread. */
export const startServiceThread = <Report>(options: Options<Report>): ServiceThread => {
  const { name, program, settings, transfer = [], maxHeapMiB, maxYoungMiB, onMessage } = options
  const worker = new Worker(program, {
    name,
    workerData: settings,
    transferList: [...transfer],
    resourceLimits: {
      ...(maxHeapMiB !== undefined && { maxOldGenerationSizeMb: maxHeapMiB }),
      ...(maxYoungMiB !== undefined && { maxYoungGenerationSizeMb: maxYoungMiB }),
    },
  })
  const ended = Promise.withResolvers<Error>()
  let cause: unknown
  worker.on('message', onMessage)
  worker.on('error', (error) => {
    cause = error
  })
  worker.once('exit', () => ended.resolve(new Error(`The thread "${name}" ended.`, { cause })))
  return {
    worker,
    ended: ended.promise,
    stop: async (timeoutMs) => {
      worker.ref()
      worker.postMessage({ kind: 'stop' } satisfies StopRequest)
      await settledWithin(timeoutMs, ended.promise)
      await worker.terminate()
    },
  }
}

/** A module in the folder of the file that names it: the built package has .js where the source has .ts. */
export const programBeside = (file: string, name: string): URL =>
  new URL(`./${name}${file.slice(file.lastIndexOf('.'))}`, file)
