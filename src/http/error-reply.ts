/** Converts anything that was thrown to `application/problem+json` (RFC 9457): no stack, SQL or path. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyReply, FastifyRequest } from 'fastify'
import { databaseError } from '../database/database-errors.ts'
import { type ErrorCode, errorKinds } from '../error-kinds.ts'
import { ApiError, apiError } from '../errors.ts'
import type { Observe } from '../observations.ts'

// Errors of the framework before a route is reached.
const frameworkCodes: Record<string, { code: ErrorCode; detail: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'request.not-json',
    detail: 'The body is of another media type than application/json.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'request.too-large',
    detail: 'The body is larger than the service accepts.',
  },
  FST_ERR_MAX_PARAM_LENGTH: {
    code: 'request.no-such-path',
    detail: 'A part of the path is longer than any name.',
  },
  FST_ERR_BAD_URL: { code: 'request.invalid', detail: 'The path is not a valid URL path.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'request.invalid',
    detail: 'The body is not as long as Content-Length says.',
  },
}

const problemType = 'application/problem+json; charset=utf-8'

/** The error that a caller sees. */
const errorOf = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error
  if (isBrokenOff(error))
    return apiError('request.invalid', 'The connection was closed before the body was complete.', {
      cause: error,
    })
  const ofDatabase = databaseError(error)
  if (ofDatabase) return ofDatabase
  const known = frameworkCodes[String((error as { code?: unknown }).code)]
  if (known) return apiError(known.code, known.detail, { cause: error })
  return apiError('request.failed', 'An error of the service, not of the request.', {
    cause: error,
  })
}

/** Node reports this when a client disconnects before its body has arrived: not an error of the service. */
const isBrokenOff = (error: unknown): boolean =>
  error instanceof Error &&
  error.message === 'aborted' &&
  (error as { code?: unknown }).code === 'ECONNRESET'

/** The body of an error response. */
const problemOf = (problem: ApiError, requestId: string) => {
  const { status, title, hint } = errorKinds[problem.code]
  return {
    type: `urn:docket:error:${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    hint,
    requestId,
    ...(problem.errors.length > 0 && { errors: problem.errors }),
  }
}

/** The error handler of the server. */
export const createErrorReply =
  (observe: Observe) => (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const problem = errorOf(error)
    const { status } = errorKinds[problem.code]
    request.errorCode = problem.code
    if (status >= 500) report(observe, request, problem)
    closeUnlessComplete(request, reply)
    return reply
      .status(status)
      .headers({ 'Cache-Control': 'no-store', ...problem.headers })
      .type(problemType)
      .send(JSON.stringify(problemOf(problem, request.id)))
  }

/** Logs internal errors with their stack; errors that the code of the response explains without. */
const report = (
  observe: Observe,
  { id: requestId, database }: FastifyRequest,
  problem: ApiError,
) => {
  const { code } = problem
  if (code === 'request.failed') {
    const error = problem.cause ?? problem
    observe({ kind: 'requestFailed', requestId, error })
  } else if (database?.endReason !== 'disconnected')
    observe({ kind: 'requestRefused', requestId, code, error: problem })
}

type Unreadable = { readonly code: ErrorCode; readonly detail: string }

const unreadable: Readonly<Record<string, Unreadable>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'request.invalid',
    detail: 'The headers are larger than the service accepts.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request.timeout',
    detail: 'The whole request was not received in time.',
  },
}

const notHttp: Unreadable = { code: 'request.invalid', detail: 'The request is not HTTP/1.1.' }

/** Answers what the HTTP parser rejected, and closes the connection. */
export const answerUnreadable = (error: ConnectionError, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { code, detail } = unreadable[error.code] ?? notHttp
  const isHead = String(error.rawPacket ?? '').startsWith('HEAD ')
  endWithProblem(socket, apiError(code, detail), isHead)
}

/** Without a request, the response is written directly to the connection; for HEAD only its head. */
export const endWithProblem = (socket: Socket, problem: ApiError, isHead = false): void => {
  const { status } = errorKinds[problem.code]
  const body = JSON.stringify(problemOf(problem, randomUUID()))
  const headers = {
    ...problem.headers,
    'Content-Type': problemType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  closeSoon(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`,
  )
}

// Closes a connection after a response whose request body has not arrived completely. It is closed for
// writing immediately; incoming data is discarded for a moment, because closing the connection while the
// client sends would lose the response.

const lingerMs = 2000

const closing = new WeakSet<Socket>()

/** Whether a response closes the connection: no further request on it is accepted. */
export const isClosing = (socket: Socket): boolean => closing.has(socket)

/** Call it before the response is sent; nothing happens if the whole request has arrived. */
const closeUnlessComplete = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
  if (raw.complete || !hasBody(raw.headers)) return
  reply.header('Connection', 'close')
  const { socket } = raw
  closing.add(socket)
  // The server calls it after the last response of a connection.
  socket.destroySoon = () => closeSoon(socket)
}

/**
 * Writes the last response of a connection; its client has a moment to read it and to close the connection.
 */
const closeSoon = (socket: Socket, last = ''): void => {
  closing.add(socket)
  socket.end(last)
  const late = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(late))
}

const hasBody = (headers: FastifyRequest['headers']): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
