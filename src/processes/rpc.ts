/**
 * Calls of the service by a task in a worker process: the thread of the task calls, the service answers. Bytes are sent
 * chunk by chunk: the next one is made when the task has taken the last, so that the service never holds a whole file.
 */
import type { MessagePort } from 'node:worker_threads'
import { errorText } from '../errors.ts'
import type { RpcAnswer, RpcCall, RpcValue, ThreadMessage } from './worker-messages.ts'

type RpcContext = {
  /** Aborted when the answer is not awaited any more. */
  readonly signal: AbortSignal
  /** Resolves when the task has taken the chunk; throws when the rest is not awaited. */
  readonly sendChunk: (bytes: Uint8Array) => Promise<void>
}

/** The methods that a task may call; what a method throws is thrown in the task. */
export type RpcMethods = ReadonlyMap<
  string,
  (args: readonly unknown[], context: RpcContext) => Promise<RpcValue>
>

type Options = {
  readonly post: (answer: RpcAnswer) => void
  readonly methods: RpcMethods
  readonly signal: AbortSignal
}

// Limits the load that one task can put on the service.
const maxConcurrent = 4

/** Answers until the signal is aborted, a few calls at once; further calls wait. */
export class RpcHost {
  readonly #options: Options
  readonly #waiting: RpcCall[] = []
  /** Resumes the method of a call when its chunk was taken. */
  readonly #continue = new Map<number, () => void>()
  #running = 0

  constructor(options: Options) {
    this.#options = options
    options.signal.addEventListener('abort', () => {
      for (const resume of this.#continue.values()) resume()
    })
  }

  call(call: RpcCall): void {
    this.#waiting.push(call)
    this.#next()
  }

  /** The task has taken the last chunk of a call. */
  more(id: number): void {
    this.#continue.get(id)?.()
  }

  #next(): void {
    const isFree = this.#running < maxConcurrent && !this.#options.signal.aborted
    const call = isFree ? this.#waiting.shift() : undefined
    if (!call) return
    this.#running += 1
    void this.#answer(call).finally(() => {
      this.#running -= 1
      this.#next()
    })
  }

  async #answer({ id, method, args }: RpcCall): Promise<void> {
    const { methods, signal } = this.#options
    const sendChunk = (bytes: Uint8Array) => this.#sendChunk(id, bytes)
    try {
      const run = methods.get(method)
      if (!run) throw new Error(`There is no method ${method}.`)
      this.#post({ kind: 'value', id, value: await run(args, { signal, sendChunk }) })
    } catch (error) {
      this.#post({ kind: 'error', id, message: errorText(error) })
    }
  }

  async #sendChunk(id: number, bytes: Uint8Array): Promise<void> {
    const { signal } = this.#options
    signal.throwIfAborted()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#continue.set(id, resolve)
    this.#post({ kind: 'chunk', id, bytes })
    await promise
    this.#continue.delete(id)
    signal.throwIfAborted()
  }

  #post(answer: RpcAnswer): void {
    if (!this.#options.signal.aborted) this.#options.post(answer)
  }
}

type Pending = {
  readonly chunks: Uint8Array[]
  readonly resolve: (value: RpcValue) => void
  readonly reject: (error: Error) => void
}

type RpcClient = {
  /** The value of the method, or all of its chunks. */
  readonly call: (method: string, args: readonly unknown[]) => Promise<string | Uint8Array>
}

/** Calls on `port` until it is closed. */
export const createRpcClient = (port: MessagePort): RpcClient => {
  const pending = new Map<number, Pending>()
  let lastId = 0
  port.on('message', (answer: RpcAnswer) => {
    const call = pending.get(answer.id)
    if (!call) return
    if (answer.kind === 'chunk') {
      call.chunks.push(answer.bytes)
      port.postMessage({ kind: 'more', id: answer.id } satisfies ThreadMessage<never, never>)
      return
    }
    pending.delete(answer.id)
    if (answer.kind === 'value') call.resolve(answer.value)
    else call.reject(new Error(answer.message))
  })
  return {
    call: async (method, args) => {
      const chunks: Uint8Array[] = []
      lastId += 1
      const id = lastId
      const value = await new Promise<RpcValue>((resolve, reject) => {
        // First, because data that cannot be posted throws here.
        port.postMessage({ kind: 'call', id, method, args } satisfies RpcCall)
        pending.set(id, { chunks, resolve, reject })
      })
      return value ?? Buffer.concat(chunks)
    },
  }
}
