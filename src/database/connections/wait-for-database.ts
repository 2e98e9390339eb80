/** Waits at the start of a command until its database is usable, or explains why it is not. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { joinUsers } from '../locks/users-of-database.ts'
import { connectErrorOf } from './connect-errors.ts'

type Options = {
  readonly connectionString: string
  readonly waitSeconds: number
  readonly observe: Observe
}

const answerTimeoutMs = 5_000
const pauseMs = 500
const reportIntervalMs = 5_000

/**
 * Resolves when the database answers, accepts changes, is not being restored and gives each client its
 * own session. Throws a StartupError: immediately when waiting does not help, otherwise after the time.
 */
export const waitForDatabase = async (options: Options): Promise<void> => {
  const { connectionString, waitSeconds, observe } = options
  const giveUpAt = performance.now() + waitSeconds * 1000
  let reportedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      return await tryDatabase(connectionString)
    } catch (error) {
      if (error instanceof StartupError) throw error
      const { text, mayPass } = connectErrorOf(error, connectionString)
      const now = performance.now()
      if (!mayPass || now >= giveUpAt) throw new StartupError(text, { cause: error })
      if (now - reportedAt >= reportIntervalMs) {
        reportedAt = now
        const seconds = Math.ceil((giveUpAt - now) / 1000)
        observe({ kind: 'databaseAwaited', seconds, reason: text })
      }
      await delay(Math.min(pauseMs, Math.max(0, giveUpAt - now)))
    }
  }
}

const tryDatabase = async (connectionString: string): Promise<void> => {
  const clients = [newClient(connectionString), newClient(connectionString)] as const
  try {
    for (const client of clients) await client.connect()
    const { rows } = await clients[0].query<{ transaction_read_only: string }>(
      'SHOW transaction_read_only',
    )
    if (rows[0]?.transaction_read_only === 'on')
      throw Object.assign(new Error('The server is read-only.'), { code: '25006' })
    if (await areSessionsShared(...clients)) throw new StartupError(sharedSessions)
    await joinUsers(clients[0])
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()))
  }
}

const newClient = (connectionString: string): pg.Client => {
  const client = new pg.Client({
    connectionString,
    application_name: 'docket',
    connectionTimeoutMillis: answerTimeoutMs,
    query_timeout: answerTimeoutMs,
  })
  // A broken connection rejects its query.
  client.on('error', () => undefined)
  return client
}

const sharedSessions =
  'DATABASE_URL points to a pooler that assigns a session per transaction, such as PgBouncer with pool_mode = transaction. Docket needs its own sessions: set pool_mode = session, or connect to the server directly.'

/**
 * Whether a pooler assigns sessions per transaction: then two connected clients share a session, or a
 * client changes its session while its own is in use.
 */
const areSessionsShared = async (a: pg.Client, b: pg.Client): Promise<boolean> => {
  const first = await sessionOf(a)
  if ((await sessionOf(b)) === first) return true
  await b.query('BEGIN')
  try {
    await sessionOf(b)
    for (let count = 0; count < 3; count++) if ((await sessionOf(a)) !== first) return true
    return false
  } finally {
    await b.query('ROLLBACK')
  }
}

const sessionOf = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid ?? 0
}
