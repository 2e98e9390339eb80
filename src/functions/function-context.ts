/**
 * The types of a project's code (docs/functions.md): the context and the answer of `exec`, and the services that a function
 * may call. The main thread provides them; `exec` sees them as promises, in any thread.
 */
import type { TakenAction } from '../definitions/notification-rules.ts'

/** A request to export records, with query criteria as in a search (docs/criteria.md). */
export type EntityExport = {
  readonly entityKey: string
  readonly criteria: unknown
  /** csv, xlsx, ndjson, json or parquet; csv when it is undefined. */
  readonly format: string | undefined
}

/** A file of a record, by its id there. */
export type RequestedFile = {
  readonly entityKey: string
  readonly entityId: number
  readonly fileId: number
}

/** Implements the services. `signal` is aborted when nobody waits for the result any more. */
export type OfferedServices = {
  /** The bytes, chunk by chunk; the next chunk is made on demand. */
  readonly exportEntity: (request: EntityExport, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** The records that criteria match, as the text of one JSON array. */
  readonly findRecords: (entityKey: string, criteria: unknown) => Promise<string>
  /** A printable document, such as a PDF. */
  readonly renderDocument: (
    code: string,
    entityKey: string,
    entityId: number,
  ) => Promise<Uint8Array>
  /** The bytes of a file, chunk by chunk. */
  readonly readFile: (file: RequestedFile) => AsyncIterable<Uint8Array>
}

/** A record as JSON. */
export type FunctionRecord = { readonly [field: string]: unknown }

/** The services as `exec` gets them in its context. */
export type FunctionServices = {
  readonly entityExport: {
    readonly export: (
      entityKey: string,
      criteria?: unknown,
      options?: { readonly format?: string },
    ) => Promise<Uint8Array>
  }
  readonly records: {
    readonly find: (entityKey: string, criteria?: unknown) => Promise<FunctionRecord[]>
  }
  readonly documents: {
    readonly render: (code: string, entityKey: string, entityId: number) => Promise<Uint8Array>
  }
  readonly files: {
    readonly read: (entityKey: string, entityId: number, fileId: number) => Promise<Uint8Array>
  }
}

/** The change that a function is called for, as plain data. */
export type FunctionSubject = {
  readonly entityKey: string
  readonly entityId: number
  readonly record: FunctionRecord
  /** The user who made the change; null when no user did. */
  readonly actor: FunctionRecord | null
  /** What was done to the record; null when `docket function` runs the function. */
  readonly operation: string | null
  readonly action: FunctionAction | null
  readonly comment: string | null
  /** For handlers: the changed fields; without `before` when the record is new. */
  readonly changes: FunctionChanges | null
}

/** A workflow action with its name, and the names of the steps that the record left and reached. */
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

/** Writes to the log of the service; accepts the arguments of `console.log`. */
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

/** As a function may return it; an ArrayBuffer counts as its bytes. */
type Given = Omit<FunctionDocument, 'data'> & { readonly data: Uint8Array | ArrayBuffer }
type Answer = { readonly documents: readonly Given[] }

/** `exec` of `document-functions/<name>`. */
export type DocumentFunction = (context: FunctionContext) => Answer | Promise<Answer>

/** `exec` of `message-handlers/<name>`; its answer is ignored. */
export type MessageHandler = (context: FunctionContext) => unknown
