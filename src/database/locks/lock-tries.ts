/** Runs a transaction that needs locks without keeping others from theirs for longer than a moment. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../pool.ts'

// Whoever wants a table waits behind a statement that waits for its lock: for so long at most.
const lockTimeoutMs = 250
const longestPauseMs = 1_000

type Options = {
  /** How long locks are asked for. */
  readonly waitMs: number
  /** The error to throw once that is over. */
  readonly giveUp: (cause: unknown) => Promise<Error>
}

/**
 * Commits what `work` does; where a lock cannot be had at once all of it is rolled back, and done again
 * after a pause in which others pass.
 */
export const tryForLocks = async (
  connection: Queryable,
  { waitMs, giveUp }: Options,
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

/** lock_not_available, or deadlock_detected: whoever began earlier goes first. */
export const isLockError = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(String((error as { code?: unknown } | null)?.code))
