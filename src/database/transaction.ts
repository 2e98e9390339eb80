/** Runs work in one transaction. */
import { isLastAfterWork } from './database-errors.ts'
import type { Connection, Pool } from './pool.ts'

type Mode = 'READ COMMITTED' | 'REPEATABLE READ READ ONLY'

/** Commits and returns the result of `work`; rolls back and rethrows its error. */
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
    // A connection returns to the pool only after a successful rollback.
    await connection.query('ROLLBACK').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    connection.release(broken)
  }
}
