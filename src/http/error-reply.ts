/** Turns whatever was thrown into `application/problem+json` (RFC 9457): no stack, SQL or path. */
import type { FastifyReply, FastifyRequest } from 'fastify'
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
  FST_ERR_BAD_URL: { code: 'request.invalid', detail: 'The path is not a valid URL path.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'request.invalid',
    detail: 'The body is not as long as Content-Length says.',
  },
}

/** The fault that a caller is told of. */
const faultOf = (error: unknown): Fault => {
  if (error instanceof Fault) return error
  if (isUnavailable(error)) return unavailable(error)
  const known = frameworkCodes[String((error as { code?: unknown }).code)]
  if (known) return fault(known.code, known.detail, { cause: error })
  return fault('request.failed', 'An error of the service, not of the request.', { cause: error })
}

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
      .type('application/problem+json; charset=utf-8')
      .send(JSON.stringify(problemOf(problem, request.id)))
  }
