/** Errors on their way from thread to thread, which would lose their codes as they are. */
import type { ErrorCode } from '../error-kinds.ts'
import { ApiError, errorText } from '../errors.ts'

export type PlainError = {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  /** Of PostgreSQL or the system, or of our own list. */
  readonly code: string | undefined
  readonly isApiError: boolean
}

/** Whatever was thrown, as plain data. */
export const toPlainError = (error: unknown): PlainError => {
  const { name, stack, code } = (error instanceof Error ? error : {}) as Partial<Error> & {
    code?: unknown
  }
  return {
    name: name ?? 'Error',
    message: messageOf(error),
    stack,
    code: typeof code === 'string' ? code : undefined,
    isApiError: error instanceof ApiError,
  }
}

// Where a name leads to several addresses, Node tries all, and its error has no words of its own.
const messageOf = (error: unknown): string =>
  error instanceof AggregateError && error.message === ''
    ? error.errors.map(errorText).join('; ')
    : errorText(error)

/** The error again. */
export const fromPlainError = ({ name, message, stack, code, isApiError }: PlainError): Error => {
  const error = isApiError ? new ApiError(code as ErrorCode, message) : new Error(message)
  error.name = name
  if (stack !== undefined) error.stack = stack
  return isApiError || code === undefined ? error : Object.assign(error, { code })
}
