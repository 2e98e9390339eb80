/** Keeps all processes together as slow as the provider, or who pays it, wants them. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Pool, queryRows } from '../../database/pool.ts'
import { bound, sql, toStatement } from '../../database/sql.ts'

/** It is not known when the next e-mail may go, or the process ends before. */
export class NoTurn extends Error {
  override name = 'NoTurn'
}

/** Waits for the turn of one e-mail; throws a NoTurn where none comes. */
export const keepPace = async (
  pool: Pool,
  maxPerSecond: number | undefined,
  stop: AbortSignal,
): Promise<void> => {
  if (maxPerSecond === undefined) return
  try {
    const step = sql`interval '1 second' / ${bound(maxPerSecond, 'double precision')}`
    const next = sql`UPDATE docket.email_pace SET next_at = greatest(next_at, clock_timestamp()) + ${step} RETURNING (extract(epoch FROM next_at - ${step} - clock_timestamp()) * 1000)::text AS wait`
    const [row] = await queryRows<{ wait: string }>(pool, toStatement(next))
    const waitMs = Math.max(0, Number(row?.wait ?? 0))
    await delay(waitMs, undefined, { signal: stop, ref: false })
  } catch (cause) {
    throw new NoTurn('There is no turn for the e-mail.', { cause })
  }
}
