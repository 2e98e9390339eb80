/** Retries deliveries of all places of the feed together. */
import type { Feeds } from '../../database/feeds/feeds.ts'
import { type Pool, queryRows } from '../../database/pool.ts'
import { bigint, sql, text } from '../../database/sql.ts'
import { maxRetried, type Retried } from '../../http/endpoint/retry-many.ts'
import { type RetryChoice, retryDeliveries } from '../delivery-list.ts'

/** Retries dead and failed deliveries immediately, and says what became of each, in order. */
export const retryInFeeds = async (
  { all }: Feeds,
  { ids, ...choice }: RetryChoice,
): Promise<Retried[]> => {
  const [first, second] = all
  if (first && !second) return retryDeliveries(first, { ids, ...choice })
  if (ids) return retryIds(all, ids)
  const oldest = await listOldest(all, choice)
  const retried = await retryIds(all, oldest.slice(0, maxRetried))
  // One more says that there are more.
  return [...retried, ...oldest.slice(maxRetried).map((id) => ({ id, result: 'more' }))]
}

/** Only the place that has one knows it. */
const retryIds = async (all: readonly Pool[], ids: readonly number[]): Promise<Retried[]> => {
  if (ids.length === 0) return []
  const [first = [], ...others] = await Promise.all(
    all.map((feed) => retryDeliveries(feed, { ids })),
  )
  return first.map((one, place) => {
    const results = [one, ...others.flatMap((results) => results[place] ?? [])]
    return results.find(({ result }) => result !== 'delivery.unknown') ?? one
  })
}

/** Ids of the oldest, one more than may be retried. */
const listOldest = async (
  all: readonly Pool[],
  { status = '', channel }: RetryChoice,
): Promise<number[]> => {
  const ofChannel = channel === undefined ? sql`true` : sql`channel = ${text(channel)}`
  const lists = all.map((feed) =>
    queryRows<{ id: number; at: number }>(
      feed,
      sql`
SELECT id, (extract(epoch FROM created_at) * 1000)::bigint AS at
FROM docket.delivery
WHERE status = ${text(status)} AND ${ofChannel}
ORDER BY id
LIMIT ${bigint(maxRetried + 1)}`,
    ),
  )
  const rows = (await Promise.all(lists)).flat()
  const sorted = rows.sort((one, other) => one.at - other.at || one.id - other.id)
  return sorted.slice(0, maxRetried + 1).map(({ id }) => id)
}
