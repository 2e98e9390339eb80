/** Detects immediately when the embedded server ends while this process uses it, and restarts it. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Observe } from '../../observations.ts'
import { pauseAfter, serverRetries } from '../../retry-policy.ts'

type Options = {
  readonly connectionString: string
  readonly observe: Observe
  /** Starts the server, or waits until another process has; throws when it does not start. */
  readonly revive: () => Promise<void>
}

const answerTimeoutMs = 10_000

/** Holds a connection only to detect its end. */
export const superviseServer = ({ connectionString, observe, revive }: Options) => {
  const stopping = new AbortController()
  const holdPresence = async () => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        await connectUntilLost(connectionString, stopping.signal)
        if (stopping.signal.aborted) return
        await revive()
        failures = 0
      } catch (error) {
        if (failures === 0) observe({ kind: 'embeddedDatabaseLost', error })
        failures += 1
        const pauseMs = pauseAfter(serverRetries, failures)
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }
  const attended = holdPresence()
  return {
    /** Call before the server is stopped. */
    stop: (): Promise<void> => {
      stopping.abort()
      return attended
    },
  }
}

/** Resolves when the connection is lost, fails, or is no longer needed. */
const connectUntilLost = async (connectionString: string, stopping: AbortSignal): Promise<void> => {
  const client = new pg.Client({
    connectionString,
    application_name: 'docket presence',
    connectionTimeoutMillis: answerTimeoutMs,
  })
  const { promise: lost, resolve: onLost } = Promise.withResolvers<void>()
  const onStop = () => onLost()
  client.on('error', onStop)
  client.on('end', onStop)
  stopping.addEventListener('abort', onStop)
  try {
    await client.connect()
    await lost
  } catch {
    // A server that accepts no connection must be restarted.
  } finally {
    stopping.removeEventListener('abort', onStop)
    await client.end().catch(() => undefined)
  }
}
