/**
 * The program of a worker process. Tasks run in its thread, while this side checks the memory and passes
 * messages on. Beyond the limit the process kills itself, because nothing else stops native code, or a
 * single operation that allocates gigabytes.
 */
import { setPriority } from 'node:os'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type {
  ProcessMessage,
  ProgramSettings,
  RpcAnswer,
  ServiceMessage,
  ThreadMessage,
  ThreadRequest,
} from './worker-messages.ts'

type Failed = Extract<ProcessMessage<unknown, unknown>, { kind: 'failed' }>
type RunningTask = { readonly port: MessagePort; readonly watch: NodeJS.Timeout }

// A loop that fills a Map reaches 256 MiB after a second; one that makes buffers, after 50 ms.
const intervalMs = 25

const settings: ProgramSettings = JSON.parse(process.argv[2] ?? '')
const { threadUrl, resourceLimits, memory, niceness } = settings

try {
  // Before the thread starts, which inherits the setting.
  if (niceness !== undefined) setPriority(niceness)
} catch {
  // Some systems do not allow it; then its tasks keep the normal priority.
}

// Its output is separate from the service's, and it does not see the settings as arguments.
const options = { argv: [], stdout: true, stderr: true, resourceLimits }
const thread = new Worker(new URL(threadUrl), options)
let running: RunningTask | undefined
let threadError: NodeJS.ErrnoException | undefined
let hasFailed = false
let isMeasuring = false

process.on('message', (message: ServiceMessage<unknown>) => {
  if (message.kind === 'run') begin(message.request)
  else running?.port.postMessage(...transferable(message))
})
// The service has exited.
process.on('disconnect', () => end())
thread.on('error', (error: Error) => {
  threadError = error
})
thread.once('exit', (code) => fail(failureOf(code)))

const begin = (request: unknown): void => {
  const { port1, port2 } = new MessageChannel()
  running = { port: port1, watch: setInterval(() => void checkMemory(), intervalMs) }
  port1.on('message', pass)
  const threadRequest: ThreadRequest<unknown> = { request, port: port2 }
  thread.postMessage(threadRequest, [port2])
}

const pass = (message: ThreadMessage<unknown, unknown>): void => {
  if (message.kind === 'ended') finish()
  process.send?.(message)
}

const finish = (): void => {
  clearInterval(running?.watch)
  running?.port.close()
  running = undefined
}

const checkMemory = async (): Promise<void> => {
  if (isMeasuring) return
  isMeasuring = true
  const bytes = memory.counts === 'resident' ? process.memoryUsage.rss() : await heapBytes()
  isMeasuring = false
  if (running && bytes > memory.maxBytes) fail({ reason: 'out-of-memory' })
}

/** V8 limits the heap of the thread, but does not count buffers. */
const heapBytes = async (): Promise<number> => {
  const statistics = await thread.getHeapStatistics().catch(() => undefined)
  return statistics ? statistics.used_heap_size + statistics.external_memory : 0
}

const fail = (failure: Failed['failure']): void => {
  if (hasFailed) return
  hasFailed = true
  finish()
  const message: Failed = { kind: 'failed', failure }
  if (process.send) process.send(message, end)
  else end()
}

/** SIGKILL, because process.exit() would wait for the thread. */
const end = (): void => {
  process.kill(process.pid, 'SIGKILL')
}

const failureOf = (code: number): Failed['failure'] => {
  if (threadError?.code === 'ERR_WORKER_OUT_OF_MEMORY') return { reason: 'out-of-memory' }
  if (!threadError) return { reason: 'thread-exited', code }
  const { message, stack } = threadError
  return { reason: 'thread-failed', message, stack }
}

/**
 * Bytes in a buffer of exactly their length, so that it can be transferred: the received one may hold
 * others.
 */
const transferable = (message: RpcAnswer): [RpcAnswer, ArrayBuffer[]] => {
  if (message.kind === 'chunk') {
    const bytes = new Uint8Array(message.bytes)
    return [{ ...message, bytes }, [bytes.buffer]]
  }
  if (message.kind === 'value' && typeof message.value === 'object') {
    const value = new Uint8Array(message.value)
    return [{ ...message, value }, [value.buffer]]
  }
  return [message, []]
}
