/** The caller of a request; known before its body is read (admit-requests.ts). */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { noCredentials } from '../auth/unauthorized.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined on paths that are open to everybody. */
    caller: Caller | undefined
    /** Set by a handler that answers a wrong credential with something other than an error 401. */
    hasWrongCredential?: boolean
  }
  interface FastifyContextConfig {
    /** Whether the path is open to everybody; every other path needs a known caller. */
    isOpen?: boolean
    /** For an open path with a credential of its own; throws an error 401 if it is invalid. */
    checkCredential?: (request: FastifyRequest) => void
    /** For an open path whose body or address is a credential: a wrong one counts for its address. */
    takesCredential?: boolean
  }
}

/** For open paths; their body, if they accept one, stays small. */
export const openPath = { config: { isOpen: true }, bodyLimit: 4096 } as const

/** The caller of a request; an error 401 on an open path. */
export const callerOf = ({ caller }: FastifyRequest): Caller => {
  if (!caller) throw noCredentials('The request has no known caller.')
  return caller
}
