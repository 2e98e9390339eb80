/** Waits at the start of a command until its database can be worked on, or says why it cannot. */
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

const answerWithinMs = 5_000
const pauseMs = 500
const tellEveryMs = 5_000

/**
 * Resolves when the database answers, takes changes, is not being restored and gives each client a session of its own.
 * Throws a StartFault of one sentence: at once where waiting does not help, else after the time.
 */
export const waitForDatabase = async (options: Options): Promise<void> => {
  const { connectionString, waitSeconds, observe } = options
  const giveUpAt = performance.now() + waitSeconds * 1000
  let toldAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      return await tryDatabase(connectionString)
    } catch (error) {
      if (error instanceof StartupError) throw error
      const { text, mayPass } = connectErrorOf(error, connectionString)
      const now = performance.now()
      if (!mayPass || now >= giveUpAt) throw new StartupError(text, { cause: error })
      if (now - toldAt >= tellEveryMs) {
        toldAt = now
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
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  })
  // A connection that breaks tells its query.
  client.on('error', () => undefined)
  return client
}

const sharedSessions =
  'DATABASE_URL leads to a pooler that gives every transaction another session, such as PgBouncer with pool_mode = transaction. Docket needs sessions of its own: set pool_mode = session for it, or name the server itself.'

/**
 * Whether a pooler between gives sessions to transactions: then two clients that are connected at the
 * same time meet in one session, or a client finds itself in another one while its own is taken.
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
