/** Who sends a request; known before anything of its body is read (admit-requests.ts). */
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { noCredentials } from '../auth/unauthorized.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined on paths that are open to everybody. */
    caller: Caller | undefined
  }
  interface FastifyContextConfig {
    /** Whether the path answers whoever asks; every other path wants a known caller. */
    isOpen?: boolean
    /** For an open path with a credential of its own; throws an error 401 where it is not right. */
    checkCredential?: (request: FastifyRequest) => void
  }
}

/** For paths that answer whoever asks; their body, where they take one, stays small. */
export const openPath = { config: { isOpen: true }, bodyLimit: 4096 } as const

/** The caller of a request; an error 401 on a path that is open. */
export const callerOf = ({ caller }: FastifyRequest): Caller => {
  if (!caller) throw noCredentials('Nobody is known here.')
  return caller
}
