/** Reads and writes deliveries: each is taken by one process at a time, for as long as its lease. */
import { type Pool, type Queryable, queryRows } from '../database/pool.ts'
import { bound, raw, sql, tableName, toStatement } from '../database/sql.ts'
import { type DeliveryStatus, type MailingData, queuedChannel } from './delivery.ts'

/** What is needed to send one e-mail. */
export type TakenDelivery = {
  readonly id: number
  readonly mailing_id: number
  readonly event: string
  readonly entry: string
  readonly entity_key: string
  readonly operation: string
  readonly template_id: string | null
  readonly data: MailingData
  /** How often it was tried, this one included. */
  readonly tries: number
  readonly user_id: number
  readonly address: string
  readonly full_name: string
  /** False where the recipient was blocked, removed or left without an address since. */
  readonly is_active: boolean
  /** What the recipient was told; null where it was removed since. */
  readonly content: {
    readonly title: string
    readonly message: string
    readonly url: string | null
  } | null
}

// Longer than any provider may take; who still sends then is taken for dead.
const lease = raw(`interval '5 minutes'`)

/** Takes deliveries that are due, the longest due first, also those whose sender died. */
export const takeDeliveries = async (pool: Pool, most: number): Promise<TakenDelivery[]> => {
  const due = sql`SELECT id FROM docket.delivery WHERE status IN ('queued', 'failed', 'sending') AND due_at <= now() ORDER BY due_at, id LIMIT ${bound(most, 'integer')} FOR UPDATE SKIP LOCKED`
  const take = sql`UPDATE docket.delivery d SET status = 'sending', tries = d.tries + 1, due_at = now() + ${lease} FROM (${due}) t WHERE d.id = t.id RETURNING d.*`
  const select = sql`WITH taken AS (${take}) SELECT d.id, d.mailing_id, m.event, m.entry, m.entity_key, m.operation, m.template_id, m.data, d.tries, d.user_id, u.email AS address, u.full_name, (u.is_active AND NOT u.is_blocked AND NOT u._is_deleted AND u.email <> '') AS is_active, n.content FROM taken d JOIN docket.mailing m ON m.id = d.mailing_id JOIN ${raw(tableName('user'))} u ON u.id = d.user_id LEFT JOIN docket.notification n ON n._id = d.notification_id`
  // Not prepared: a plan made while there were few reads all of them when there are very many.
  const { rows } = await pool.query<
    Record<'data' | 'content', string> & Omit<TakenDelivery, 'data' | 'content'>
  >(toStatement(select))
  return rows.map((row) => ({
    ...row,
    data: JSON.parse(row.data),
    content: JSON.parse(row.content ?? 'null'),
  }))
}

/** The provider has taken them. */
export const markSent = async (database: Queryable, ids: readonly number[]): Promise<void> => {
  await database.query(
    toStatement(
      sql`UPDATE docket.delivery SET status = 'sent', sent_at = now(), last_error = NULL WHERE id = ANY (${bound(ids, 'bigint[]')})`,
    ),
  )
}

/** It was taken and not tried: another process may have it at once. */
export const giveBack = async (database: Queryable, id: number): Promise<void> => {
  await database.query(
    toStatement(
      sql`UPDATE docket.delivery SET status = 'queued', tries = tries - 1, due_at = now() WHERE id = ${bound(id, 'bigint')}`,
    ),
  )
}

/** It was refused for good, or once too often. */
export const markDead = async (database: Queryable, id: number, error: string): Promise<void> => {
  await database.query(
    toStatement(
      sql`UPDATE docket.delivery SET status = 'dead', last_error = ${bound(error, 'text')} WHERE id = ${bound(id, 'bigint')}`,
    ),
  )
}

/** It is tried again after a pause. */
export const markFailed = async (
  database: Queryable,
  id: number,
  { error, pauseMs }: { readonly error: string; readonly pauseMs: number },
): Promise<void> => {
  const due = sql`now() + ${bound(pauseMs, 'double precision')} * interval '1 millisecond'`
  const statement = sql`UPDATE docket.delivery SET status = 'failed', last_error = ${bound(error, 'text')}, due_at = ${due} WHERE id = ${bound(id, 'bigint')}`
  await database.query(toStatement(statement))
}

/** A dead or failed delivery begins anew, at once; false where it is neither. */
export const retryDelivery = async (pool: Pool, id: number): Promise<boolean> => {
  const statement = sql`WITH queued AS (UPDATE docket.delivery SET status = 'queued', tries = 0, due_at = now() WHERE id = ${bound(id, 'bigint')} AND status IN ('dead', 'failed') RETURNING id) SELECT id, pg_notify(${bound(queuedChannel, 'text')}, '') FROM queued`
  const rows = await queryRows(pool, toStatement(statement))
  return rows.length > 0
}

export type DeliveryFilter = {
  readonly status: DeliveryStatus | undefined
  readonly entity: string | undefined
  readonly user: number | undefined
  readonly limit: number
  readonly offset: number
}

/** The newest first, as operators see them. */
export const listDeliveries = async (pool: Pool, filter: DeliveryFilter): Promise<string[]> => {
  const conditions = [
    raw('true'),
    ...(filter.status ? [sql`d.status = ${bound(filter.status, 'text')}`] : []),
    ...(filter.entity ? [sql`m.entity_key = ${bound(filter.entity, 'text')}`] : []),
    ...(filter.user ? [sql`d.user_id = ${bound(filter.user, 'integer')}`] : []),
  ]
  const where = conditions.reduce((all, one) => sql`${all} AND ${one}`)
  const select = sql`SELECT ${deliveryJson} AS json FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id LEFT JOIN ${raw(tableName('user'))} u ON u.id = d.user_id WHERE ${where} ORDER BY d.id DESC LIMIT ${bound(filter.limit, 'bigint')} OFFSET ${bound(filter.offset, 'bigint')}`
  const rows = await queryRows<{ json: string }>(pool, toStatement(select))
  return rows.map(({ json }) => json)
}

/** One delivery, as operators see it. */
export const findDelivery = async (pool: Pool, id: number): Promise<string | undefined> => {
  const select = sql`SELECT ${deliveryJson} AS json FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id LEFT JOIN ${raw(tableName('user'))} u ON u.id = d.user_id WHERE d.id = ${bound(id, 'bigint')}`
  const [row] = await queryRows<{ json: string }>(pool, toStatement(select))
  return row?.json
}

const iso = (column: string) =>
  raw(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
const attachments = raw(
  `(SELECT coalesce(json_agg(json_build_object('position', a.position, 'filename', a.filename, 'mimetype', a.mimetype, 'size', a.size, 'fault', a.fault) ORDER BY a.position), '[]') FROM docket.attachment a WHERE a.mailing_id = m.id)`,
)
const deliveryJson = sql`json_build_object('id', d.id, 'entity_key', m.entity_key, 'entity_id', m.entity_id, 'operation', m.operation, 'entry', m.entry, 'user', json_build_object('id', d.user_id, 'full_name', u.full_name), 'status', d.status, 'tries', d.tries, 'last_error', d.last_error, 'next_try_at', CASE WHEN d.status IN ('queued', 'failed') THEN ${iso('d.due_at')} END, 'created_at', ${iso('d.created_at')}, 'sent_at', ${iso('d.sent_at')}, 'attachments', ${attachments})::text`

/** The number of deliveries by status, without the sent ones, which only grow. */
export const countDeliveries = async (pool: Pool): Promise<Readonly<Record<string, number>>> => {
  const rows = await queryRows<{ status: string; count: number }>(
    pool,
    toStatement(
      raw(
        `SELECT status, count(*) AS count FROM docket.delivery WHERE status <> 'sent' GROUP BY status`,
      ),
    ),
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}
