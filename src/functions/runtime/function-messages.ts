/** Messages between the service and the thread that runs functions: plain data. */
import type { FunctionKind } from '../find-functions.ts'
import type { FunctionDocument, FunctionSubject, LogSeverity } from '../function-context.ts'
import type { Failure } from '../function-error.ts'

/** A call; a thread runs one at a time. */
export type CallRequest = {
  readonly kind: FunctionKind
  /** Absolute path of the module. */
  readonly path: string
  /** Undefined: the module is only loaded. */
  readonly subject: FunctionSubject | undefined
  /** Maximum size of all documents together. */
  readonly maxBytes: number
}

/** A line that a function prints, as an event of its call. */
export type LogLine = { readonly severity: LogSeverity; readonly text: string }

export type CallResult =
  | { readonly documents: readonly FunctionDocument[] }
  | { readonly failure: Failure }

/** The services by their names in `exec`. */
export type ServiceName = 'entityExport.export' | 'records.find' | 'documents.render'
