/**
 * One server of the feed: whether it can be used, asked once a second. While it is away, nobody waits for it: its pools throw at once,
 * so that it delays its own users alone.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { errorText, StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { within } from '../../within.ts'
import { isUnavailable, ServerAway } from '../database-errors.ts'
import type { Listener } from '../listening/listener.ts'
import { createPool, queryRow } from '../pool.ts'
import { sql } from '../sql.ts'

export type FeedServer = {
  readonly name: string
  readonly connectionString: string
  /** Receives and sends the signals of what is committed there. */
  readonly listener: Listener
  /** Throws a ServerAway while it is away. */
  readonly assertUp: () => void
  readonly isUp: () => boolean
  /** Calls whenever it is up again, and at once if it is. */
  readonly onUp: (listen: () => void) => void
  /** Resolves after the first attempt; throws a StartupError if the server is a wrong one. Further calls start nothing. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

type Options = Pick<FeedServer, 'name' | 'connectionString' | 'listener'> & {
  /** Brings its tables up to date, before it is used and whenever it is back. */
  readonly prepare: () => Promise<void>
  readonly observe: Observe
}

const lookEveryMs = 1_000
const answerWithinMs = 3_000

/** Opens no connection before it is started. */
export const createFeedServer = (options: Options): FeedServer => {
  const { name, connectionString, listener, prepare } = options
  const pool = createPool({
    ...{ connectionString, size: 1, work: { kind: 'health' }, waitMs: 2_000 },
    // What is wrong is told when it is asked.
    observe: () => undefined,
  })
  const stopped = new AbortController()
  const state = createState(options)
  let started: Promise<void> | undefined
  let ended = Promise.resolve()
  const ask = async () => {
    if (state.reason() !== undefined) await prepare()
    await within(answerWithinMs, assertWritable(pool), 'it does not answer')
    state.enter(undefined)
  }
  const begin = async () => {
    await ask().catch((error) => {
      if (error instanceof StartupError && !isUnavailable(error.cause)) throw error
      state.enter(errorText(error))
    })
    ended = repeat(() => ask().catch((error) => state.enter(errorText(error))), stopped.signal)
    await listener.start()
  }
  return {
    ...{ name, connectionString, listener, onUp: state.onUp },
    assertUp: () => {
      const reason = state.reason()
      if (reason !== undefined)
        throw new ServerAway(`The server "${name}" of FEED_DATABASE_URL is away: ${reason}`)
    },
    isUp: () => state.reason() === undefined,
    start: () => {
      started ??= begin()
      return started
    },
    close: async () => {
      stopped.abort()
      await Promise.all([ended, listener.close()])
      await pool.endWithin(0)
    },
  }
}

/** Why the server is away; undefined while it is up. */
const createState = ({ name, observe }: Options) => {
  const listeners = new Set<() => void>()
  let reason: string | undefined = 'it has not been asked yet'
  return {
    reason: () => reason,
    enter: (next: string | undefined) => {
      const before = reason
      reason = next
      if (next !== undefined && next !== before)
        observe({ kind: 'feedAway', feed: name, reason: next })
      if (next !== undefined || before === undefined) return
      observe({ kind: 'feedBack', feed: name })
      for (const listen of listeners) listen()
    },
    onUp: (listen: () => void) => {
      listeners.add(listen)
      if (reason === undefined) listen()
    },
  }
}

const repeat = async (look: () => Promise<void>, stop: AbortSignal): Promise<void> => {
  while (!stop.aborted) {
    await delay(lookEveryMs, undefined, { ref: false, signal: stop }).catch(() => undefined)
    if (!stop.aborted) await look()
  }
}

const assertWritable = async (pool: ReturnType<typeof createPool>): Promise<void> => {
  const row = await queryRow<{ is_read_only: string }>(
    pool,
    sql`SELECT current_setting('transaction_read_only') AS is_read_only`,
  )
  if (row?.is_read_only !== 'off') throw new Error('it is read-only')
}
