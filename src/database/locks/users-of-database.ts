/**
 * Who uses a database: every session of a service, a worker or a command has a part of one advisory lock
 * for as long as it lives, whatever the address calls it. A restore takes the whole lock.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

type Session = Pick<pg.ClientBase, 'query'>

/** Number of the lock; any will do. */
export const useLock = 7_305_114_005
const answerWithinMs = 10_000
const pollMs = 50
// SQLSTATE cannot_connect_now: it is away as when its server starts.
const awayCode = '57P03'

/** Says that this session uses the database; throws while a restore has it alone. */
export const joinUsers = async (client: Session): Promise<void> => {
  const { rows } = await client.query<{ joined: boolean }>({
    text: `SELECT pg_try_advisory_lock_shared(${useLock}) AS joined`,
    query_timeout: answerWithinMs,
  } as pg.QueryConfig)
  if (rows[0]?.joined !== true)
    throw Object.assign(new Error('a restore has the database alone'), { code: awayCode })
}

/** Takes the database alone until the session ends; false where others use it and stay. */
export const takeAlone = async (
  client: Session,
  { waitMs }: { readonly waitMs: number },
): Promise<boolean> => {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${useLock}) AS taken`,
    )
    if (rows[0]?.taken === true) return true
    if (performance.now() > giveUpAt) return false
    await delay(pollMs)
  }
}
