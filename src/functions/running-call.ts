/** One call on a thread, seen from the main thread: its services, its log, its time and its memory. */
import { MessageChannel, type Worker } from 'node:worker_threads'
import { errorText } from '../errors.ts'
import type { FunctionFile } from './find-functions.ts'
import type { FunctionSubject, LogSeverity } from './function-context.ts'
import type { Failure } from './function-fault.ts'
import type { CallEnd, CallOrder, ThreadMessage } from './function-messages.ts'
import type { OfferedServices } from './function-services.ts'
import { type AskDesk, openAskDesk } from './serve-asks.ts'
import { watchMemory } from './watch-memory.ts'

export type FunctionCall = { readonly file: FunctionFile; readonly subject: FunctionSubject }

export type CallLimits = {
  readonly memoryBytes: number
  readonly loadTimeoutMs: number
  /** Documents of one call together. */
  readonly mostBytes: number
}

type Options = {
  readonly worker: Worker
  readonly call: FunctionCall
  readonly limits: CallLimits
  readonly services: OfferedServices
  readonly onLogged: (severity: LogSeverity, text: string) => void
}

/** Runs as soon as it is made; whatever happens in the thread, it ends, at the latest at its timeout. */
export class RunningCall {
  readonly #options: Options
  readonly #channel = new MessageChannel()
  readonly #left = new AbortController()
  readonly #ended = Promise.withResolvers<CallEnd>()
  readonly #desk: AskDesk
  readonly #stopWatching: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
    const { worker, limits, services } = options
    const { port1: port } = this.#channel
    this.#desk = openAskDesk(port, services, this.#left.signal)
    this.#stopWatching = watchMemory(worker, limits.memoryBytes, (failure) => this.fail(failure))
    this.#limitTime(limits.loadTimeoutMs, `did not load within ${limits.loadTimeoutMs} ms`)
    port.on('message', (message: ThreadMessage) => this.#take(message))
    this.#start()
  }

  /** Settles once; it never rejects. */
  get ended(): Promise<CallEnd> {
    return this.#ended.promise
  }

  /** Ends it from outside, such as when its thread is gone. */
  fail(failure: Failure): void {
    this.#end({ failure, isReusable: false })
  }

  #start(): void {
    const { worker, call, limits } = this.#options
    const { kind, path } = call.file
    const { mostBytes } = limits
    const { port2: port } = this.#channel
    const order: CallOrder = { kind, path, subject: call.subject, mostBytes, port }
    try {
      worker.postMessage(order, [port])
    } catch (error) {
      this.fail({ reason: 'threw', text: `cannot be given its subject: ${errorText(error)}` })
    }
  }

  #take(message: ThreadMessage): void {
    switch (message.kind) {
      case 'loaded':
        this.#limitTime(message.timeoutMs, `timed out after ${message.timeoutMs} ms`)
        break
      case 'logged':
        this.#options.onLogged(message.severity, message.text)
        break
      case 'ask':
        this.#desk.ask(message)
        break
      case 'more':
        this.#desk.more(message.id)
        break
      case 'ended':
        this.#end(message.end)
    }
  }

  /** In the place of the limit before. */
  #limitTime(ms: number, text: string): void {
    clearTimeout(this.#timer)
    const onLate = () => this.fail({ reason: 'timed-out', text })
    // One turn of the event loop later, so that an answer which waits beside the timer still counts.
    this.#timer = setTimeout(() => setImmediate(onLate), ms)
  }

  #end(callEnd: CallEnd): void {
    clearTimeout(this.#timer)
    this.#stopWatching()
    this.#left.abort()
    this.#channel.port1.close()
    this.#ended.resolve(callEnd)
  }
}
