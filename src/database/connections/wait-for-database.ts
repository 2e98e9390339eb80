/** Waits at a start until the database is usable, or explains why it is not. */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { errorText, StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { isUnavailable } from '../database-errors.ts'
import { joinUsers } from '../users-of-database.ts'

type Options = {
  /** The database itself; with a pooler its setting is DATABASE_DIRECT_URL. */
  readonly connectionString: string
  /** The address of a pooler in front of it, DATABASE_URL. */
  readonly pooler: string | undefined
  readonly waitSeconds: number
  readonly observe: Observe
}

const answerTimeoutMs = 5_000
const pauseMs = 500
const reportIntervalMs = 5_000
const waiting = 'DATABASE_WAIT_SECONDS sets how long to wait for it.'

/**
 * Resolves when the database answers, accepts changes, is not being restored and gives each client its
 * own session, and its pooler leads to it. Throws a StartupError: immediately when waiting does not help,
 * otherwise after the time.
 */
export const waitForDatabase = async (options: Options): Promise<void> => {
  const { connectionString, pooler, waitSeconds, observe } = options
  const wait = { giveUpAt: performance.now() + waitSeconds * 1000, observe }
  if (pooler === undefined)
    return retry(connectionString, 'DATABASE_URL', wait, () =>
      tryDatabase(connectionString, sharedSessions),
    )
  await retry(connectionString, 'DATABASE_DIRECT_URL', wait, () =>
    tryDatabase(connectionString, sharedDirectSessions),
  )
  await retry(pooler, 'DATABASE_URL', wait, () => tryPooler(connectionString, pooler))
}

type Wait = { readonly giveUpAt: number; readonly observe: Observe }

const retry = async (
  connectionString: string,
  setting: string,
  { giveUpAt, observe }: Wait,
  work: () => Promise<void>,
): Promise<void> => {
  let reportedAt = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof StartupError) throw error
      const { text, mayPass } = connectErrorOf(error, connectionString, setting)
      const now = performance.now()
      if (!mayPass) throw new StartupError(text, { cause: error })
      if (now >= giveUpAt) throw new StartupError(`${text} ${waiting}`, { cause: error })
      if (now - reportedAt >= reportIntervalMs) {
        reportedAt = now
        const seconds = Math.ceil((giveUpAt - now) / 1000)
        observe({ kind: 'databaseAwaited', seconds, reason: text })
      }
      await delay(Math.min(pauseMs, Math.max(0, giveUpAt - now)))
    }
  }
}

const tryDatabase = (connectionString: string, whenShared: string): Promise<void> =>
  withClients([connectionString, connectionString], async (client, other) => {
    await refuseReadOnly(client)
    if (await areSessionsShared(client, other)) throw new StartupError(whenShared)
    await joinUsers(client)
  })

const tryPooler = (connectionString: string, pooler: string): Promise<void> =>
  withClients([connectionString, pooler], async (direct, pooled) => {
    await refuseReadOnly(pooled)
    if (!(await leadToOneDatabase(direct, pooled))) throw new StartupError(otherDatabase)
  })

const withClients = async (
  [first, second]: readonly [string, string],
  work: (first: pg.Client, second: pg.Client) => Promise<void>,
): Promise<void> => {
  const clients = [newClient(first), newClient(second)] as const
  try {
    for (const client of clients) await client.connect()
    await work(...clients)
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()))
  }
}

const refuseReadOnly = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ transaction_read_only: string }>(
    'SHOW transaction_read_only',
  )
  if (rows[0]?.transaction_read_only === 'on')
    throw Object.assign(new Error('The server is read-only.'), { code: '25006' })
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
  'DATABASE_URL points to a pooler that assigns a session per transaction, such as PgBouncer with pool_mode = transaction. Docket also needs sessions of its own: set DATABASE_DIRECT_URL to the address of the server itself, or set pool_mode = session.'
const sharedDirectSessions =
  'DATABASE_DIRECT_URL points to a pooler that assigns a session per transaction, such as PgBouncer with pool_mode = transaction. It must be the address of the server itself; the pooler belongs into DATABASE_URL.'
const otherDatabase =
  'DATABASE_URL and DATABASE_DIRECT_URL lead to different databases. Both must lead to the same one: the first through the pooler, the second without it.'

/**
 * Whether a pooler assigns sessions per transaction: then two connected clients share a session, or a
 * client changes its session while its own is in use.
 */
export const areSessionsShared = async (a: pg.Client, b: pg.Client): Promise<boolean> => {
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

// An arbitrary number that distinguishes these locks from other advisory locks.
const lockClass = 7_305_115

/** Whether two connections lead to the same database of the same server: a lock of one excludes the other. */
const leadToOneDatabase = async (direct: pg.Client, pooled: pg.Client): Promise<boolean> => {
  const key = `${lockClass}, ${randomInt(2 ** 31)}`
  await direct.query('BEGIN')
  try {
    await direct.query(`SELECT pg_advisory_xact_lock(${key})`)
    const { rows } = await pooled.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${key}) AS taken`,
    )
    return rows[0]?.taken === false
  } finally {
    await direct.query('ROLLBACK')
  }
}

const retryWithinMs = 60_000
const retryPauseMs = 250

/** Repeats the work until the database answers; throws other errors. */
export const untilAvailable = async <T>(work: () => Promise<T>): Promise<T> => {
  const deadline = performance.now() + retryWithinMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error
      await delay(retryPauseMs)
    }
  }
}

// Why a database cannot be opened, as a message that says what to do.

type ConnectError = {
  readonly text: string
  /** It may be temporary: a server that starts, or whose name does not resolve yet. */
  readonly mayPass: boolean
}

/** The target of a connection string, without its password. */
type Place = {
  readonly server: string
  readonly user: string
  readonly database: string
  /** The setting that names it. */
  readonly setting: string
}

type Row = {
  /** SQLSTATEs or codes of Node. */
  readonly codes: readonly string[]
  readonly mayPass: boolean
  readonly text: (place: Place, error: unknown) => string
}

const rows: readonly Row[] = [
  {
    codes: ['28P01'],
    mayPass: false,
    text: ({ server, user, setting }) =>
      `PostgreSQL at ${server} rejected the password of "${user}". Correct ${setting}.`,
  },
  {
    codes: ['28000'],
    mayPass: false,
    text: ({ server, user, setting }, error) =>
      `PostgreSQL at ${server} rejected the user "${user}": ${errorText(error)}. Correct ${setting}, or the server's pg_hba.conf.`,
  },
  {
    codes: ['3D000'],
    mayPass: false,
    text: ({ server, database, setting }) =>
      `There is no database "${database}" at ${server}. Create it (createdb ${database}), or correct ${setting}.`,
  },
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN'],
    mayPass: true,
    text: ({ server, setting }) =>
      `The host of the database, ${server}, cannot be resolved. Correct ${setting}.`,
  },
  {
    codes: ['57P03'],
    mayPass: true,
    text: ({ server }, error) => `PostgreSQL at ${server} is not ready: ${errorText(error)}.`,
  },
  {
    codes: ['53300'],
    mayPass: true,
    text: ({ server }, error) =>
      `PostgreSQL at ${server} has no free connection:  ${errorText(error)}. Raise its max_connections, or lower DATABASE_POOL_SIZE and EXPORTS_AT_ONCE.`,
  },
  // What a pooler answers whose server is away, or that does not know the database.
  {
    codes: ['08P01', '08006', '08004', '08001'],
    mayPass: true,
    text: ({ server, setting }, error) =>
      `The server at ${server} refused: ${errorText(error)}. Correct ${setting}, or its pooler.`,
  },
  {
    codes: ['25006'],
    mayPass: true,
    text: ({ server, setting }) =>
      `PostgreSQL at ${server} is read-only, for example a standby. ${setting} must point to the primary server.`,
  },
]

const tlsCodes = /CERT|SIGNATURE|^ERR_TLS|^ERR_SSL/

/** The meaning of a connection error. */
export const connectErrorOf = (
  error: unknown,
  connectionString: string,
  setting: string,
): ConnectError => {
  const place = { ...placeOf(connectionString), setting }
  const code = codeOf(error)
  const row = rows.find(({ codes }) => codes.includes(code))
  if (row) return { text: row.text(place, error), mayPass: row.mayPass }
  const { server } = place
  if (/password must be a string/.test(errorText(error)))
    return {
      text: `PostgreSQL at ${server} requires a password and ${setting} has none.`,
      mayPass: false,
    }
  if (tlsCodes.test(code))
    return {
      text: `The certificate of PostgreSQL at ${server} is not trusted (${code}). Set its authority in ${setting}: sslrootcert=FILE.`,
      mayPass: false,
    }
  if (/does not support SSL/.test(errorText(error)))
    return {
      text: `PostgreSQL at ${server} does not support TLS. Remove sslmode from ${setting}, or enable TLS on the server.`,
      mayPass: false,
    }
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E'))
    return {
      text: `PostgreSQL at ${server} refused: ${errorText(error)} (${code}).`,
      mayPass: false,
    }
  const why = code === '' ? errorText(error) : code
  return {
    text: `PostgreSQL does not answer at ${server} (${why}). Start it, or correct ${setting}.`,
    mayPass: true,
  }
}

const codeOf = (error: unknown): string => {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] }
  if (typeof code === 'string') return code
  // A name with several addresses, none of which answers.
  return errors?.[0] === undefined ? '' : codeOf(errors[0])
}

const placeOf = (connectionString: string): Omit<Place, 'setting'> => {
  const url = new URL(connectionString)
  const host = url.searchParams.get('host') ?? url.hostname
  return {
    server: host.startsWith('/') ? host : `${host || 'localhost'}:${url.port || '5432'}`,
    user: decodeURIComponent(url.username) || 'the user of this process',
    database: decodeURIComponent(url.pathname.slice(1)),
  }
}
