/**
 * Messages between the service, a worker process, and the thread in it that runs the tasks: a request,
 * then everything that belongs to its task. They are plain data.
 */
import type { MessagePort, ResourceLimits } from 'node:worker_threads'

/** How a worker process is started; passed as JSON. */
export type ProgramSettings = {
  /** URL of the module that its thread runs. */
  readonly threadUrl: string
  readonly resourceLimits: ResourceLimits
  /** `heap` counts the heap and the buffers of the thread, `resident` all memory of the process. */
  readonly memory: { readonly counts: 'heap' | 'resident'; readonly maxBytes: number }
  /** Priority of the process, as in nice(1). */
  readonly niceness?: number
}

/** The message to a thread: the request of a task, and a channel for that task. */
export type ThreadRequest<Request> = { readonly request: Request; readonly port: MessagePort }

/** The messages to a worker process. */
export type ServiceMessage<Request> =
  | { readonly kind: 'run'; readonly request: Request }
  | RpcAnswer

/** A call of a service method. */
export type RpcCall = {
  readonly kind: 'call'
  readonly id: number
  readonly method: string
  /** Unchecked, from the caller. */
  readonly args: readonly unknown[]
}

export type RpcValue = string | Uint8Array | undefined

/** The answers to a call: chunks, then a value or an error. */
export type RpcAnswer =
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'value'; readonly id: number; readonly value: RpcValue }
  | { readonly kind: 'error'; readonly id: number; readonly message: string }

/** The messages of a thread on the channel of a task, which its process passes on; `ended` comes last. */
export type ThreadMessage<Event, Result> =
  /** The task has loaded what it needs; from now on it has this timeout. */
  | { readonly kind: 'started'; readonly timeoutMs: number }
  | { readonly kind: 'event'; readonly event: Event }
  | RpcCall
  /** The last chunk was taken: send the next one. */
  | { readonly kind: 'more'; readonly id: number }
  /** When it is not reusable, the thread ends with its process. */
  | { readonly kind: 'ended'; readonly result: Result; readonly isReusable: boolean }

/** The messages of a worker process; after `failed` it ends itself. */
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
  /** `count` tasks wait already, of all callers or of the same one. */
  | { readonly reason: 'saturated'; readonly count: number; readonly isOfCaller: boolean }
  | { readonly reason: 'stopped' }
  /** `hasStarted`: whether the task itself timed out, not its loading. */
  | { readonly reason: 'timed-out'; readonly timeoutMs: number; readonly hasStarted: boolean }
  /** The request is not plain data. */
  | { readonly reason: 'not-sent'; readonly message: string }
  | { readonly reason: 'not-started'; readonly message: string }
  | {
      readonly reason: 'process-exited'
      readonly signal: NodeJS.Signals | null
      /** The end of the process's standard error, as one line. */
      readonly stderrTail: string
    }
