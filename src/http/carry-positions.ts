/**
 * Callers read their own writes from replicas: the answer to a write has a position, and a read that carries it is
 * answered by a server that has replayed it (docs/growing.md). Browsers carry it in a cookie.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Cookies } from '../auth/sessions/cookies.ts'
import { type Position, parsePosition, printPosition } from '../database/replicas/position.ts'
import { validationError } from '../errors.ts'

type AnswerOptions = {
  /** The position after a write of the caller; `isUnknown`: it is not known whether anything was written. */
  readonly afterWrite: (callerKey: string, isUnknown: boolean) => Promise<Position>
  readonly cookies: Cookies
  /** How long a browser keeps a position: after the lag limit, every replica that is used has it. */
  readonly seconds: number
}

/** The header of requests and answers. */
const positionHeader = 'Docket-Position'

/** Reads the positions of requests. Without replicas every read includes them; an invalid header is an error in any case. */
export const readPositions = (server: FastifyInstance, cookies: Cookies): void => {
  server.addHook('onRequest', (request, _reply, done) => {
    try {
      requirePositions(request, cookies)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/** Adds the positions of writes to answers. */
export const answerPositions = (
  server: FastifyInstance,
  { afterWrite, cookies, seconds }: AnswerOptions,
): void => {
  server.addHook('onSend', async (request, reply) => {
    const { callerKey, isReadOnly } = request.database
    // Its commit may have been lost with the connection, or may still happen.
    const isUnknown = request.errorCode === 'database.unavailable'
    const hasWritten = isUnknown || reply.statusCode < 400
    if (isReadOnly || !hasWritten || request.caller === undefined) return
    const position = printPosition(await afterWrite(callerKey, isUnknown))
    reply.header(positionHeader, position)
    if (cookies.read(request.headers.cookie, 'session') !== undefined)
      reply.header('Set-Cookie', cookies.print('position', position, seconds))
  })
}

const requirePositions = ({ headers, database }: FastifyRequest, cookies: Cookies): void => {
  const header = headers[positionHeader.toLowerCase()]
  if (header !== undefined) {
    const position = typeof header === 'string' ? parsePosition(header) : undefined
    if (position === undefined)
      throw validationError('request.invalid', [
        { path: positionHeader, message: 'must be a position such as 16/B374D848' },
      ])
    database.require(position)
  }
  // A cookie is not written by hand: an invalid one is ignored.
  const cookie = cookies.read(headers.cookie, 'position')
  database.require((cookie && parsePosition(cookie)) || 0n)
}
