/** How a function fails. Whoever called it reads the sentence; the reason tells whether to try again. */
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

/** What went wrong, with the stack inside the function where there is one. */
export type Failure = {
  readonly reason: FailureReason
  /** Goes on after the name of the function: `timed out after 5000 ms`. */
  readonly text: string
  readonly stack?: string | undefined
}

const kindNames: Readonly<Record<FunctionKind, string>> = {
  document: 'document function',
  handler: 'message handler',
}

/** A function that did not do its work; `functionStack` shows where, for its author. */
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
