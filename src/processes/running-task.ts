/** One task in a worker process, on the service's side: its timeout, its calls, its end. */
import { errorText } from '../errors.ts'
import { RpcHost, type RpcMethods } from './rpc-host.ts'
import type { ProcessMessage, ServiceMessage, WorkerFailure } from './worker-messages.ts'

export type TaskOptions<Task, Request, Event> = {
  /** Until the task ends, or reports that it has started with a timeout of its own. */
  readonly timeoutMs: number
  /** The message for the process: plain data. */
  readonly toRequest: (task: Task) => Request
  readonly methods?: RpcMethods
  readonly onEvent?: (task: Task, event: Event) => void
}

/** Throws when the message is not plain data. */
type Post<Request> = (message: ServiceMessage<Request>) => void

/** How a task ended. A process is not reusable when the task left something running in it. */
export type TaskEnd<Result> =
  | { readonly result: Result; readonly isReusable: boolean }
  | { readonly failure: WorkerFailure; readonly isReusable: false }

const noMethods: RpcMethods = new Map()

/** Starts when it is constructed, and always ends, at the latest at its timeout. */
export class RunningTask<Task, Request, Event, Result> {
  readonly #task: Task
  readonly #options: TaskOptions<Task, Request, Event>
  readonly #ending = new AbortController()
  readonly #ended = Promise.withResolvers<TaskEnd<Result>>()
  readonly #rpc: RpcHost
  #timer: NodeJS.Timeout | undefined

  constructor(task: Task, options: TaskOptions<Task, Request, Event>, post: Post<Request>) {
    this.#task = task
    this.#options = options
    const { timeoutMs, methods = noMethods } = options
    this.#rpc = new RpcHost({ post, methods, signal: this.#ending.signal })
    this.#limitTime(timeoutMs, false)
    try {
      post({ kind: 'run', request: options.toRequest(task) })
    } catch (error) {
      this.fail({ reason: 'not-sent', message: errorText(error) })
    }
  }

  /** Settles once; it never rejects. */
  get ended(): Promise<TaskEnd<Result>> {
    return this.#ended.promise
  }

  /** Ends the task, for example because its process has exited. */
  fail(failure: WorkerFailure): void {
    this.#end({ failure, isReusable: false })
  }

  onMessage(message: ProcessMessage<Event, Result>): void {
    switch (message.kind) {
      case 'started':
        this.#limitTime(message.timeoutMs, true)
        break
      case 'event':
        this.#options.onEvent?.(this.#task, message.event)
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

  /** Replaces the previous timeout. */
  #limitTime(timeoutMs: number, hasStarted: boolean): void {
    clearTimeout(this.#timer)
    const onLate = () => this.fail({ reason: 'timed-out', timeoutMs, hasStarted })
    // One turn of the event loop later, so that an answer that has already arrived still counts.
    this.#timer = setTimeout(() => setImmediate(onLate), timeoutMs)
  }

  #end(end: TaskEnd<Result>): void {
    clearTimeout(this.#timer)
    this.#ending.abort()
    this.#ended.resolve(end)
  }
}
