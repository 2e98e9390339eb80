/** Deliveries for administrators: list, count, and retry. */
import { compactJson } from '../database/compact-json.ts'
import { type Pool, queryRow, queryRows } from '../database/pool.ts'
import { allOf, bigint, int, isoTime, sql, table, text } from '../database/sql.ts'
import { type DeliveryStatus, notifySenders } from './delivery.ts'

export type DeliveryFilter = {
  readonly status: DeliveryStatus | undefined
  readonly entity: string | undefined
  readonly user: number | undefined
  readonly limit: number
  readonly offset: number
}

type Json = { readonly json: string }

/** A page, the newest first. */
export const listDeliveries = async (pool: Pool, filter: DeliveryFilter): Promise<string[]> => {
  const conditions = [
    ...(filter.status ? [sql`d.status = ${text(filter.status)}`] : []),
    ...(filter.entity ? [sql`m.entity_key = ${text(filter.entity)}`] : []),
    ...(filter.user ? [sql`d.user_id = ${int(filter.user)}`] : []),
  ]
  const rows = await queryRows<Json>(
    pool,
    sql`
${selectJson}
WHERE ${allOf(conditions)}
ORDER BY d.id DESC
LIMIT ${bigint(filter.limit)} OFFSET ${bigint(filter.offset)}`,
  )
  return rows.map(({ json }) => compactJson(json))
}

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

const selectJson = sql`
SELECT json_build_object(
  'id', d.id, 'channel', d.channel, 'entity_key', m.entity_key, 'entity_id', m.entity_id, 'operation', m.operation, 'entry', m.entry,
  'user', json_build_object('id', d.user_id, 'full_name', u.full_name),
  'status', d.status, 'tries', d.tries, 'last_error', d.last_error,
  'next_try_at', CASE WHEN d.status IN ('queued', 'failed') THEN ${isoTime('d.due_at')} END,
  'created_at', ${isoTime('d.created_at')}, 'sent_at', ${isoTime('d.sent_at')}, 'attachments', ${attachments}
)::text AS json
FROM docket.delivery d
JOIN docket.mailing m ON m.id = d.mailing_id
LEFT JOIN ${table('user')} u ON u.id = d.user_id`

/** Retries a dead or failed delivery immediately; false if it is neither. */
export const retryDelivery = async (pool: Pool, id: number): Promise<boolean> => {
  const row = await queryRow(
    pool,
    sql`
WITH queued AS (
  UPDATE docket.delivery
  SET status = 'queued', tries = 0, due_at = now()
  WHERE id = ${bigint(id)} AND status IN ('dead', 'failed')
  RETURNING id
)
SELECT id, ${notifySenders}
FROM queued`,
  )
  return row !== undefined
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
