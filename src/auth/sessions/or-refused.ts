/** Tells the audit of sign-ins that are refused. */
import type { FastifyRequest } from 'fastify'
import type { AuditedSignInWay } from '../../audit/audit-kinds.ts'
import { originOf, recordRefusal } from '../../audit/record-audit.ts'
import type { Queryable } from '../../database/pool.ts'
import { ApiError } from '../../errors.ts'

type Attempt = {
  readonly way: AuditedSignInWay
  /** Whose name was given, if there is such a user. */
  readonly userId?: number | undefined
  readonly request: FastifyRequest
}

/** Returns the result of a check; if it throws an error 401 or 429, that is in the audit. */
export const orRefused = async <T>(
  database: Queryable,
  { way, userId, request }: Attempt,
  check: () => Promise<T>,
): Promise<T> => {
  try {
    return await check()
  } catch (error) {
    const reason = error instanceof ApiError ? reasons.get(error.code) : undefined
    if (reason !== undefined)
      await recordRefusal(database, { way, reason, userId, origin: originOf(request) })
    throw error
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['caller.unauthenticated', 'wrong'],
  ['request.too-many', 'tooMany'],
])
