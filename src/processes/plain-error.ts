/** Errors as plain data: between threads an error would lose its code. */
import type { ErrorCode } from '../error-kinds.ts'
import { ApiError, errorText } from '../errors.ts'

export type PlainError = {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** A code of PostgreSQL, of the system, or of our own errors. */
  readonly code: string | undefined
  /** The function of PostgreSQL that reported it. */
  readonly routine: string | undefined
  readonly isApiError: boolean
}

/** Anything that was thrown, as plain data. */
export const toPlainError = (error: unknown): PlainError => {
  const { name, stack, code, routine } = (error instanceof Error ? error : {}) as Partial<Error> & {
    code?: unknown
    routine?: unknown
  }
  return {
    name: name ?? 'Error',
    message: messageOf(error),
    stack,
    code: textOrNone(code),
    routine: textOrNone(routine),
    isApiError: error instanceof ApiError,
  }
}

const textOrNone = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

// When a name has several addresses, Node tries all of them, and its error has no message.
const messageOf = (error: unknown): string =>
  error instanceof AggregateError && error.message === ''
    ? error.errors.map(errorText).join('; ')
    : errorText(error)

/** The error again. */
export const fromPlainError = ({
  name,
  message,
  stack,
  code,
  routine,
  isApiError,
}: PlainError): Error => {
  const error = isApiError ? new ApiError(code as ErrorCode, message) : new Error(message)
  error.name = name
  if (stack !== undefined) error.stack = stack
  return isApiError || code === undefined ? error : Object.assign(error, { code, routine })
}
