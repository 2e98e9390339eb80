/**
 * Who uses a database: every session of a service, a worker or a command has a part of one advisory lock
 * for as long as it lives, whatever the address calls it. A restore takes the whole lock.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type Holder, listAdvisoryHolders } from './lock-holders.ts'
import type { Queryable } from './pool.ts'

// Any number will do.
const useLock = 7_305_114_005
const answerWithinMs = 10_000
const pollMs = 50
// SQLSTATE cannot_connect_now: it is away as when its server starts.
const awayCode = '57P03'

/** Says that this session uses the database; throws while a restore has it alone. */
export const joinUsers = async (client: Queryable): Promise<void> => {
  const { rows } = await client.query<{ joined: boolean }>({
    text: `SELECT pg_try_advisory_lock_shared(${useLock}) AS joined`,
    query_timeout: answerWithinMs,
  } as pg.QueryConfig)
  if (rows[0]?.joined !== true)
    throw Object.assign(new Error('a restore has the database alone'), { code: awayCode })
}

/** Takes the database alone until the session ends; answers with who uses it where that stays refused. */
export const takeAlone = async (
  client: Queryable,
  { waitMs }: { readonly waitMs: number },
): Promise<readonly Holder[] | undefined> => {
  const giveUpAt = performance.now() + waitMs
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${useLock}) AS taken`,
    )
    if (rows[0]?.taken === true) return undefined
    if (performance.now() > giveUpAt) return listAdvisoryHolders(client, useLock)
    await delay(pollMs)
  }
}
