/**
 * Keeps the cache of callers valid: drops them when a user, role or API key changes. While changes cannot
 * be received, nothing is cached and every request queries the database.
 */
import type { Listener } from '../../database/listener.ts'
import type { Observe } from '../../observations.ts'
import type { CallerCache } from './caller-cache.ts'
import { callerChangedChannel } from './caller-change-store.ts'

type Options = {
  readonly listener: Listener
  readonly callers: CallerCache
  readonly observe: Observe
}

/** Subscribes; callers are cached once the listener has started. */
export const watchCallers = ({ listener, callers, observe }: Options): void => {
  listener.subscribe({
    channels: { [callerChangedChannel]: () => callers.forget() },
    onListening: () => callers.open(),
    onSilent: () => callers.close(),
    onLost: (reason) => observe({ kind: 'callerCacheCleared', reason }),
  })
}
