/** Notices at once when the embedded server ends while this process uses it, and has it started again. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Observe } from '../../observations.ts'
import { pauseAfter, serverRetries } from '../../retry-policy.ts'

type Options = {
  readonly connectionString: string
  readonly observe: Observe
  /** Starts the server, or waits until somebody else has; throws when it does not start. */
  readonly revive: () => Promise<void>
}

const answerWithinMs = 10_000

/** Holds a connection for its end alone. */
export const keepUp = ({ connectionString, observe, revive }: Options) => {
  const stopping = new AbortController()
  const attend = async () => {
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
  const attended = attend()
  return {
    /** From now on the server may end. */
    stop: (): Promise<void> => {
      stopping.abort()
      return attended
    },
  }
}

/** Resolves when the connection is lost, cannot be made, or is no longer wanted. */
const connectUntilLost = async (connectionString: string, stopping: AbortSignal): Promise<void> => {
  const client = new pg.Client({
    connectionString,
    application_name: 'docket presence',
    connectionTimeoutMillis: answerWithinMs,
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
    // A server that takes no connection is one to revive.
  } finally {
    stopping.removeEventListener('abort', onStop)
    await client.end().catch(() => undefined)
  }
}
