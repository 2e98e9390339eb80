/** Changes partitions of notifications in transactions of which one runs at a time, without blocking others for long. */

import type { QueryConfig } from 'pg'
import { listTableHolders, printHolders, tryForLocks } from '../../database/locks.ts'
import { type Connection, type Pool, type Queryable, queryOnce } from '../../database/pool.ts'
import { raw, sql } from '../../database/sql.ts'
import { wholeTable } from './months.ts'

/** The statements of one transaction. */
export type Step = readonly string[]

// An arbitrary number: the advisory lock of the process that changes months.
const monthsLock = 7_305_114_021
const waitMs = 60_000
// Reading a large partition takes minutes; nobody waits for it.
const longMs = 86_400_000

/** Others queue behind a lock that is waited for after this, for at most this time. */
export const briefly = `SET LOCAL lock_timeout = '100ms'`

/** Takes steps until none is left, on a connection of its own; ends at once if another process takes them. */
export const takeSteps = async (
  pool: Pool,
  findStep: (database: Queryable) => Promise<Step | undefined>,
): Promise<void> => {
  const connection = await pool.connect()
  try {
    while (await takeStep(connection, findStep));
  } finally {
    connection.release(true)
  }
}

const takeStep = async (
  connection: Connection,
  findStep: (database: Queryable) => Promise<Step | undefined>,
): Promise<boolean> => {
  let step: Step | undefined
  const giveUp = async (cause: unknown) => {
    const holders = printHolders(await listTableHolders(connection, [wholeTable]))
    return new Error(`others have used ${wholeTable} for ${waitMs / 1000} s: ${holders}`, { cause })
  }
  await tryForLocks(connection, { waitMs, giveUp }, async () => {
    await connection.query('SET LOCAL statement_timeout = 0')
    // What is left may be another step by now.
    step = (await takeLock(connection)) ? await findStep(connection) : undefined
    for (const text of step ?? [])
      await connection.query({ text, query_timeout: longMs } as QueryConfig)
  })
  return step !== undefined
}

/** False if another process has the lock. */
const takeLock = async (connection: Connection): Promise<boolean> => {
  const [row] = await queryOnce<{ taken: boolean }>(
    connection,
    sql`SELECT pg_try_advisory_xact_lock(${raw(String(monthsLock))}) AS taken`,
  )
  return row?.taken === true
}
