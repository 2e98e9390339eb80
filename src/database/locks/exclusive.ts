/** Lets one process at a time do a piece of work, however many come at once and however they end. */
import { setTimeout as delay } from 'node:timers/promises'
import { StartupError } from '../../errors.ts'
import type { Connection, Pool } from '../pool.ts'
import { listAdvisoryHolders, printHolders } from './lock-holders.ts'

type Options = {
  readonly pool: Pool
  /** Number of the advisory lock. */
  readonly lock: number
  /** What the lock is for, as in "another process has the lock of …". */
  readonly what: string
  /** How long to wait for a holder that does nothing; one that works is waited for. */
  readonly waitMs: number
}

const pollMs = 100
// The server ends a session that says nothing for so long: a process that stands still or a host that is
// gone does not keep the lock.
const sessionSettings = [
  `SET idle_session_timeout = '60s'`,
  `SET idle_in_transaction_session_timeout = '60s'`,
  'SET tcp_keepalives_idle = 10',
  'SET tcp_keepalives_interval = 5',
  'SET tcp_keepalives_count = 3',
  'SET statement_timeout = 0',
]

/**
 * Runs work under an advisory lock on a connection of its own, which is closed afterwards. The lock is
 * asked for again and again: a statement that waits for it would keep a snapshot, and
 * `CREATE INDEX CONCURRENTLY` of the holder would wait for that.
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
      // Where it cannot be given back the connection has gone, and the lock with it.
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
          `Another process has the lock of ${what} and does nothing: ${printHolders(holders)}. End that process, then try again.`,
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
