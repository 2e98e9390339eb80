/** The errors that are thrown, each of a code of the one list (error-kinds.ts). */
import type { ErrorCode } from './error-kinds.ts'
import { type Issue, isFull, maxIssues, shownIssues } from './issues.ts'

export type { Issue } from './issues.ts'

type ErrorOptions = {
  readonly errors?: readonly Issue[]
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error of the list above, with the details of this occurrence. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly errors: readonly Issue[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, detail: string, options: ErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.errors = options.errors ?? []
    this.headers = options.headers ?? {}
  }
}

/** Creates the error to throw; `detail` describes this occurrence, `errors` lists every issue. */
export const apiError = (code: ErrorCode, detail: string, options?: ErrorOptions): ApiError =>
  new ApiError(code, detail, options)

/** An error of a command or of the start: a sentence for the user at the terminal, no stack. */
export class StartupError extends Error {
  override name = 'StartupError'
}

/** One error for a list of issues; its detail is the only issue, or their number. */
export const validationError = (code: ErrorCode, issues: readonly Issue[]): ApiError => {
  const [first] = issues
  const number = isFull(issues) ? `More than ${maxIssues}` : issues.length
  const detail = issues.length === 1 && first ? sentence(first) : `${number} issues.`
  return apiError(code, detail, { errors: shownIssues(issues) })
}

/** The error of a file without a byte. */
export const emptyFile = (): ApiError =>
  apiError('request.invalid', 'The file is empty.', {
    errors: [{ path: '', message: 'the file is empty' }],
  })

/** Too much is in progress: the request may be repeated soon. */
export const saturated = (detail: string, afterSeconds = 5): ApiError =>
  apiError('request.saturated', detail, { headers: { 'Retry-After': String(afterSeconds) } })

/** The path of the whole body is empty. */
const sentence = ({ path, message }: Issue): string =>
  path === '' ? message : `${path}: ${message}`

/** The message of anything that was thrown. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
