/** Limits the rate of all processes together to what a provider, or its customer, wants. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Pool, queryRow } from '../../database/pool.ts'
import { bound, sql, text } from '../../database/sql.ts'
import type { ChannelName } from '../../definitions/schemas/notification-rule.ts'

/** It is not known when the next delivery may be sent, or the process stops before. */
export class RateUnknown extends Error {
  override name = 'RateUnknown'
}

/** Waits until one delivery of the channel may be sent; throws a RateUnknown if that cannot be determined. */
export const waitForRate = async (
  pool: Pool,
  { name, maxPerSecond }: { readonly name: ChannelName; readonly maxPerSecond: number | undefined },
  stop: AbortSignal,
): Promise<void> => {
  if (maxPerSecond === undefined) return
  try {
    const step = sql`interval '1 second' / ${bound(maxPerSecond, 'double precision')}`
    const row = await queryRow<{ wait: string }>(
      pool,
      sql`
INSERT INTO docket.delivery_rate AS r (channel, next_at)
VALUES (${text(name)}, clock_timestamp() + ${step})
ON CONFLICT (channel) DO UPDATE SET next_at = greatest(r.next_at, clock_timestamp()) + ${step}
RETURNING (extract(epoch FROM r.next_at - ${step} - clock_timestamp()) * 1000)::text AS wait`,
    )
    const waitMs = Math.max(0, Number(row?.wait ?? 0))
    await delay(waitMs, undefined, { signal: stop, ref: false })
  } catch (cause) {
    throw new RateUnknown('It is not known when the delivery may go.', { cause })
  }
}
