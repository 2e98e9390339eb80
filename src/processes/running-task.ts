/** One task in a worker process, seen from the service: its time, its calls, its end. */
import { errorText } from '../errors.ts'
import { RpcHost, type RpcMethods } from './rpc-host.ts'
import type { ProcessMessage, ServiceMessage, WorkerFailure } from './worker-messages.ts'

type Options<Request, Event> = {
  /** Throws where the message is no plain data. */
  readonly post: (message: ServiceMessage<Request>) => void
  readonly request: Request
  /** Until the task says that it has started, with a time of its own, or ends. */
  readonly timeoutMs: number
  readonly methods: RpcMethods
  readonly onEvent: (event: Event) => void
}

/** How a task ended. A process that is not reusable holds what the task left running. */
export type TaskEnd<Result> =
  | { readonly result: Result; readonly isReusable: boolean }
  | { readonly failure: WorkerFailure; readonly isReusable: false }

/** Runs as soon as it is made; whatever the task does, it ends, at the latest at its timeout. */
export class RunningTask<Request, Event, Result> {
  readonly #options: Options<Request, Event>
  readonly #ending = new AbortController()
  readonly #ended = Promise.withResolvers<TaskEnd<Result>>()
  readonly #rpc: RpcHost
  #timer: NodeJS.Timeout | undefined

  constructor(options: Options<Request, Event>) {
    this.#options = options
    const { post, methods, timeoutMs } = options
    this.#rpc = new RpcHost({ post, methods, signal: this.#ending.signal })
    this.#limitTime(timeoutMs, false)
    this.#start()
  }

  /** Settles once; it never rejects. */
  get ended(): Promise<TaskEnd<Result>> {
    return this.#ended.promise
  }

  /** Ends it from outside, such as when its process has exited. */
  fail(failure: WorkerFailure): void {
    this.#end({ failure, isReusable: false })
  }

  onMessage(message: ProcessMessage<Event, Result>): void {
    switch (message.kind) {
      case 'started':
        this.#limitTime(message.timeoutMs, true)
        break
      case 'event':
        this.#options.onEvent(message.event)
        break
      case 'call':
        this.#rpc.call(message)
        break
      case 'more':
        this.#rpc.more(message.id)
        break
      case 'ended':
        this.#end(message)
        break
      case 'failed':
        this.fail(message.failure)
    }
  }

  #start(): void {
    const { post, request } = this.#options
    try {
      post({ kind: 'run', request })
    } catch (error) {
      this.fail({ reason: 'not-sent', message: errorText(error) })
    }
  }

  /** Replaces the limit before. */
  #limitTime(timeoutMs: number, hasStarted: boolean): void {
    clearTimeout(this.#timer)
    const onLate = () => this.fail({ reason: 'timed-out', timeoutMs, hasStarted })
    // One turn of the event loop later, so that an answer which waits beside the timer still counts.
    this.#timer = setTimeout(() => setImmediate(onLate), timeoutMs)
  }

  #end(end: TaskEnd<Result>): void {
    clearTimeout(this.#timer)
    this.#ending.abort()
    this.#ended.resolve(end)
  }
}
