/** Errors of functions. The message is for people; the reason decides whether to retry. */
import type { FunctionKind } from './find-functions.ts'

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
