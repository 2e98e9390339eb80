/** The faults that are thrown, each of a code of the one list (error-kinds.ts). */
import type { ErrorCode } from './error-kinds.ts'
import { isFull, type Mistake, maxMistakes, mistakesToTell } from './mistakes.ts'

export type { Mistake } from './mistakes.ts'

type FaultOptions = {
  readonly errors?: readonly Mistake[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A fault of the list above, with what is particular to this occurrence. */
export class Fault extends Error {
  readonly code: ErrorCode
  readonly errors: readonly Mistake[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, detail: string, options: FaultOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Fault'
    this.code = code
    this.errors = options.errors ?? []
    this.headers = options.headers ?? {}
  }
}

/** Makes the fault to throw; `detail` says what was met, `errors` every mistake found. */
export const fault = (code: ErrorCode, detail: string, options?: FaultOptions): Fault =>
  new Fault(code, detail, options)

/** A fault of a command or of the start: a sentence for the person at the terminal, no stack. */
export class StartFault extends Error {
  override name = 'StartFault'
}

/** Wraps a list of mistakes as one fault whose detail is the only one, or their number. */
export const faultOfMistakes = (code: ErrorCode, mistakes: readonly Mistake[]): Fault => {
  const [first] = mistakes
  const number = isFull(mistakes) ? `More than ${maxMistakes}` : mistakes.length
  const detail = mistakes.length === 1 && first ? sentence(first) : `${number} mistakes.`
  return fault(code, detail, { errors: mistakesToTell(mistakes) })
}

/** The whole body has no path. */
const sentence = ({ path, message }: Mistake): string =>
  path === '' ? message : `${path}: ${message}`

/** The message of anything thrown. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
