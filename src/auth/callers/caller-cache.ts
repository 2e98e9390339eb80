/**
 * A cache of callers, so that a request needs no query about its user. It caches only while it is open:
 * while this process receives the changes of users, roles, API keys and sessions.
 */
import { createBoundedCache } from '../../bounded-cache.ts'
import type { Listener } from '../../database/listener.ts'
import type { Observe } from '../../observations.ts'
import type { Caller } from '../caller.ts'
import { callerChangedChannel } from './caller-change-store.ts'

/** The session of a browser. */
export type KnownSession = {
  readonly id: number
  /** Whether it may become the session of another user. */
  readonly maySwitch: boolean
  /** ISO 8601. */
  readonly expiresAt: string
}

export type KnownCaller = {
  readonly caller: Caller
  /** Of a caller with an API key. */
  readonly apiKeyId?: number
  /** Of a caller with a cookie. */
  readonly session?: KnownSession
  /** When it must be read again, by the clock of the process; without it only after a change. */
  readonly rereadAt?: number
}

export type CallerCache = {
  /** The caller of a credential, from the cache or by `load`; errors of `load` are not cached. */
  readonly find: (credential: string, load: () => Promise<KnownCaller>) => Promise<KnownCaller>
  /** Drops one user or all; call it after changing a user, before the response. */
  readonly forget: (userId?: number) => void
  readonly open: () => void
  /** Drops all and caches nothing until it is opened again. */
  readonly close: () => void
}

type Entry = {
  readonly found: Promise<KnownCaller>
  /** The caller, and who acts as them; undefined until they are known. */
  userIds: readonly (number | undefined)[] | undefined
  rereadAt: number | undefined
}

const knownCallers = 10_000

/** Creates a cache that is closed. */
export const createCallerCache = (): CallerCache => {
  const entries = createBoundedCache<Entry>(knownCallers)
  let isOpen = false
  const remember = (credential: string, found: Promise<KnownCaller>) => {
    // Cached when the query begins, so that a user who is dropped while it runs stays dropped.
    const entry: Entry = { found, userIds: undefined, rereadAt: undefined }
    entries.set(credential, entry)
    found.then(
      ({ caller, rereadAt }) => {
        entry.userIds = [caller.userId, caller.actingUser?.id]
        entry.rereadAt = rereadAt
      },
      () => {
        if (entries.get(credential) === entry) entries.delete(credential)
      },
    )
  }
  return {
    find: (credential, load) => {
      const known = entries.get(credential)
      if (known && Date.now() < (known.rereadAt ?? Number.POSITIVE_INFINITY)) return known.found
      const found = load()
      if (isOpen) remember(credential, found)
      return found
    },
    forget: (userId) => {
      if (userId === undefined) return entries.clear()
      for (const [credential, entry] of entries.entries())
        if (entry.userIds?.includes(userId) ?? true) entries.delete(credential)
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

type WatchOptions = {
  readonly listener: Listener
  readonly callers: CallerCache
  readonly observe: Observe
}

/** Opens the cache once the listener has started, drops all callers at every change, and closes it while changes are missed. */
export const watchCallers = ({ listener, callers, observe }: WatchOptions): void => {
  listener.subscribe({
    channels: { [callerChangedChannel]: () => callers.forget() },
    onListening: () => callers.open(),
    onSilent: () => callers.close(),
    onLost: (reason) => observe({ kind: 'callerCacheCleared', reason }),
  })
}
