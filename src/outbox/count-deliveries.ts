/** Counts deliveries by channel and status. */
import { type Pool, queryRows } from '../database/pool.ts'
import { allOf, bigint, join, nothing, type Sql, sql, text } from '../database/sql.ts'
import { type ChannelName, channelNames } from '../definitions/schemas/notification-rule.ts'
import { type DeliveryStatus, deliveryStatuses } from './delivery.ts'
import { chosen, type DeliveryChoice } from './delivery-list.ts'
import { allFound } from './found-deliveries.ts'

type Numbers = Record<DeliveryStatus, number>

type CountRow = { readonly channel: string; readonly status: string; readonly count: number }

/** The number of deliveries by channel and status; of the sent ones of a channel at most `sentLimit`. */
export const countByChannel = async (
  pool: Pool,
  choice: DeliveryChoice,
  sentLimit?: number,
): Promise<Record<ChannelName, Numbers>> => {
  const rows = await queryRows<CountRow>(pool, counted(choice, sentLimit))
  const numbersOf = (channel: ChannelName): Numbers =>
    Object.fromEntries(
      deliveryStatuses.map((status) => {
        const row = rows.find((one) => one.channel === channel && one.status === status)
        const count = row?.count ?? 0
        return [status, status === 'sent' ? Math.min(count, sentLimit ?? count) : count]
      }),
    ) as Numbers
  const counts = channelNames.map((channel) => [channel, numbersOf(channel)])
  return Object.fromEntries(counts) as Record<ChannelName, Numbers>
}

/** The number of deliveries by status, without the sent ones, whose number only grows. */
export const countDeliveries = async (pool: Pool): Promise<Readonly<Record<string, number>>> => {
  const rows = await queryRows<{ status: string; count: number }>(
    pool,
    sql`
SELECT status, count(*) AS count
FROM docket.delivery
WHERE status <> 'sent'
GROUP BY status`,
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Rows of a channel, a status and a number. */
const counted = (choice: DeliveryChoice, sentLimit: number | undefined): Sql => {
  const conditions = chosen(choice)
  if (choice.q)
    return sql`
  SELECT c.channel, c.status, count(*) AS count
  FROM (${allFound(sql`d.channel, d.status`, { words: choice.q, conditions })}) c
  GROUP BY c.channel, c.status`
  const mailings = sql` JOIN docket.mailing m ON m.id = d.mailing_id`
  const from = sql`FROM docket.delivery d${choice.entity === undefined ? nothing : mailings}`
  const limit = sentLimit === undefined ? nothing : sql` LIMIT ${bigint(sentLimit)}`
  // Each part has an index, which knows the status as it is written here.
  const sent = channelNames.map(
    (channel) => sql`
  SELECT ${text(channel)}, 'sent', (
    SELECT count(*)
    FROM (
      SELECT ${from}
      WHERE ${allOf([sql`d.status = 'sent'`, sql`d.channel = ${text(channel)}`, ...conditions])}${limit}
    ) s
  )`,
  )
  const waiting = sql`
  SELECT d.channel, d.status, count(*) AS count
  ${from}
  WHERE ${allOf([sql`d.status <> 'sent'`, ...conditions])}
  GROUP BY d.channel, d.status`
  return join([waiting, ...sent], ' UNION ALL ')
}
