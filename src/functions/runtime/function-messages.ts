/** What passes between the service and the thread that runs functions. It is plain data. */
import type { FunctionKind } from '../find-functions.ts'
import type { FunctionDocument, FunctionSubject, LogSeverity } from '../function-context.ts'
import type { Failure } from '../function-error.ts'

/** A call for a thread, which runs one at a time. */
export type CallRequest = {
  readonly kind: FunctionKind
  /** Absolute path of the module. */
  readonly path: string
  /** Undefined: the module is loaded, and nothing of it is called. */
  readonly subject: FunctionSubject | undefined
  /** Documents together have at most so many. */
  readonly maxBytes: number
}

/** What a function prints, as an event of its call. */
export type LogLine = { readonly severity: LogSeverity; readonly text: string }

export type CallResult =
  | { readonly documents: readonly FunctionDocument[] }
  | { readonly failure: Failure }

/** The services by the name that `exec` knows them by. */
export type ServiceName = 'entityExport.export' | 'records.find' | 'documents.render'
