/** Runs work in one transaction: all of it is kept, or nothing. */
import { isLastAfterWork } from './database-errors.ts'
import type { Connection, Pool } from './pool.ts'

type Mode = 'READ COMMITTED' | 'REPEATABLE READ READ ONLY'

/** Commits what `work` answers; rolls back and rethrows what it throws. */
export const transaction = async <T>(
  pool: Pool,
  work: (connection: Connection) => Promise<T>,
  mode: Mode = 'READ COMMITTED',
): Promise<T> => {
  const connection = await pool.connect()
  let broken: Error | undefined
  try {
    await connection.query(`BEGIN ISOLATION LEVEL ${mode}`)
    const result = await work(connection)
    await connection.query('COMMIT')
    return result
  } catch (error) {
    if (isLastAfterWork(error)) broken = error as Error
    // A connection goes back to the pool only where it could roll back.
    await connection.query('ROLLBACK').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    connection.release(broken)
  }
}
