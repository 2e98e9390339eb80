/**
 * Locks of several processes: work that one process at a time does, also when processes crash; transactions that need
 * locks of tables and do not block others for long; and the sessions that hold a lock, for messages.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../errors.ts'
import type { Connection, Pool, Queryable } from './pool.ts'

type ExclusiveOptions = {
  readonly pool: Pool
  /** Id of the advisory lock. */
  readonly lock: number
  /** Purpose of the lock, as in "another process has the lock of …". */
  readonly what: string
  /** How long to wait for an idle holder; the wait for a busy one has no limit. */
  readonly waitMs: number
}

const pollMs = 100
// The server ends idle sessions, so that a hanging process or a lost host does not keep the lock.
const sessionSettings = [
  `SET idle_session_timeout = '60s'`,
  `SET idle_in_transaction_session_timeout = '60s'`,
  'SET tcp_keepalives_idle = 10',
  'SET tcp_keepalives_interval = 5',
  'SET tcp_keepalives_count = 3',
  'SET statement_timeout = 0',
]

/**
 * Runs work under an advisory lock on a connection of its own, which is closed afterwards. It polls for
 * the lock: a waiting statement would keep a snapshot, and the holder's `CREATE INDEX CONCURRENTLY` would
 * wait for that.
 */
export const exclusively = async <T>(
  { pool, lock, what, waitMs }: ExclusiveOptions,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => {
  const connection = await pool.connect()
  try {
    for (const setting of sessionSettings) await connection.query(setting)
    await acquire(connection, { lock, what, waitMs })
    try {
      return await work(connection)
    } finally {
      // If this fails, the connection is lost, and the lock with it.
      await connection.query(`SELECT pg_advisory_unlock(${lock})`).catch(() => undefined)
    }
  } finally {
    connection.release(true)
  }
}

const acquire = async (
  connection: Connection,
  { lock, what, waitMs }: Omit<ExclusiveOptions, 'pool'>,
): Promise<void> => {
  const deadline = performance.now() + waitMs
  while (!(await tryLock(connection, lock))) {
    if (performance.now() > deadline) {
      const holders = await listAdvisoryHolders(connection, lock)
      if (holders.length > 0 && !holders.some(({ state }) => state === 'active'))
        throw new StartupError(
          `Another process has the lock of ${what} and is idle: ${printHolders(holders)}. End that process, then try again.`,
        )
    }
    await delay(pollMs)
  }
}

const tryLock = async (connection: Connection, lock: number): Promise<boolean> => {
  const { rows } = await connection.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_lock(${lock}) AS taken`,
  )
  return rows[0]?.taken === true
}

// Others queue behind a statement that waits for a lock: for at most this time.
const lockTimeoutMs = 250
const longestPauseMs = 1_000

type TriesOptions = {
  /** How long to try to get locks. */
  readonly waitMs: number
  /** The error to throw after that time. */
  readonly giveUp: (cause: unknown) => Promise<Error>
}

/**
 * Commits what `work` does. When a lock is not available immediately, rolls back and retries after a pause in
 * which others continue.
 */
export const tryForLocks = async (
  connection: Queryable,
  { waitMs, giveUp }: TriesOptions,
  work: () => Promise<void>,
): Promise<void> => {
  const deadline = performance.now() + waitMs
  for (let tries = 1; ; tries++) {
    try {
      return await tryOnce(connection, work)
    } catch (error) {
      if (!isLockError(error)) throw error
      if (performance.now() > deadline) throw await giveUp(error)
    }
    await delay(Math.min(longestPauseMs, lockTimeoutMs * tries))
  }
}

const tryOnce = async (connection: Queryable, work: () => Promise<void>): Promise<void> => {
  await connection.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`)
  try {
    await work()
    await connection.query('COMMIT')
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** lock_not_available, or deadlock_detected: let the other transaction finish. */
export const isLockError = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(String((error as { code?: unknown } | null)?.code))

type Holder = {
  readonly pid: number
  readonly application: string | null
  readonly state: string | null
  /** Seconds since its transaction began. */
  readonly seconds: number | null
}

const parts = `a.pid, a.application_name AS application, a.state,
  extract(epoch FROM clock_timestamp() - a.xact_start)::integer AS seconds`

/** Sessions that hold an advisory lock of this database. */
export const listAdvisoryHolders = (database: Queryable, lock: number): Promise<Holder[]> =>
  list(
    database,
    `SELECT ${parts} FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND l.classid = ($1::bigint >> 32)::oid AND l.objid = ($1::bigint & 4294967295)::oid`,
    lock,
  )

/** Other sessions that use one of the tables, the oldest transaction first. */
export const listTableHolders = (
  database: Queryable,
  tables: readonly string[],
): Promise<Holder[]> =>
  list(
    database,
    `SELECT DISTINCT ${parts} FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.relation IN (SELECT to_regclass(name) FROM unnest($1::text[]) name) AND l.granted
       AND l.pid <> pg_backend_pid()
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
     ORDER BY seconds DESC NULLS LAST LIMIT 5`,
    tables,
  )

/** Other sessions of this database with an older snapshot. */
export const listOldTransactions = (database: Queryable): Promise<Holder[]> =>
  list(
    database,
    `SELECT ${parts} FROM pg_stat_activity a
     WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
       AND (a.backend_xid IS NOT NULL OR a.backend_xmin IS NOT NULL)
     ORDER BY seconds DESC NULLS LAST LIMIT 5`,
  )

/** The sessions that a waiting one waits for. */
export const listBlockers = (database: Queryable, pid: number): Promise<Holder[]> =>
  list(
    database,
    `SELECT ${parts} FROM pg_stat_activity a
     WHERE a.pid = ANY (pg_blocking_pids($1))
     ORDER BY seconds DESC NULLS LAST LIMIT 5`,
    pid,
  )

const list = async (database: Queryable, text: string, ...values: unknown[]): Promise<Holder[]> =>
  (await database.query<Holder>(text, values)).rows

/** `pid 4711 (docket, idle in transaction, for 65 s) and pid 4712 (psql, active)`. */
export const printHolders = (holders: readonly Holder[]): string =>
  holders
    .map(({ pid, application, state, seconds }) => {
      const all = [application, state, seconds === null ? null : `for ${seconds} s`]
      const words = all.filter((word) => word !== null && word !== '')
      return `pid ${pid}${words.length > 0 ? ` (${words.join(', ')})` : ''}`
    })
    .join(' and ')
