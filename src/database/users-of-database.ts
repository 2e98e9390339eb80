/**
 * The users of a database: every session of a service, a worker or a command shares an advisory lock. A
 * restore takes it exclusively.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'

type Session = Pick<pg.ClientBase, 'query'>

/** An arbitrary lock id. */
export const useLock = 7_305_114_005
const answerTimeoutMs = 10_000
const pollMs = 50
// SQLSTATE cannot_connect_now: unavailable, as when the server starts.
const awayCode = '57P03'

/** Takes the shared lock for this session; throws during a restore. */
export const joinUsers = async (client: Session): Promise<void> => {
  const { rows } = await client.query<{ joined: boolean }>({
    text: `SELECT pg_try_advisory_lock_shared(${useLock}) AS joined`,
    query_timeout: answerTimeoutMs,
  } as pg.QueryConfig)
  if (rows[0]?.joined !== true)
    throw Object.assign(new Error('a restore has exclusive use of the database'), {
      code: awayCode,
    })
}

/** Takes the exclusive lock until the session ends; false while others use the database. */
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
