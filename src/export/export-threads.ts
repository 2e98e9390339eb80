/**
 * Threads that run exports, so that no other request waits while rows are read, formatted and compressed.
 * The slots are divided between them. A thread that exits fails only its own exports, and the next export
 * starts a new one.
 */
import { availableParallelism } from 'node:os'
import { MessageChannel } from 'node:worker_threads'
import { sumOfCounts } from '../database/connections/count-connections.ts'
import { isAway, isBehind, mayAnswerElsewhere } from '../database/replicas/reads.ts'
import type { ReplicaAddress } from '../database/replicas/replica.ts'
import type { Observe } from '../observations.ts'
import { fromPlainError } from '../processes/plain-error.ts'
import {
  programBeside,
  type ServiceThread,
  startServiceThread,
} from '../processes/service-thread.ts'
import {
  type Chunk,
  type ConnectionCounts,
  connectionCounts,
  type ExportLimits,
  type ExportMessage,
  type ExportTarget,
  type ExportTask,
  type Sent,
  type ThreadReport,
  type ThreadRequest,
  type ThreadSettings,
  type ThreadShare,
} from './export-task.ts'

/** Receives what an export sends; `onSent` or `onFailed` comes last. */
export type ExportListener = {
  /** Call `release` when the bytes are written: the thread reuses the buffer. */
  readonly onChunk: (chunk: Chunk, release: () => void) => void
  readonly onSent: (sent: Sent) => void
  readonly onFailed: (error: Error) => void
}

export type ExportThreads = {
  /** Starts the first thread, so that no export waits for it. */
  readonly startFirst: () => void
  /** Runs a task and returns how to cancel it; undefined when no slot is free. */
  readonly run: (
    task: ExportTask,
    listener: ExportListener,
    callerKey: string,
    target?: ExportTarget,
  ) => Cancel | undefined
  readonly atOnce: number
  /** How many a caller may run now: half of what others leave, so that no few callers can use all slots. */
  readonly shareOf: (callerKey: string) => number
  readonly countOf: (callerKey: string) => number
  /** Live counts of all threads together. */
  readonly connections: ConnectionCounts
  /** Fails running exports, then ends the threads and their connections. */
  readonly stop: () => Promise<void>
}

/** Ends the query; the listener is not called afterwards. */
export type Cancel = () => void

type Options = {
  /** The primary, and then the replicas. */
  readonly servers: readonly ReplicaAddress[]
  /** Maximum of exports at once, in all threads together. */
  readonly atOnce: number
  /** Maximum of exports at once that take several connections; the others take one. */
  readonly dividedAtOnce?: number
  /** Maximum connections of one export. */
  readonly connectionsEach?: number
  readonly limits?: ExportLimits
  readonly observe: Observe
  readonly threadCount?: number
}

/** Some of the slots, with the program that runs their exports; it starts with the first of them. */
type ExportThread = ThreadShare & {
  /** How to fail each running export, with its caller. */
  readonly running: Map<(error: Error) => void, string>
  /** How many exports run in all threads. */
  readonly counter: Int32Array<SharedArrayBuffer>
  program: ServiceThread | undefined
  connections: ConnectionCounts
}

const noConnections: ConnectionCounts = { totalCount: 0, idleCount: 0, waitingCount: 0 }

// One core is left for other work. Measured on 2 cores with 4 exports at once: with 1 thread a reader's
// p99 was 1.6 times that of an idle service, with 4 threads 4 times.
const defaultThreadCount = (): number => Math.max(1, availableParallelism() - 1)

/** Each thread starts with its first export. */
export const createExportThreads = (options: Options): ExportThreads => {
  const { atOnce, threadCount = defaultThreadCount() } = options
  const threads = divide(options, Math.min(atOnce, threadCount))
  let isStopped = false
  const programOf = (thread: ExportThread): ServiceThread => {
    thread.program ??= startProgram(thread, options)
    return thread.program
  }
  const callers = () => threads.flatMap(({ running }) => [...running.values()])
  return {
    startFirst: () => {
      if (threads[0] && !isStopped) programOf(threads[0])
    },
    atOnce,
    shareOf: (callerKey) =>
      Math.max(1, Math.floor((atOnce - callers().filter((key) => key !== callerKey).length) / 2)),
    countOf: (callerKey) => callers().filter((key) => key === callerKey).length,
    run: (task, listener, callerKey, target = { server: 0 }) => {
      const thread = leastBusy(threads)
      if (isStopped || !thread || freeSlots(thread) === 0) return undefined
      return postExport({ thread, program: programOf(thread), task, listener, callerKey, target })
    },
    connections: sumOfCounts(connectionCounts, () => threads.map((one) => one.connections)),
    stop: async () => {
      isStopped = true
      for (const { running } of threads)
        for (const fail of [...running.keys()]) fail(new Error('The service stops.'))
      await Promise.all(threads.map(({ program }) => program?.stop(stopTimeoutMs)))
    },
  }
}

/** Each thread has its own share of the connections, so there are never more of them in all. */
const divide = (
  { atOnce, dividedAtOnce = 0, connectionsEach = 1 }: Options,
  parts: number,
): ExportThread[] => {
  const partOf = (all: number, index: number) =>
    Math.floor(all / parts) + (index < all % parts ? 1 : 0)
  const counter = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  return Array.from({ length: parts }, (_, index) => ({
    slots: partOf(atOnce, index),
    dividedAtOnce: partOf(dividedAtOnce, index),
    connectionsEach,
    running: new Map(),
    counter,
    program: undefined,
    connections: noConnections,
  }))
}

const freeSlots = ({ slots, running }: ExportThread): number => slots - running.size

const leastBusy = (threads: readonly ExportThread[]): ExportThread | undefined =>
  threads.toSorted((a, b) => freeSlots(b) - freeSlots(a))[0]

const defaultLimits: ExportLimits = { timeoutSeconds: 3600, stallSeconds: 60 }

// A thread uses about 10 MiB, because rows are not kept in its heap.
const maxHeapMiB = 256
const stopTimeoutMs = 2000

/** The thread does not keep the process alive. */
const startProgram = (
  thread: ExportThread,
  { servers, dividedAtOnce: dividedInAll = 0, ...options }: Options,
): ServiceThread => {
  const { limits = defaultLimits, observe } = options
  const { slots, dividedAtOnce, connectionsEach, counter } = thread
  const program = startServiceThread<ThreadReport>({
    name: 'export',
    program: programBeside(import.meta.url, 'export-thread'),
    settings: {
      servers,
      slots,
      dividedAtOnce,
      connectionsEach,
      running: counter,
      dividedInAll,
      ...limits,
    } satisfies ThreadSettings,
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
  readonly task: ExportTask
  readonly listener: ExportListener
  readonly callerKey: string
  readonly target: ExportTarget
}

/** Posts the task with a channel of its own; closing the channel cancels the export. */
const postExport = ({ thread, program, task, listener, callerKey, target }: Run): Cancel => {
  const { port1: port, port2 } = new MessageChannel()
  const isRunning = () => thread.running.has(fail)
  const end = () => {
    if (thread.running.delete(fail)) Atomics.sub(thread.counter, 0, 1)
    port.close()
  }
  const fail = (error: Error) => {
    end()
    listener.onFailed(error)
  }
  thread.running.set(fail, callerKey)
  Atomics.add(thread.counter, 0, 1)
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
  const { server, requires } = target
  const place = { server, ...(requires !== undefined && { requires }) }
  const request: ThreadRequest = { kind: 'run', task, target: place, port: port2 }
  program.worker.postMessage(request, [port2])
  return end
}

type TargetOptions = {
  /** The best first; the last is the primary. */
  readonly targets: readonly ExportTarget[]
  readonly listener: ExportListener
  /** Undefined: no slot is free. */
  readonly run: (target: ExportTarget, listener: ExportListener) => Cancel | undefined
  /** Called before the export runs again elsewhere, unless the replica only lacks what the caller requires. */
  readonly onMoved: (error: Error) => void
}

/** Returns how to cancel the export, wherever it runs; undefined when no slot is free. */
export const runOnTargets = (options: TargetOptions): Cancel | undefined => {
  const { targets, listener, run, onMoved } = options
  const [target, ...others] = targets
  if (!target) return undefined
  let hasBegun = false
  let again: Cancel | undefined
  const onFailed = (error: Error) => {
    ignoreAway?.()
    if (hasBegun || others.length === 0 || !mayAnswerElsewhere(error))
      return listener.onFailed(error)
    if (isAway(error)) target.leave?.(error)
    if (!isBehind(error)) onMoved(error)
    again = runOnTargets({ ...options, targets: others })
    if (!again) listener.onFailed(error)
  }
  const cancel = run(target, {
    onChunk: (chunk, release) => {
      hasBegun = true
      ignoreAway?.()
      listener.onChunk(chunk, release)
    },
    onSent: (sent) => {
      ignoreAway?.()
      listener.onSent(sent)
    },
    onFailed,
  })
  // One that has sent bytes goes on: the replica may come back, and no other server can continue it.
  const ignoreAway = target.onFoundAway?.((error) => {
    cancel?.()
    onFailed(error)
  })
  if (!cancel) ignoreAway?.()
  return (
    cancel &&
    (() => {
      ignoreAway?.()
      ;(again ?? cancel)()
    })
  )
}
