/** Transactions on several connections that all see one snapshot. */
import { releaseCancelled } from '../../database/connections/cancel-query.ts'
import { type Connection, type Pool, queryOnce } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'

const mode = 'REPEATABLE READ READ ONLY'

/** Begins a transaction with a snapshot of its own. */
export const takeSnapshot = (pool: Pool, connection: Connection): Promise<void> =>
  pool.begin(connection, mode)

/** The name of the transaction's snapshot, by which others see it while the transaction lasts. */
export const nameSnapshot = async (connection: Connection): Promise<string> => {
  const [row] = await queryOnce<{ name: string }>(
    connection,
    sql`SELECT pg_export_snapshot() AS name`,
  )
  if (!row) throw new Error('PostgreSQL named no snapshot.')
  return row.name
}

/** A connection with a transaction that sees the snapshot of that name. */
export const beginSnapshot = async (pool: Pool, name: string): Promise<Connection> => {
  const connection = await pool.connect()
  try {
    await pool.begin(connection, mode, name)
    return connection
  } catch (error) {
    connection.release(true)
    throw error
  }
}

/**
 * Returns the connection to the pool after the last row. Before it, the query is cancelled, and the connection
 * closed when it has ended.
 */
export const releaseSnapshot = async (connection: Connection, isWhole: boolean): Promise<void> => {
  if (isWhole)
    await connection.query('COMMIT').then(
      () => connection.release(),
      () => connection.release(true),
    )
  else await releaseCancelled(connection)
}
