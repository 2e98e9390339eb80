/**
 * A call of a function: what the service and the thread that runs it post to each other, as plain data, its log, and its
 * error. The message of an error is for people; the reason decides whether to retry.
 */
import { format } from 'node:util'
import type { FunctionKind } from './find-functions.ts'
import type {
  FunctionDocument,
  FunctionLog,
  FunctionSubject,
  LogSeverity,
} from './function-context.ts'

export type FailureReason =
  | 'unknown'
  | 'not-loaded'
  | 'timed-out'
  | 'threw'
  | 'exited'
  | 'out-of-memory'
  | 'wrong-answer'
  | 'saturated'
  | 'stopped'

/** What went wrong, with the stack inside the function if there is one. */
export type Failure = {
  readonly reason: FailureReason
  /** Continues the name of the function: `timed out after 5000 ms`. */
  readonly text: string
  readonly stack?: string | undefined
}

const kindNames: Readonly<Record<FunctionKind, string>> = {
  document: 'document function',
  handler: 'message handler',
}

/** A failed call of a function; `functionStack` shows the author where it failed. */
export class FunctionError extends Error {
  override name = 'FunctionError'
  readonly functionName: string
  readonly reason: FailureReason
  /** What happened, without the name of the function. */
  readonly text: string
  readonly functionStack: string | undefined

  constructor(
    { kind, name }: { readonly kind: FunctionKind; readonly name: string },
    { reason, text, stack }: Failure,
  ) {
    super(`The ${kindNames[kind]} "${name}" ${text}.`)
    this.functionName = name
    this.reason = reason
    this.text = text
    this.functionStack = stack
  }
}

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
export type ServiceName = 'entityExport.export' | 'records.find' | 'documents.render' | 'files.read'

/** Writes one entry, which may have several lines. */
export type EmitLog = (severity: LogSeverity, text: string) => void

/** A log that formats its arguments like `console.log`. */
export const logTo = (emit: EmitLog): FunctionLog => {
  const as =
    (severity: LogSeverity) =>
    (...parts: unknown[]) =>
      emit(severity, format(...parts))
  return { debug: as('debug'), info: as('info'), warn: as('warn'), error: as('error') }
}
