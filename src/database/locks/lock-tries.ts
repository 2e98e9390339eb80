/** Runs a transaction that needs locks, without blocking others for long. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../pool.ts'

// Others queue behind a statement that waits for a lock: for at most this time.
const lockTimeoutMs = 250
const longestPauseMs = 1_000

type Options = {
  /** How long to try to get locks. */
  readonly waitMs: number
  /** The error to throw after that time. */
  readonly giveUp: (cause: unknown) => Promise<Error>
}

/**
 * Commits what `work` does. When a lock is not available immediately, rolls back and retries after a pause in
 * which others continue.
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

/** lock_not_available, or deadlock_detected: let the other transaction finish. */
export const isLockError = (error: unknown): boolean =>
  ['55P03', '40P01'].includes(String((error as { code?: unknown } | null)?.code))
