/** Deliveries for administrators: list, count, and retry. */

import { type Pool, queryRow, queryRows } from '../database/pool.ts'
import { compactJson } from '../database/row-types.ts'
import { allOf, bigint, int, isoTime, ref, type Sql, sql, table, text } from '../database/sql.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import { maxRetried, type Retried } from '../http/endpoint/retry-many.ts'
import { retryRows } from '../jobs/queue.ts'
import { type DeliveryStatus, deliveryTable, joinNotification, queuedChannel } from './delivery.ts'
import { newestFound } from './found-deliveries.ts'

/** Deliveries about a record, to a user, or with words in their address or subject. */
export type DeliveryChoice = {
  readonly entity: string | undefined
  /** Id of the record; only with its entity. */
  readonly record: number | undefined
  readonly user: number | undefined
  readonly q: string | undefined
}

export type DeliveryFilter = DeliveryChoice & {
  readonly status: DeliveryStatus | undefined
  readonly channel: ChannelName | undefined
  readonly limit: number
  readonly offset: number
}

type Json = { readonly json: string }

/** A page, the newest first. */
export const listDeliveries = async (pool: Pool, filter: DeliveryFilter): Promise<string[]> => {
  const { limit, offset } = filter
  const rows = await queryRows<Json>(
    pool,
    sql`
WITH page AS MATERIALIZED (
  SELECT d.id
  FROM docket.delivery d
  JOIN docket.mailing m ON m.id = d.mailing_id
  WHERE ${matching(filter, limit + offset)}
  ORDER BY d.id DESC
  LIMIT ${bigint(limit)} OFFSET ${bigint(offset)}
)
${selectJson}
WHERE d.id IN (SELECT id FROM page)
ORDER BY d.id DESC`,
  )
  return rows.map(({ json }) => compactJson(json))
}

/** The condition of a filter on a delivery `d` and its mailing `m`; `most` of the newest are found at least, if there are. */
const matching = (
  { status, channel, q, ...choice }: Omit<DeliveryFilter, 'limit' | 'offset'>,
  most: number,
): Sql => {
  const conditions = [
    ...(status ? [sql`d.status = ${text(status)}`] : []),
    ...(channel ? [sql`d.channel = ${text(channel)}`] : []),
    ...chosen(choice),
  ]
  return q ? sql`d.id IN (${newestFound({ words: q, conditions }, most)})` : allOf(conditions)
}

/** The conditions of a choice on a delivery `d` and its mailing `m`. */
export const chosen = ({ entity, record, user }: Omit<DeliveryChoice, 'q'>): Sql[] => [
  ...(entity ? [sql`m.entity_key = ${text(entity)}`] : []),
  ...(record ? [sql`m.entity_id = ${int(record)}`] : []),
  ...(user ? [sql`d.user_id = ${int(user)}`] : []),
]

/** One delivery. */
export const findDelivery = async (pool: Pool, id: number): Promise<string | undefined> => {
  const row = await queryRow<Json>(pool, sql`${selectJson} WHERE d.id = ${bigint(id)}`)
  return row && compactJson(row.json)
}

const attachments = sql`(
  SELECT coalesce(json_agg(json_build_object(
    'position', a.position, 'filename', a.filename, 'mimetype', a.mimetype, 'size', a.size, 'fault', a.fault
  ) ORDER BY a.position), '[]')
  FROM docket.attachment a
  WHERE a.mailing_id = m.id AND a.audience = d.audience
)`

/** The entry of the history that a mailing is about: its time may be rounded to another millisecond. */
const historyEntry = sql`(
  SELECT h.id, h.user_id, h.acting_user_id
  FROM docket.history h
  WHERE h.entity_key = m.entity_key AND h.entity_id = m.entity_id AND h.operation = m.operation
    AND h.at BETWEEN m.happened_at - interval '1 millisecond' AND m.happened_at + interval '1 millisecond'
  ORDER BY h.id DESC
  LIMIT 1
)`

const namedBy = (alias: string): Sql => sql`CASE WHEN ${ref('id', alias)} IS NOT NULL
    THEN json_build_object('id', ${ref('id', alias)}, 'full_name', ${ref('full_name', alias)}) END`

/** The JSON of deliveries `d`. */
const selectJson = sql`
SELECT json_build_object(
  'id', d.id, 'channel', d.channel, 'entity_key', m.entity_key, 'entity_id', m.entity_id, 'operation', m.operation,
  'entry', m.entry, 'history_id', e.id, 'by', ${namedBy('b')}, 'acting_user', ${namedBy('a')},
  'user', json_build_object('id', d.user_id, 'full_name', u.full_name),
  'status', d.status, 'tries', d.tries, 'last_error', d.last_error,
  'next_try_at', CASE WHEN d.status IN ('queued', 'failed') THEN ${isoTime('d.due_at')} END,
  'created_at', ${isoTime('d.created_at')}, 'sent_at', ${isoTime('d.sent_at')},
  'address', coalesce(s.address, d.target, u.email), 'subject', coalesce(s.subject, n.content->>'title'),
  'attachments', ${attachments}
)::text AS json
FROM docket.delivery d
JOIN docket.mailing m ON m.id = d.mailing_id
LEFT JOIN ${table('user')} u ON u.id = d.user_id${joinNotification}
LEFT JOIN docket.sent_message s ON s.delivery_id = d.id
LEFT JOIN LATERAL ${historyEntry} e ON true
LEFT JOIN ${table('user')} b ON b.id = e.user_id
LEFT JOIN ${table('user')} a ON a.id = e.acting_user_id`

/** The deliveries to retry: these, or the oldest of a status. */
export type RetryChoice = {
  readonly ids?: readonly number[] | undefined
  readonly status?: string | undefined
  readonly channel?: string | undefined
}

/** Retries dead and failed deliveries immediately, and says what became of each, in order. */
export const retryDeliveries = (
  pool: Pool,
  { ids, status = '', channel }: RetryChoice,
): Promise<Retried[]> => {
  const ofChannel = channel === undefined ? [] : [sql`r.channel = ${text(channel)}`]
  return retryRows(
    pool,
    { table: deliveryTable, channel: queuedChannel },
    {
      ids,
      chosen: allOf([sql`r.status = ${text(status)}`, ...ofChannel]),
      mayBeRetried: sql`r.status IN ('dead', 'failed')`,
      most: maxRetried,
      refused: 'delivery.not-failed',
      unknown: 'delivery.unknown',
    },
  )
}

/** The attachments of a delivery, without their bytes. */
export const findStoredAttachments = async (pool: Pool, id: number): Promise<unknown> => {
  const row = await queryRow<Json>(
    pool,
    sql`
SELECT ${attachments}::text AS json
FROM docket.delivery d
JOIN docket.mailing m ON m.id = d.mailing_id
WHERE d.id = ${bigint(id)}`,
  )
  return JSON.parse(row?.json ?? '[]')
}
