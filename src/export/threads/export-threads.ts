/**
 * The threads that run exports, so that no other request waits while rows are read, framed and
 * compressed. Each has its part of the slots; one that exits fails its own exports only, and the
 * next export starts another in its stead.
 */
import { availableParallelism } from 'node:os'
import { MessageChannel } from 'node:worker_threads'
import type { Observe } from '../../observations.ts'
import { fromPlainError } from '../../processes/plain-error.ts'
import { programBeside } from '../../processes/program-beside.ts'
import { type ServiceThread, startServiceThread } from '../../processes/service-thread.ts'
import type {
  Chunk,
  ConnectionCounts,
  ExportLimits,
  ExportMessage,
  ExportTask,
  Sent,
  ThreadReport,
  ThreadRequest,
  ThreadSettings,
} from '../export-task.ts'

/** Hears what an export sends; of `onSent` and `onFailed` one comes last. */
export type ExportListener = {
  /** `release` is called when the bytes are written: the thread fills the buffer again. */
  readonly onChunk: (chunk: Chunk, release: () => void) => void
  readonly onSent: (sent: Sent) => void
  readonly onFailed: (error: Error) => void
}

export type ExportThreads = {
  /** Runs an order and answers with how to cancel it; undefined when all slots are taken. */
  readonly run: (
    order: ExportTask,
    listener: ExportListener,
    callerKey: string,
  ) => Cancel | undefined
  readonly atOnce: number
  /** Half of the slots, so that one caller does not take them all. */
  readonly maxPerCaller: number
  /** How many exports of a caller run. */
  readonly countOf: (callerKey: string) => number
  /** Of all threads together, always as it is now. */
  readonly connections: ConnectionCounts
  /** Ends what still runs, then the threads and their connections. */
  readonly stop: () => Promise<void>
}

/** Ends the query; nothing is heard afterwards. */
export type Cancel = () => void

type Options = {
  readonly connectionString: string
  /** Exports that run side by side, in all threads together. */
  readonly atOnce: number
  readonly limits?: ExportLimits
  readonly observe: Observe
  readonly threadCount?: number
}

/** Some of the slots, with the program that runs their exports; it starts with the first of them. */
type ExportThread = {
  readonly slots: number
  /** How to end each of its exports, with whose it is. */
  readonly running: Map<(error: Error) => void, string>
  program: ServiceThread | undefined
  connections: ConnectionCounts
}

const noConnections: ConnectionCounts = { totalCount: 0, idleCount: 0, waitingCount: 0 }

// One core is left to everybody else. Measured on 2 cores with 4 exports at once: beside 1 thread a
// reader's p99 was 1.6 times that of an idle service, beside 4 threads 4 times.
const defaultThreadCount = (): number => Math.max(1, availableParallelism() - 1)

/** Threads are started when they are needed; the first at once, so that no export waits for it. */
export const createExportThreads = (options: Options): ExportThreads => {
  const { atOnce, threadCount = defaultThreadCount() } = options
  const threads = divide(atOnce, Math.min(atOnce, threadCount))
  let isStopped = false
  const programOf = (thread: ExportThread): ServiceThread => {
    thread.program ??= startProgram(thread, options)
    return thread.program
  }
  if (threads[0]) programOf(threads[0])
  return {
    atOnce,
    maxPerCaller: Math.max(1, Math.floor(atOnce / 2)),
    countOf: (callerKey) =>
      threads.flatMap(({ running }) => [...running.values()]).filter((key) => key === callerKey)
        .length,
    run: (order, listener, callerKey) => {
      const thread = leastBusy(threads)
      if (isStopped || !thread || freeSlots(thread) === 0) return undefined
      return runExport({ thread, program: programOf(thread), order, listener, callerKey })
    },
    connections: sumOf(threads),
    stop: async () => {
      isStopped = true
      for (const { running } of threads)
        for (const fail of [...running.keys()]) fail(new Error('The service stops.'))
      await Promise.all(threads.map(({ program }) => program?.stop(stopTimeoutMs)))
    },
  }
}

/** As many connections in all as there are slots, whichever threads the exports go to. */
const divide = (slots: number, parts: number): ExportThread[] =>
  Array.from({ length: parts }, (_, index) => ({
    slots: Math.floor(slots / parts) + (index < slots % parts ? 1 : 0),
    running: new Map(),
    program: undefined,
    connections: noConnections,
  }))

const freeSlots = ({ slots, running }: ExportThread): number => slots - running.size

const leastBusy = (threads: readonly ExportThread[]): ExportThread | undefined =>
  threads.toSorted((a, b) => freeSlots(b) - freeSlots(a))[0]

/** Reads the numbers anew each time. */
const sumOf = (threads: readonly ExportThread[]): ConnectionCounts => {
  const sum = (name: keyof ConnectionCounts) =>
    threads.reduce((all, { connections }) => all + connections[name], 0)
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

const defaultLimits: ExportLimits = { timeoutSeconds: 3600, stallSeconds: 60 }

// A thread holds about 10 MiB, for rows are not kept in its heap.
const maxHeapMiB = 256
const stopTimeoutMs = 2000

/** The thread does not keep the process alive. */
const startProgram = (
  thread: ExportThread,
  { connectionString, limits = defaultLimits, observe }: Options,
): ServiceThread => {
  const program = startServiceThread<ThreadReport>({
    name: 'export',
    program: programBeside(import.meta.url, 'export-thread'),
    settings: { connectionString, slots: thread.slots, ...limits } satisfies ThreadSettings,
    maxHeapMiB,
    onMessage: (report) => {
      if (report.kind === 'connections') thread.connections = report.counts
      else observe({ kind: 'databaseConnectionLost', error: fromPlainError(report.error) })
    },
  })
  void program.ended.then((error) => {
    thread.program = undefined
    thread.connections = noConnections
    for (const fail of [...thread.running.keys()]) fail(error)
  })
  // Last, for a listener makes it keep the process alive again.
  program.worker.unref()
  return program
}

type Run = {
  readonly thread: ExportThread
  readonly program: ServiceThread
  readonly order: ExportTask
  readonly listener: ExportListener
  readonly callerKey: string
}

/** Posts the order with a channel of its own; closing the channel cancels the export. */
const runExport = ({ thread, program, order, listener, callerKey }: Run): Cancel => {
  const { port1: port, port2 } = new MessageChannel()
  const isRunning = () => thread.running.has(fail)
  const end = () => {
    thread.running.delete(fail)
    port.close()
  }
  const fail = (error: Error) => {
    end()
    listener.onFailed(error)
  }
  thread.running.set(fail, callerKey)
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
  program.worker.postMessage(request, [port2])
  return end
}
