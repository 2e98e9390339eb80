/**
 * The threads that run exports, so that no other request waits while rows are read, framed and
 * compressed. Each has its share of the places; one that dies fails its own exports only, and the
 * next export starts another in its stead.
 */
import { availableParallelism } from 'node:os'
import { MessageChannel, type Worker } from 'node:worker_threads'
import type { Observe } from '../observations.ts'
import type {
  Chunk,
  ConnectionCounts,
  ExportLimits,
  ExportMessage,
  ExportOrder,
  Sent,
  ThreadReport,
  ThreadRequest,
} from './export-order.ts'
import { fromPlainError } from './plain-error.ts'
import { startThread, stopThread } from './start-thread.ts'

/** Hears what an export sends; of `onSent` and `onFailed` one comes last. */
export type ExportListener = {
  /** `giveBack` when the bytes are written: the thread fills the buffer again. */
  readonly onChunk: (chunk: Chunk, giveBack: () => void) => void
  readonly onSent: (sent: Sent) => void
  readonly onFailed: (error: Error) => void
}

export type ExportThreads = {
  /** Runs an order and answers with how to leave it early; undefined when all places are taken. */
  readonly run: (
    order: ExportOrder,
    listener: ExportListener,
    callerKey: string,
  ) => Leave | undefined
  readonly atOnce: number
  /** Half of the places: others find one, however much one caller asks for. */
  readonly mostOfCaller: number
  /** How many exports of a caller run. */
  readonly countOf: (callerKey: string) => number
  /** Of all threads together, always as it is now. */
  readonly connections: ConnectionCounts
  /** Ends what still runs, then the threads and their connections. */
  readonly stop: () => Promise<void>
}

/** Ends the query; nothing is heard afterwards. */
export type Leave = () => void

type Options = {
  readonly connectionString: string
  /** Exports that run side by side, in all threads together. */
  readonly atOnce: number
  readonly limits?: ExportLimits
  readonly observe: Observe
  readonly threadCount?: number
}

/** A share of the places, with the thread for them; there is none before the first export. */
type Share = {
  readonly places: number
  /** How to end each of its exports, with whose it is. */
  readonly running: Map<(error: Error) => void, string>
  worker: Worker | undefined
  connections: ConnectionCounts
}

const noConnections: ConnectionCounts = { totalCount: 0, idleCount: 0, waitingCount: 0 }

// One core is left to everybody else. Measured on 2 cores with 4 exports at once: beside 1 thread a
// reader's p99 was 1.6 times that of an idle service, beside 4 threads 4 times.
const usualThreadCount = (): number => Math.max(1, availableParallelism() - 1)

/** Threads are started when they are needed; the first at once, so that no export waits for it. */
export const createExportThreads = (options: Options): ExportThreads => {
  const { atOnce, threadCount = usualThreadCount() } = options
  const shares = divide(atOnce, Math.min(atOnce, threadCount))
  let isStopped = false
  const workerOf = (share: Share): Worker => {
    share.worker ??= startWorker(share, options)
    return share.worker
  }
  if (shares[0]) workerOf(shares[0])
  return {
    atOnce,
    mostOfCaller: Math.max(1, Math.floor(atOnce / 2)),
    countOf: (callerKey) =>
      shares.flatMap(({ running }) => [...running.values()]).filter((key) => key === callerKey)
        .length,
    run: (order, listener, callerKey) => {
      const share = freest(shares)
      if (isStopped || !share || freePlaces(share) === 0) return undefined
      return runOrder({ share, worker: workerOf(share), order, listener, callerKey })
    },
    connections: sumOf(shares),
    stop: async () => {
      isStopped = true
      for (const { running } of shares)
        for (const fail of [...running.keys()]) fail(new Error('The service stops.'))
      await Promise.all(shares.map(({ worker }) => worker && stopThread(worker)))
    },
  }
}

/** As many connections in all as there are places, whichever threads the exports go to. */
const divide = (places: number, parts: number): Share[] =>
  Array.from({ length: parts }, (_, index) => ({
    places: Math.floor(places / parts) + (index < places % parts ? 1 : 0),
    running: new Map(),
    worker: undefined,
    connections: noConnections,
  }))

const freePlaces = ({ places, running }: Share): number => places - running.size

const freest = (shares: readonly Share[]): Share | undefined =>
  shares.toSorted((a, b) => freePlaces(b) - freePlaces(a))[0]

/** Reads the numbers anew each time. */
const sumOf = (shares: readonly Share[]): ConnectionCounts => {
  const sum = (name: keyof ConnectionCounts) =>
    shares.reduce((all, { connections }) => all + connections[name], 0)
  return {
    get totalCount() {
      return sum('totalCount')
    },
    get idleCount() {
      return sum('idleCount')
    },
    get waitingCount() {
      return sum('waitingCount')
    },
  }
}

const usualLimits: ExportLimits = { timeoutSeconds: 3600, stallSeconds: 60 }

const startWorker = (
  share: Share,
  { connectionString, limits = usualLimits, observe }: Options,
): Worker =>
  startThread({
    settings: { connectionString, places: share.places, ...limits },
    onReport: (report: ThreadReport) => {
      if (report.kind === 'connections') share.connections = report.counts
      else observe({ kind: 'databaseConnectionLost', error: fromPlainError(report.error) })
    },
    onEnd: (error) => {
      share.worker = undefined
      share.connections = noConnections
      for (const fail of [...share.running.keys()]) fail(error)
    },
  })

type Run = {
  readonly share: Share
  readonly worker: Worker
  readonly order: ExportOrder
  readonly listener: ExportListener
  readonly callerKey: string
}

/** Hands the order over, with a channel of its own: the end of that is how the thread is left. */
const runOrder = ({ share, worker, order, listener, callerKey }: Run): Leave => {
  const { port1: port, port2 } = new MessageChannel()
  const isRunning = () => share.running.has(fail)
  const end = () => {
    share.running.delete(fail)
    port.close()
  }
  const fail = (error: Error) => {
    end()
    listener.onFailed(error)
  }
  share.running.set(fail, callerKey)
  port.on('message', (message: ExportMessage) => {
    if (!isRunning()) return
    switch (message.kind) {
      case 'chunk':
        listener.onChunk(message, () => port.postMessage(message.buffer, [message.buffer]))
        break
      case 'sent':
        end()
        listener.onSent(message)
        break
      case 'failed':
        fail(fromPlainError(message.error))
    }
  })
  const request: ThreadRequest = { kind: 'run', order, port: port2 }
  worker.postMessage(request, [port2])
  return end
}
