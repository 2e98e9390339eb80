/** Looks up a credential that the database stores by its digest, and limits guesses. */
import { createBoundedCache } from '../../bounded-cache.ts'
import { isUnauthorized } from '../unauthorized.ts'
import type { KnownCaller } from './caller-cache.ts'

/** Called before the check of a credential that was never valid before; may throw. */
export type BeforeAuthenticate = () => Promise<void>

const rightDigests = 10_000

/**
 * Creates the lookup. A credential that was valid before does not count as a guess: cached callers are
 * dropped whenever any user changes.
 */
export const createFindStored = (find: (digest: string) => Promise<KnownCaller>) => {
  const right = createBoundedCache<KnownCaller>(rightDigests)
  return async (digest: string, beforeAsking?: BeforeAuthenticate): Promise<KnownCaller> => {
    if (!right.get(digest)) await beforeAsking?.()
    const known = await find(digest).catch((error: unknown) => {
      if (isUnauthorized(error)) right.delete(digest)
      throw error
    })
    right.set(digest, known)
    return known
  }
}
