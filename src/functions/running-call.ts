/** One call of a function, seen from the service: its services, its log and its time. */
import { errorText } from '../errors.ts'
import type { FunctionFile } from './find-functions.ts'
import type { FunctionSubject, LogSeverity } from './function-context.ts'
import type { Failure } from './function-fault.ts'
import type { CallEnd, CallMessage, ProcessMessage } from './function-messages.ts'
import type { OfferedServices } from './function-services.ts'
import { type AskDesk, openAskDesk } from './serve-asks.ts'

export type FunctionCall = {
  readonly file: FunctionFile
  /** Undefined: the file is loaded, and nothing of it is called. */
  readonly subject: FunctionSubject | undefined
}

export type CallLimits = {
  readonly loadTimeoutMs: number
  /** Documents of one call together. */
  readonly mostBytes: number
}

type Options = {
  /** Throws where the message is no plain data. */
  readonly post: (message: ProcessMessage) => void
  readonly call: FunctionCall
  readonly limits: CallLimits
  readonly services: OfferedServices
  readonly onLogged: (severity: LogSeverity, text: string) => void
}

/** Runs as soon as it is made; whatever the function does, it ends, at the latest at its timeout. */
export class RunningCall {
  readonly #options: Options
  readonly #left = new AbortController()
  readonly #ended = Promise.withResolvers<CallEnd>()
  readonly #desk: AskDesk
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options) {
    this.#options = options
    const { post, limits, services } = options
    this.#desk = openAskDesk(post, services, this.#left.signal)
    this.#limitTime(limits.loadTimeoutMs, `did not load within ${limits.loadTimeoutMs} ms`)
    this.#start()
  }

  /** Settles once; it never rejects. */
  get ended(): Promise<CallEnd> {
    return this.#ended.promise
  }

  /** Ends it from outside, such as when its process is gone. */
  fail(failure: Failure): void {
    this.#end({ failure, isReusable: false })
  }

  #start(): void {
    const { post, call, limits } = this.#options
    const { kind, path } = call.file
    const { mostBytes } = limits
    try {
      post({ kind: 'order', order: { kind, path, subject: call.subject, mostBytes } })
    } catch (error) {
      this.fail({ reason: 'threw', text: `cannot be given its subject: ${errorText(error)}` })
    }
  }

  /** Takes what its process has to say. */
  take(message: CallMessage): void {
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
    this.#left.abort()
    this.#ended.resolve(callEnd)
  }
}
