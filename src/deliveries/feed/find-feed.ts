/** In which place of the feed a delivery is. Ids are given once in all places. */
import type { Feeds } from '../../database/feeds/feeds.ts'
import { execute, type Pool } from '../../database/pool.ts'
import { bigint, sql } from '../../database/sql.ts'

/**
 * The place that has the delivery; any one if none has it. Where it may be in a place that is away, that is the error.
 */
export const feedOfDelivery = async ({ all }: Feeds, id: number): Promise<Pool> => {
  const [first, second] = all
  if (first && !second) return first
  const has = sql`SELECT FROM docket.delivery WHERE id = ${bigint(id)}`
  const asked = await Promise.allSettled(all.map((feed) => execute(feed, has)))
  const place = asked.findIndex((one) => one.status === 'fulfilled' && one.value > 0)
  const failed = asked.find((one) => one.status === 'rejected')
  if (place === -1 && failed) throw failed.reason
  const feed = all[Math.max(place, 0)]
  if (!feed) throw new Error('There is no place for deliveries.')
  return feed
}
