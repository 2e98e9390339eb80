/** Lists and counts deliveries of all places of the feed together, exactly. */
import { compactJson } from '../../database/compact-json.ts'
import { type Feeds, isApart, ofThoseUp } from '../../database/feeds/feeds.ts'
import { type Pool, queryOnce, queryRows } from '../../database/pool.ts'
import { bigint, bound, sql } from '../../database/sql.ts'
import { type ChannelName, channelNames } from '../../definitions/schemas/notification-rule.ts'
import { deliveryStatuses } from '../delivery.ts'
import {
  type CountRow,
  countRows,
  type DeliveryChoice,
  type DeliveryFilter,
  listDeliveries,
  matching,
  selectJson,
} from '../delivery-list.ts'
import { addressesIn, readBeside } from './beside.ts'
import { type Key, mergeKeys } from './merge-keys.ts'

/** A page of all places, the newest first. Of one server the order is that of its ids; servers are merged by the time. */
export const listInFeeds = async (
  { all }: Feeds,
  { limit, offset, ...filter }: DeliveryFilter,
): Promise<string[]> => {
  const [first] = all
  if (first && !isApart(first)) return listDeliveries(first, { ...filter, limit, offset })
  const page: { feed: Pool; id: number }[] = []
  let passed = 0
  for await (const key of mergeKeys(all, (feed, before, most) =>
    keysOf(feed, filter, before, most),
  )) {
    if (passed++ < offset) continue
    page.push(key)
    if (page.length === limit) break
  }
  return readPage(page)
}

/** The newest of a place before an id. */
const keysOf = (
  feed: Pool,
  filter: Omit<DeliveryFilter, 'limit' | 'offset'>,
  before: number | undefined,
  most: number,
): Promise<Key[]> => {
  const more = before === undefined ? [] : [sql`d.id < ${bigint(before)}`]
  return queryRows<Key>(
    feed,
    sql`
SELECT d.id, (extract(epoch FROM d.created_at) * 1000)::bigint AS at
FROM docket.delivery d
JOIN docket.mailing m ON m.id = d.mailing_id
WHERE ${matching(filter, { users: addressesIn(feed), most, more })}
ORDER BY d.id DESC
LIMIT ${bigint(most)}`,
  )
}

/** The JSON of these deliveries, in this order; one that was removed meanwhile is left out. */
const readPage = async (
  page: readonly { readonly feed: Pool; readonly id: number }[],
): Promise<string[]> => {
  const read = [...Map.groupBy(page, ({ feed }) => feed)].map(async ([feed, own]) => {
    const ids = own.map(({ id }) => id)
    const beside = await readBeside(feed, ids)
    return queryOnce<{ json: string }>(
      feed,
      sql`${selectJson(beside)} WHERE d.id = ANY (${bound(ids, 'bigint[]')})`,
    )
  })
  const texts = (await Promise.all(read)).flat().map(({ json }) => json)
  const byId = new Map(texts.map((json) => [JSON.parse(json).id, json]))
  return page.flatMap(({ id }) => byId.get(id) ?? []).map(compactJson)
}

type Numbers = Record<string, number>

/** The number of deliveries by channel and status; of the sent ones of a channel at most `sentLimit`. */
export const countByChannel = async (
  { all }: Feeds,
  choice: DeliveryChoice,
  sentLimit?: number,
): Promise<Record<ChannelName, Numbers>> => {
  const rows = await Promise.all(all.map((feed) => countRows(feed, choice, sentLimit)))
  const none = () => Object.fromEntries(deliveryStatuses.map((status) => [status, 0]))
  const counts: Record<string, Numbers> = Object.fromEntries(
    channelNames.map((name) => [name, none()]),
  )
  for (const row of rows.flat()) add(counts, row, sentLimit)
  return counts as Record<ChannelName, Numbers>
}

const add = (
  counts: Record<string, Numbers>,
  { channel, status, count }: CountRow,
  sentLimit: number | undefined,
): void => {
  const sum = (counts[channel]?.[status] ?? 0) + count
  const most = status === 'sent' ? (sentLimit ?? sum) : sum
  counts[channel] = { ...counts[channel], [status]: Math.min(sum, most) }
}

/** The number of deliveries by status, without the sent ones, whose number only grows; of the places that answer. */
export const countDeliveries = async ({
  all,
}: Feeds): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {}
  for (const rows of await ofThoseUp(all, countWaiting))
    for (const { status, count } of rows) counts[status] = (counts[status] ?? 0) + count
  return counts
}

const countWaiting = (feed: Pool) =>
  queryRows<{ status: string; count: number }>(
    feed,
    sql`
SELECT status, count(*) AS count
FROM docket.delivery
WHERE status <> 'sent'
GROUP BY status`,
  )
