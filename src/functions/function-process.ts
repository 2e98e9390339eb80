/**
 * A process for functions. They run in its thread, while this side watches the memory and passes
 * messages on: what a function does to a whole process, such as one table of gigabytes, ends this one.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { Failure } from './function-fault.ts'
import type {
  CallEnd,
  CallMessage,
  CallOrder,
  ProcessMessage,
  ServiceMessage,
  ThreadOrder,
} from './function-messages.ts'
import { hardLimitFactor, outOfMemory, watchMemory } from './watch-memory.ts'

// The built package has .js where the source has .ts.
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
const memoryBytes = Number(process.argv[2])

const thread = new Worker(new URL(`./function-thread${extension}`, import.meta.url), {
  name: 'function',
  argv: [],
  stdout: true,
  stderr: true,
  resourceLimits: {
    maxOldGenerationSizeMb: Math.ceil((memoryBytes * hardLimitFactor) / 1_048_576),
  },
})

type Running = { readonly port: MessagePort; readonly stopWatching: () => void }

let running: Running | undefined
let threadError: unknown

process.on('message', (message: ProcessMessage) => {
  if (message.kind === 'order') begin(message.order)
  else running?.port.postMessage(...movable(message))
})
// The service is gone.
process.on('disconnect', () => end())
thread.on('error', (error) => {
  threadError = error
})
thread.once('exit', (code) => (running ? fail(failureOf(code)) : end()))

const begin = (order: CallOrder): void => {
  const { port1, port2 } = new MessageChannel()
  running = { port: port1, stopWatching: watchMemory(thread, memoryBytes, fail) }
  port1.on('message', pass)
  const threadOrder: ThreadOrder = { ...order, port: port2 }
  thread.postMessage(threadOrder, [port2])
}

const pass = (message: CallMessage): void => {
  if (message.kind === 'ended') finish(message.end)
  else process.send?.(message)
}

const fail = (failure: Failure): void => finish({ failure, isReusable: false })

/** Once per call. */
const finish = (callEnd: CallEnd): void => {
  if (!running) return
  running.stopWatching()
  running.port.close()
  running = undefined
  process.send?.({ kind: 'ended', end: callEnd } satisfies CallMessage)
}

/** At once: to exit would be to wait for the thread. */
const end = (): void => {
  process.kill(process.pid, 'SIGKILL')
}

const failureOf = (code: number): Failure => {
  const { code: kind } = (threadError ?? {}) as NodeJS.ErrnoException
  if (kind === 'ERR_WORKER_OUT_OF_MEMORY') return outOfMemory(memoryBytes)
  if (threadError instanceof Error) {
    const { message, stack } = threadError
    return { reason: 'threw', text: `threw "${message}"`, stack }
  }
  return { reason: 'exited', text: `exited with code ${code} instead of answering` }
}

/** Bytes in a buffer of just their length, to be moved on: the one they came in may hold others. */
const movable = (message: ServiceMessage): [ServiceMessage, ArrayBuffer[]] => {
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
