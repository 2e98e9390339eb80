/** What the code of a project meets: the context of `exec`, and the answer it gives (docs/functions.md). */
import type { TakenAction } from '../definitions/notification-matching.ts'
import type { FunctionRecord, FunctionServices } from './function-services.ts'

/** What a function is called for: plain data, that a thread can be given. */
export type FunctionSubject = {
  readonly entityKey: string
  readonly entityId: number
  readonly record: FunctionRecord
  /** The user who made the change; null when nobody did. */
  readonly actor: FunctionRecord | null
  /** What was done to the record; null when a function is tried by hand. */
  readonly operation: string | null
  /** The workflow action that was taken, if one was. */
  readonly action: FunctionAction | null
  /** What the actor said about it. */
  readonly comment: string | null
  /** What differs since the change, field by field; without `before` where the record is new. Of a handler. */
  readonly changes: FunctionChanges | null
}

/** A workflow action, with what people call it and the steps that the record left and reached. */
export type FunctionAction = TakenAction & {
  readonly name: string
  readonly from_name: string
  readonly to_name: string
}

/** Values as the history of a record shows them. */
type FunctionChanges = Readonly<
  Record<string, { readonly before?: unknown; readonly after: unknown }>
>

export type LogSeverity = 'debug' | 'info' | 'warn' | 'error'

/** Writes to the log of the service; takes what `console.log` takes. */
export type FunctionLog = { readonly [Severity in LogSeverity]: (...parts: unknown[]) => void }

export type FunctionContext = FunctionSubject & {
  readonly services: FunctionServices
  readonly log: FunctionLog
}

/** A file that a document function made. */
export type FunctionDocument = {
  readonly filename: string
  readonly mimetype: string
  readonly data: Uint8Array
}

/** As a function may give it; an ArrayBuffer is taken as its bytes. */
type Given = Omit<FunctionDocument, 'data'> & { readonly data: Uint8Array | ArrayBuffer }
type Answer = { readonly documents: readonly Given[] }

/** `exec` of `document-functions/<name>`. */
export type DocumentFunction = (context: FunctionContext) => Answer | Promise<Answer>

/** `exec` of `message-handlers/<name>`; what it answers is not looked at. */
export type MessageHandler = (context: FunctionContext) => unknown
