/** Runs work in one transaction, or as a part of one. */
import { collectSignals, stopCollecting } from './after-commit.ts'
import { isLastAfterWork } from './database-errors.ts'
import type { Connection, Pool, Queryable } from './pool.ts'

type Mode = 'READ COMMITTED' | 'REPEATABLE READ READ ONLY'

type Work<T> = (connection: Connection) => Promise<T>

/** Commits, signals, and returns the result of `work`; rolls back and rethrows its error. */
export const transaction = <T>(
  pool: Pool,
  work: Work<T>,
  mode: Mode = 'READ COMMITTED',
): Promise<T> => run(pool, work, mode, 'COMMIT')

/** Returns the result of `work`, of which nothing is written. */
export const trial = <T>(pool: Pool, work: Work<T>): Promise<T> =>
  run(pool, work, 'READ COMMITTED', 'ROLLBACK')

const run = async <T>(
  pool: Pool,
  work: Work<T>,
  mode: Mode,
  end: 'COMMIT' | 'ROLLBACK',
): Promise<T> => {
  const connection = await pool.connect()
  const signals = collectSignals(connection)
  let broken: Error | undefined
  try {
    await pool.begin(connection, mode)
    const result = await work(connection)
    await connection.query(end)
    if (end === 'COMMIT' && signals.length > 0) void pool.signaller.signal(signals)
    return result
  } catch (error) {
    if (isLastAfterWork(error)) broken = error as Error
    // A connection returns to the pool only after a successful rollback.
    await connection.query('ROLLBACK').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    stopCollecting(connection)
    connection.release(broken)
  }
}

/** Where a write happens: all of its work is written, or nothing. */
export type Writer = {
  /** For questions after work that failed. */
  readonly database: Queryable
  readonly transact: <T>(work: Work<T>) => Promise<T>
}

/** Writes in transactions of their own. */
export const writerOn = (pool: Pool): Writer => ({
  database: pool,
  transact: (work) => transaction(pool, work),
})

/** Writes as parts of one transaction: a part that fails leaves the others as they are. */
export const partOf = (connection: Connection): Writer => ({
  database: connection,
  transact: async (work) => {
    await connection.query('SAVEPOINT part')
    try {
      const result = await work(connection)
      await connection.query('RELEASE SAVEPOINT part')
      return result
    } catch (error) {
      // On a lost connection this fails too; the first error says why.
      await connection
        .query('ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part')
        .catch(() => undefined)
      throw error
    }
  },
})
