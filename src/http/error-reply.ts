/** Turns whatever was thrown into `application/problem+json` (RFC 9457): no stack, SQL or path. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { ConnectionError, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable, unavailable } from '../database/pool.ts'
import { type ErrorCode, errorKinds, Fault, fault } from '../errors.ts'
import type { Observe } from '../observations.ts'

// What the framework itself refuses before a route is reached.
const frameworkCodes: Record<string, { code: ErrorCode; detail: string }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'request.not-json',
    detail: 'The body is of another media type than application/json.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    code: 'request.too-large',
    detail: 'The body is larger than the service takes.',
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

/** The fault that a caller is told of. */
const faultOf = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  if (isBrokenOff(error)) return fault('request.invalid', 'The body broke off.', { cause: error })
  if (isUnavailable(error)) return unavailable(error)
  const known = frameworkCodes[String((error as { code?: unknown }).code)]
  if (known) return fault(known.code, known.detail, { cause: error })
  return fault('request.failed', 'An error of the service, not of the request.', { cause: error })
}

/** Node says so when a client leaves before its body has come: no fault of the service. */
const isBrokenOff = (error: unknown): boolean =>
  error instanceof Error &&
  error.message === 'aborted' &&
  (error as { code?: unknown }).code === 'ECONNRESET'

/** The body of an answer to a fault. */
const problemOf = (problem: Fault, requestId: string) => {
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
    const problem = faultOf(error)
    const { status } = errorKinds[problem.code]
    if (status >= 500) observe({ kind: 'requestFailed', requestId: request.id, error })
    return reply
      .status(status)
      .headers(problem.headers)
      .type(problemType)
      .send(JSON.stringify(problemOf(problem, request.id)))
  }

// What is not HTTP never becomes a request, so its answer is written to the socket as it is.
const unreadable: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than the service takes.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
}

/** Answers what the HTTP parser refused, and ends the connection. */
export const answerUnreadable = (error: ConnectionError, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const detail = unreadable[error.code] ?? 'The request is not HTTP/1.1.'
  const body = JSON.stringify(problemOf(fault('request.invalid', detail), randomUUID()))
  const head = `Content-Type: ${problemType}\r\nContent-Length: ${Buffer.byteLength(body)}`
  socket.end(`HTTP/1.1 400 Bad Request\r\n${head}\r\nConnection: close\r\n\r\n${body}`)
}
