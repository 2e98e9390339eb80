/**
 * Callers kept in memory, so that a request needs no question about its user. It remembers only
 * while it is open: while changes of users, roles and API keys are reported to this process
 * (watch-callers.ts).
 */
import { createBoundedCache } from '../../bounded-cache.ts'
import type { Caller } from '../caller.ts'

export type KnownCaller = {
  readonly caller: Caller
  /** Undefined for a caller with a token. */
  readonly apiKeyId: number | undefined
}

export type CallerCache = {
  /** The caller of a credential, from memory or by `load`; what `load` throws is not kept. */
  readonly find: (credential: string, load: () => Promise<KnownCaller>) => Promise<KnownCaller>
  /** Forgets one user or all; who changed a user calls it before they answer. */
  readonly forget: (userId?: number) => void
  readonly open: () => void
  /** Forgets all and remembers nothing until it is opened again. */
  readonly close: () => void
}

type Entry = { readonly found: Promise<KnownCaller>; userId: number | undefined }

const knownCallers = 10_000

/** Makes a cache that is still closed. */
export const createCallerCache = (): CallerCache => {
  const entries = createBoundedCache<Entry>(knownCallers)
  let isOpen = false
  const remember = (credential: string, found: Promise<KnownCaller>) => {
    // Kept from the beginning of the question: whoever is forgotten while it runs stays forgotten.
    const entry: Entry = { found, userId: undefined }
    entries.set(credential, entry)
    found.then(
      ({ caller }) => {
        entry.userId = caller.userId
      },
      () => {
        if (entries.get(credential) === entry) entries.delete(credential)
      },
    )
  }
  return {
    find: (credential, load) => {
      const known = entries.get(credential)
      if (known) return known.found
      const found = load()
      if (isOpen) remember(credential, found)
      return found
    },
    forget: (userId) => {
      if (userId === undefined) return entries.clear()
      for (const [credential, entry] of entries.entries())
        if (entry.userId === undefined || entry.userId === userId) entries.delete(credential)
    },
    open: () => {
      isOpen = true
    },
    close: () => {
      isOpen = false
      entries.clear()
    },
  }
}
