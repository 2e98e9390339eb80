/** The statements of a database that wait for a lock. */
import type { Queryable } from '../../src/database/pool.ts'
import { until } from './wait.ts'

/**
 * Waits until so many statements wait for a lock. `database` is a pool, or a connection outside a
 * transaction: within one, PostgreSQL shows the sessions of the first look again and again.
 */
export const untilWaitingForLock = (database: Queryable, count = 1): Promise<unknown> =>
  until(
    `${count} wait for a lock`,
    async () => (await pidsWaitingForLock(database)).length >= count,
  )

export const pidsWaitingForLock = async (database: Queryable): Promise<number[]> => {
  const { rows } = await database.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows.map(({ pid }) => pid)
}
