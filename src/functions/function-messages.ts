/**
 * What passes between the service, a process for functions, and the thread in it that runs them: an
 * order, then all that belongs to its call. It is plain data.
 */
import type { MessagePort } from 'node:worker_threads'
import type { FunctionKind } from './find-functions.ts'
import type { FunctionDocument, FunctionSubject, LogSeverity } from './function-context.ts'
import type { Failure } from './function-fault.ts'

/** A call for a thread, which runs one at a time. */
export type CallOrder = {
  readonly kind: FunctionKind
  /** Absolute path of the module. */
  readonly path: string
  /** Undefined: the module is loaded, and nothing of it is called. */
  readonly subject: FunctionSubject | undefined
  /** Documents together have at most so many. */
  readonly mostBytes: number
}

/** The order as the thread gets it, with a channel for its call. */
export type ThreadOrder = CallOrder & { readonly port: MessagePort }

/** What a process for functions is told. */
export type ProcessMessage = { readonly kind: 'order'; readonly order: CallOrder } | ServiceMessage

/** The services by the name that `exec` knows them by. */
export type ServiceName = 'entityExport.export' | 'records.find' | 'documents.render'

export type Ask = {
  readonly kind: 'ask'
  readonly id: number
  readonly service: ServiceName
  /** As the function gave them. */
  readonly words: readonly unknown[]
}

/** How a call ended. A thread that is not reusable holds what the function left running. */
export type CallEnd = { readonly isReusable: boolean } & (
  | { readonly documents: readonly FunctionDocument[] }
  | { readonly failure: Failure }
)

/** What a thread posts, and its process passes on; `ended` comes last. */
export type CallMessage =
  | { readonly kind: 'loaded'; readonly timeoutMs: number }
  | { readonly kind: 'logged'; readonly severity: LogSeverity; readonly text: string }
  | Ask
  /** The last chunk was taken: the next one may come. */
  | { readonly kind: 'more'; readonly id: number }
  | { readonly kind: 'ended'; readonly end: CallEnd }

/** What the service answers to an ask: chunks, then a value or a refusal. */
export type ServiceMessage =
  | { readonly kind: 'chunk'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'value'; readonly id: number; readonly value: string | Uint8Array | undefined }
  | { readonly kind: 'refused'; readonly id: number; readonly message: string }
