/**
 * Keeps the callers in memory honest: a connection of its own hears of every change of a user,
 * role or API key. While it does not hear, the memory is closed and every request asks.
 */
import { type Listener, listen } from '../database/listen.ts'
import type { Observe } from '../observations.ts'
import type { CallerCache } from './caller-cache.ts'
import { callerChangedChannel } from './caller-change-store.ts'

type Options = {
  readonly connectionString: string
  readonly callers: CallerCache
  readonly observe: Observe
}

/** Begins to listen; answers after the first attempt, whether it succeeded or not. */
export const watchCallers = ({ connectionString, callers, observe }: Options): Promise<Listener> =>
  listen({
    connectionString,
    applicationName: 'docket callers',
    channels: { [callerChangedChannel]: () => callers.forget() },
    onListening: () => callers.open(),
    onSilent: () => callers.close(),
    onLost: (reason) => observe({ kind: 'callerCacheCleared', reason }),
  })
