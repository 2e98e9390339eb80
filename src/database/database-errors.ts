/**
 * The meaning of errors of PostgreSQL and its connections: the answer to the caller, and whether the
 * connection is still usable. Each meaning is a row; docs/operations.md shows the same table.
 */
import { type ApiError, apiError } from '../errors.ts'
import { currentRequest } from './request-context.ts'

/** Thrown when a request ended before it got a connection. */
export class RequestEnded extends Error {
  override name = 'RequestEnded'
}

/** Thrown instead of waiting for a server that is known to be away. */
export class ServerAway extends Error {
  override name = 'ServerAway'
}

type Meaning = {
  /** SQLSTATEs (PostgreSQL, appendix A), or prefixes of them. */
  readonly states: readonly string[]
  /** A condition, when a state has several meanings. Messages are in the language of the server, so none is read. */
  readonly when?: (error: Error) => boolean
  readonly answer: (cause: unknown) => ApiError
  /** Whether to close the connection. */
  readonly isLast: boolean
}

const tryAgain = (seconds: number) => ({ 'Retry-After': String(seconds) })

/** The answer while the database is unavailable. */
const unavailable = (cause: unknown, detail = 'The database cannot be reached now.'): ApiError =>
  apiError('database.unavailable', `${detail}${unknownCommitHint(cause)}`, {
    headers: tryAgain(2),
    cause,
  })

const tooSlow = (cause: unknown): ApiError =>
  apiError(
    'request.too-slow',
    'PostgreSQL ended a statement, because it took too long or an operator cancelled it.',
    { cause },
  )

const contended = (cause: unknown): ApiError =>
  apiError('request.contended', 'Another transaction holds a lock that this request needs.', {
    headers: tryAgain(1),
    cause,
  })

const readOnly = (cause: unknown): ApiError =>
  unavailable(cause, 'The database is read-only at the moment.')

const changed = (cause: unknown): ApiError =>
  apiError('database.changed', 'The tables no longer match this process.', {
    headers: tryAgain(5),
    cause,
  })

/** Whether the service itself has cancelled the statement, because its request had ended. */
const isOfEndedRequest = (): boolean => currentRequest()?.endReason !== undefined

/** The function of PostgreSQL that reported an error, which is not translated. */
const routineOf = (error: Error): unknown => (error as { routine?: unknown }).routine

const meanings: readonly Meaning[] = [
  { states: ['57014'], when: isOfEndedRequest, answer: unavailable, isLast: false },
  // statement_timeout, or an operator's cancel: repeating such a statement at once would only add load.
  { states: ['57014'], answer: tooSlow, isLast: false },
  // lock_timeout, serialization failure, deadlock.
  { states: ['55P03', '40001', '40P01'], answer: contended, isLast: false },
  // A standby, or default_transaction_read_only.
  { states: ['25006'], answer: readOnly, isLast: true },
  // Connection exceptions, shutdowns, ended idle sessions, resources, system errors.
  { states: ['08', '57P', '25P03', '25P04', '53', '58'], answer: unavailable, isLast: true },
  // The password was changed, or the database dropped or renamed.
  { states: ['28', '3D000'], answer: unavailable, isLast: true },
  // A pooler gave the session to another client: its prepared statements are missing.
  { states: ['26000', '42P05'], answer: unavailable, isLast: true },
  // A statement that was prepared before a column changed.
  {
    states: ['0A000'],
    when: (error) => routineOf(error) === 'RevalidateCachedQuery',
    answer: unavailable,
    isLast: true,
  },
  // Columns, tables, schemas that another version of the project removed.
  { states: ['42703', '42P01', '3F000'], answer: changed, isLast: false },
]

const systemCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ENOENT', 'ETIMEDOUT'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
  // The process or the machine has no file left for another connection.
  ...['EMFILE', 'ENFILE', 'ENOBUFS'],
])

// Messages of the driver without a code.
const driverMessages =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|not queryable|Cannot use a pool after calling end/

const codeOf = (error: unknown): string => String((error as { code?: unknown })?.code ?? '')

/** Whether PostgreSQL itself answered with this error. */
const isOfServer = (error: unknown): boolean =>
  /^[0-9A-Z]{5}$/.test(codeOf(error)) && !systemCodes.has(codeOf(error))

/** Whether the connection to PostgreSQL failed, rather than a statement. */
const isLostConnection = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isLostConnection)
  return isOfNetwork(error) || driverMessages.test(error.message)
}

/**
 * Errors of files have some of the same codes, and their messages begin with the code: "ENOENT: no such
 * file…, open '…'".
 */
const isOfNetwork = (error: Error): boolean =>
  systemCodes.has(codeOf(error)) && !error.message.startsWith(`${codeOf(error)}:`)

const meaningOf = (error: unknown): Meaning | undefined => {
  if (!(error instanceof Error) || !isOfServer(error)) return undefined
  const code = codeOf(error)
  return meanings.find(
    ({ states, when }) => states.some((state) => code.startsWith(state)) && (when?.(error) ?? true),
  )
}

/** The error to answer with; undefined when the statement itself was invalid. */
export const databaseError = (error: unknown): ApiError | undefined => {
  const isAway = error instanceof ServerAway || error instanceof RequestEnded
  if (isAway || isLostConnection(error)) return unavailable(error)
  return meaningOf(error)?.answer(error)
}

/** Whether an error means that the database is unavailable, not that a statement was invalid. */
export const isUnavailable = (error: unknown): boolean =>
  databaseError(error)?.code === 'database.unavailable'

/** Whether to close a connection after a failed statement. */
export const isLastOfConnection = (error: unknown): boolean =>
  error instanceof Error && (meaningOf(error)?.isLast ?? !isOfServer(error))

/** The same for work on a connection, which may also fail for other reasons, such as a rejected request. */
export const isLastAfterWork = (error: unknown): boolean =>
  meaningOf(error)?.isLast ?? isLostConnection(error)

/** Whether a replica cancelled a read for what it has to replay: read-only statements of the primary have no such error. */
export const isRecoveryConflict = (error: unknown): boolean => codeOf(error) === '40001'

/** Whether PostgreSQL rejected a change because it is read-only. */
export const isReadOnlyServer = (error: unknown): boolean => codeOf(error) === '25006'

const brokenMidway = /Connection terminated unexpectedly|ECONNRESET|EPIPE/

/** When a connection breaks during a write, it is unknown whether its transaction was committed. */
const unknownCommitHint = (cause: unknown): string => {
  const request = currentRequest()
  if (!request) return ''
  const isCut = request.endReason === 'deadline' || brokenMidway.test(String(cause))
  const deadline =
    request.endReason === 'deadline'
      ? ` It did not answer within ${request.timeoutMs / 1000} seconds.`
      : ''
  const hint =
    isCut && !request.isReadOnly
      ? ' It is not known whether the change was saved: read the record before you send it again.'
      : ''
  return `${deadline}${hint}`
}

/** Whether PostgreSQL refuses what is to be written: 22 data exception, 23 integrity violation, 54 a limit of it. */
export const isRefusal = (error: unknown): boolean => /^(22|23|54)/.test(codeOf(error))
