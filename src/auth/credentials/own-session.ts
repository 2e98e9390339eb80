/** The session in which users change how they sign in. */
import type { FastifyRequest } from 'fastify'
import type { Queryable } from '../../database/pool.ts'
import { apiError } from '../../errors.ts'
import { isProven } from '../second-factor/second-factor-store.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** The session of a request, unless it acts as another user. */
export const currentOwn = async (sessions: Sessions, request: FastifyRequest) => {
  const current = await sessions.current(request)
  if (current.caller.actingUser)
    throw apiError(
      'caller.forbidden',
      'A session that acts as another user does not change how they sign in.',
    )
  return current
}

/** Throws unless the user of a session has proven within the last minutes who they are. */
export const assertProven = async (database: Queryable, sessionId: number): Promise<void> => {
  if (!(await isProven(database, sessionId)))
    throw apiError(
      'caller.not-proven',
      'It is more than ten minutes ago that you have proven who you are, or you have signed in with an API key.',
    )
}
