/**
 * Reads and writes deliveries: each is taken by one process at a time, for as long as it renews its lease.
 */
import { compactJson } from '../database/compact-json.ts'
import { type Pool, type Queryable, queryOnce, queryRows } from '../database/pool.ts'
import { bound, raw, type Sql, sql, tableName, toStatement } from '../database/sql.ts'
import { enqueue } from '../jobs/enqueue.ts'
import {
  attachDocuments,
  type DeliveryStatus,
  type MailingData,
  queuedChannel,
} from './delivery.ts'

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
  /** Key of the recipient's role now; empty where it was removed. */
  readonly role_key: string
  /** Whether the entry attaches anything. */
  readonly has_documents: boolean
  /** Whose documents it is to carry, as far as was known when they were made. */
  readonly audience: string
  /** False where the recipient was blocked, removed or left without an address since. */
  readonly is_active: boolean
  /** What the recipient was told; null where it was removed since. */
  readonly content: {
    readonly title: string
    readonly message: string
    readonly url: string | null
  } | null
}

/** Who has not renewed for so long is taken for dead. */
export const leaseSeconds = 30
const leaseEnd = raw(`now() + interval '${leaseSeconds} seconds'`)

/**
 * Takes deliveries that are due, the longest due first; with `mayTakeOver` also those whose sender
 * has not renewed its lease.
 */
export const takeDeliveries = async (
  pool: Pool,
  most: number,
  mayTakeOver: boolean,
): Promise<TakenDelivery[]> => {
  const statuses = raw(mayTakeOver ? `'queued', 'failed', 'sending'` : `'queued', 'failed'`)
  const due = sql`SELECT id FROM docket.delivery WHERE status IN (${statuses}) AND due_at <= now() ORDER BY due_at, id LIMIT ${bound(most, 'integer')} FOR UPDATE SKIP LOCKED`
  const take = sql`UPDATE docket.delivery d SET status = 'sending', tries = d.tries + 1, due_at = ${leaseEnd} FROM (${due}) t WHERE d.id = t.id RETURNING d.*`
  const select = sql`WITH taken AS (${take}) SELECT d.id, d.mailing_id, m.event, m.entry, m.entity_key, m.operation, m.template_id, m.data, d.tries, d.user_id, u.email AS address, u.full_name, coalesce(r.key, '') AS role_key, (json_array_length(m.wished->'printableDocuments') + json_array_length(m.wished->'documentFunctions') > 0) AS has_documents, d.audience, (u.is_active AND NOT u.is_blocked AND NOT u._is_deleted AND u.email <> '') AS is_active, n.content FROM taken d JOIN docket.mailing m ON m.id = d.mailing_id JOIN ${raw(tableName('user'))} u ON u.id = d.user_id LEFT JOIN ${raw(tableName('security_role'))} r ON r.id = u.security_role_id AND NOT r._is_deleted LEFT JOIN docket.notification n ON n._id = d.notification_id`
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

/** A try of a delivery, which another process may have taken over since. */
export type Try = Pick<TakenDelivery, 'id' | 'tries'>

/**
 * Renews the leases of tries that go on, and answers with those that are still their sender's: one that
 * was taken over stays with its new one.
 */
export const renewLeases = (
  database: Queryable,
  sending: readonly Try[],
  withinMs: number,
): Promise<Try[]> => {
  const [ids, tries] = [sending.map(({ id }) => id), sending.map((one) => one.tries)]
  const held = sql`unnest(${bound(ids, 'bigint[]')}, ${bound(tries, 'integer[]')}) AS h(id, tries)`
  const renew = sql`UPDATE docket.delivery d SET due_at = ${leaseEnd} FROM ${held} WHERE d.id = h.id AND d.tries = h.tries AND d.status = 'sending' RETURNING d.id, d.tries`
  const statement = { ...toStatement(renew), query_timeout: withinMs }
  return queryOnce<Try>(database, statement)
}

/** The provider has taken them, whoever has them now. */
export const markSent = async (database: Queryable, ids: readonly number[]): Promise<void> => {
  await database.query(
    toStatement(
      sql`UPDATE docket.delivery SET status = 'sent', sent_at = now(), last_error = NULL WHERE id = ANY (${bound(ids, 'bigint[]')}) AND status <> 'sent'`,
    ),
  )
}

// What became of a try says nothing of a later one.
const update = async (database: Queryable, { id, tries }: Try, columns: Sql): Promise<void> => {
  const isOwn = sql`id = ${bound(id, 'bigint')} AND tries = ${bound(tries, 'integer')} AND status = 'sending'`
  await database.query(toStatement(sql`UPDATE docket.delivery SET ${columns} WHERE ${isOwn}`))
}

/** It was taken and not tried: another process may have it at once. */
export const release = (database: Queryable, one: Try): Promise<void> =>
  update(database, one, raw(`status = 'queued', tries = tries - 1, due_at = now()`))

/**
 * Its documents are not made yet for whom it goes to: they are, and then it is taken again. A mailing that
 * waits has a job already. Its row is locked first, so that the job either releases this delivery too
 * (releaseMailing) or has ended before, and then there is another one.
 */
export const awaitDocuments = async (
  database: Queryable,
  { id, tries }: Try,
  audience: string,
): Promise<void> => {
  const locked = sql`SELECT m.id, m.state FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id WHERE d.id = ${bound(id, 'bigint')} FOR NO KEY UPDATE OF m`
  const put = sql`UPDATE docket.delivery d SET status = 'queued', tries = d.tries - 1, due_at = 'infinity', audience = ${bound(audience, 'text')} FROM locked l WHERE d.id = ${bound(id, 'bigint')} AND d.tries = ${bound(tries, 'integer')} AND d.status = 'sending' AND d.mailing_id = l.id RETURNING d.mailing_id`
  const waiting = sql`UPDATE docket.mailing m SET state = 'waiting' FROM locked l, put p WHERE m.id = l.id AND p.mailing_id = l.id AND l.state <> 'waiting' RETURNING m.id`
  const job = enqueue({
    kind: attachDocuments,
    payload: raw(`json_build_object('mailing_id', w.id)`),
    // Processes of two versions of a project, side by side, do not outrun each other.
    runAt: raw(`now() + interval '1 second'`),
  })
  await database.query(
    toStatement(
      sql`WITH locked AS MATERIALIZED (${locked}), put AS (${put}), waiting AS (${waiting}) SELECT ${job} AS job FROM waiting w`,
    ),
  )
}

/** It was refused for good, or once too often. */
export const markDead = (database: Queryable, one: Try, error: string): Promise<void> =>
  update(database, one, sql`status = 'dead', last_error = ${bound(error, 'text')}`)

/** It is tried again after a pause. */
export const markFailed = (
  database: Queryable,
  one: Try,
  { error, pauseMs }: { readonly error: string; readonly pauseMs: number },
): Promise<void> => {
  const due = sql`now() + ${bound(pauseMs, 'double precision')} * interval '1 millisecond'`
  return update(
    database,
    one,
    sql`status = 'failed', last_error = ${bound(error, 'text')}, due_at = ${due}`,
  )
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
  return rows.map(({ json }) => compactJson(json))
}

/** One delivery, as operators see it. */
export const findDelivery = async (pool: Pool, id: number): Promise<string | undefined> => {
  const select = sql`SELECT ${deliveryJson} AS json FROM docket.delivery d JOIN docket.mailing m ON m.id = d.mailing_id LEFT JOIN ${raw(tableName('user'))} u ON u.id = d.user_id WHERE d.id = ${bound(id, 'bigint')}`
  const [row] = await queryRows<{ json: string }>(pool, toStatement(select))
  return row && compactJson(row.json)
}

const iso = (column: string) =>
  raw(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
const attachments = raw(
  `(SELECT coalesce(json_agg(json_build_object('position', a.position, 'filename', a.filename, 'mimetype', a.mimetype, 'size', a.size, 'fault', a.fault) ORDER BY a.position), '[]') FROM docket.attachment a WHERE a.mailing_id = m.id AND a.audience = d.audience)`,
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
