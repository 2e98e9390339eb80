/** Lets one process at a time do a piece of work, also when processes crash. */
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import type { Connection, Pool } from '../pool.ts'
import { listAdvisoryHolders, printHolders } from './lock-holders.ts'

type Options = {
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
  { pool, lock, what, waitMs }: Options,
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
  { lock, what, waitMs }: Omit<Options, 'pool'>,
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
