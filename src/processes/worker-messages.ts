/**
 * What passes between the service, a worker process, and the thread in it that runs the tasks: a
 * request, then all that belongs to its task. It is plain data.
 */
import type { MessagePort, ResourceLimits } from 'node:worker_threads'

/** How a worker process is started; it gets it as JSON. */
export type ProgramSettings = {
  /** URL of the module that its thread runs. */
  readonly threadUrl: string
  readonly resourceLimits: ResourceLimits
  /** `heap` counts the heap and the buffers of the thread, `resident` all memory of the process. */
  readonly memory: { readonly counts: 'heap' | 'resident'; readonly maxBytes: number }
  /** Of the process, as nice(1) has it. */
  readonly niceness?: number
}

/** What a thread gets: the request of a task, and a channel for that task alone. */
export type ThreadRequest<Request> = { readonly request: Request; readonly port: MessagePort }

/** What a worker process gets. */
export type ServiceMessage<Request> =
  | { readonly kind: 'run'; readonly request: Request }
  | RpcAnswer

/** A call of a method of the service. */
export type RpcCall = {
  readonly kind: 'call'
  readonly id: number
  readonly method: string
  /** As the caller gave them. */
  readonly args: readonly unknown[]
}

export type RpcValue = string | Uint8Array | undefined

/** What the service answers to a call: chunks, then a value or an error. */
export type RpcAnswer =
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'value'; readonly id: number; readonly value: RpcValue }
  | { readonly kind: 'error'; readonly id: number; readonly message: string }

/** What a thread posts on the channel of a task, and its process passes on; `ended` comes last. */
export type ThreadMessage<Event, Result> =
  /** What the task needed is loaded; from now on it has this time. */
  | { readonly kind: 'started'; readonly timeoutMs: number }
  | { readonly kind: 'event'; readonly event: Event }
  | RpcCall
  /** The last chunk was taken: the next one may come. */
  | { readonly kind: 'more'; readonly id: number }
  /** A thread that is not reusable ends with its process. */
  | { readonly kind: 'ended'; readonly result: Result; readonly isReusable: boolean }

/** What a worker process sends; once it has sent `failed` it ends itself. */
export type ProcessMessage<Event, Result> =
  | ThreadMessage<Event, Result>
  | { readonly kind: 'failed'; readonly failure: ThreadFailure }

type ThreadFailure =
  | { readonly reason: 'out-of-memory' }
  | {
      readonly reason: 'thread-failed'
      readonly message: string
      readonly stack: string | undefined
    }
  | { readonly reason: 'thread-exited'; readonly code: number }

/** Why a task ended without a result. */
export type WorkerFailure =
  | ThreadFailure
  /** `count` tasks wait already: all of them, or those of the same caller. */
  | { readonly reason: 'saturated'; readonly count: number; readonly isOfCaller: boolean }
  | { readonly reason: 'stopped' }
  /** `hasStarted`: whether the time is that of the task, not that of loading what it needs. */
  | { readonly reason: 'timed-out'; readonly timeoutMs: number; readonly hasStarted: boolean }
  /** The request is no plain data. */
  | { readonly reason: 'not-sent'; readonly message: string }
  | { readonly reason: 'not-started'; readonly message: string }
  | {
      readonly reason: 'process-exited'
      readonly signal: NodeJS.Signals | null
      /** The end of what the process wrote to standard error, as one line. */
      readonly stderrTail: string
    }
