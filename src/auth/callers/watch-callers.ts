/**
 * Keeps the callers in memory valid: forgets them when a user, role or API key changes. While no change
 * can be received, nothing is remembered and every request asks the database.
 */
import type { Listener } from '../../database/listen.ts'
import type { Observe } from '../../observations.ts'
import type { CallerCache } from './caller-cache.ts'
import { callerChangedChannel } from './caller-change-store.ts'

type Options = {
  readonly listener: Listener
  readonly callers: CallerCache
  readonly observe: Observe
}

/** Subscribes; the callers are remembered once the listener has started. */
export const watchCallers = ({ listener, callers, observe }: Options): void =>
  listener.subscribe({
    channels: { [callerChangedChannel]: () => callers.forget() },
    onListening: () => callers.open(),
    onSilent: () => callers.close(),
    onLost: (reason) => observe({ kind: 'callerCacheCleared', reason }),
  })
