/** Finds out what a pooler does with the sessions behind it, by what two connections can see of each other. */
import { randomInt } from 'node:crypto'
import type pg from 'pg'

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
export const leadToOneDatabase = async (direct: pg.Client, pooled: pg.Client): Promise<boolean> => {
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
