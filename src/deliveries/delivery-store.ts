/** Reads and writes deliveries: each belongs to one process at a time, as long as that renews its lease. */
import { execute, type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import {
  bigint,
  bound,
  int,
  isoTime,
  type Sql,
  sql,
  table,
  text,
  toStatement,
} from '../database/sql.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import { enqueue, jobsIn } from '../jobs/enqueue.ts'
import { attachDocuments, joinNotification } from './delivery.ts'
import type { EventData } from './event-data/notification-event.ts'

/** The data for sending one delivery. */
export type TakenDelivery = {
  readonly id: number
  readonly mailing_id: number
  readonly event: string
  readonly entry: string
  readonly entity_key: string
  readonly entity_id: number
  readonly operation: string
  readonly template_id: string | null
  readonly data: EventData
  /** ISO 8601; null if the notification was removed meanwhile. */
  readonly notified_at: string | null
  /** The number of attempts, including this one. */
  readonly tries: number
  readonly user_id: number
  readonly notification_id: string
  /** The receiver, for channels that have several. */
  readonly target: string | null
  readonly address: string
  readonly full_name: string
  /** The current key of the recipient's role; empty if it was removed. */
  readonly role_key: string
  /** Whether the rule has attachments. */
  readonly has_documents: boolean
  /** Of the job that queued it; null if the change was not traced. */
  readonly traceparent: string | null
  /** The audience of its attachments, as known when they were created. */
  readonly audience: string
  /** False if the recipient was blocked or removed meanwhile. */
  readonly is_active: boolean
  /** The stored notification; null if it was removed meanwhile. */
  readonly content: {
    readonly icon: string
    /** ISO 8601. */
    readonly due_at: string | null
    readonly title: string
    readonly message: string
    readonly url: string | null
  } | null
}

/** A process that has not renewed a lease for so long has lost it. */
export const leaseSeconds = 30
const leaseEnd = sql`now() + make_interval(secs => ${int(leaseSeconds)})`

/** Selects the data of deliveries `d`, which joinParts completes. */
export const selectDelivery = sql`
SELECT d.id, d.mailing_id, m.event, m.entry, m.entity_key, m.entity_id, m.operation, m.template_id, m.data,
  d.tries, d.user_id, d.notification_id, d.target,
  coalesce(u.email, '') AS address, u.full_name, coalesce(r.key, '') AS role_key,
  json_array_length(m.wished->'printableDocuments')
    + json_array_length(m.wished->'documentFunctions') > 0 AS has_documents,
  d.audience, m.wished->>'traceparent' AS traceparent,
  u.is_active AND NOT u.is_blocked AND NOT u._is_deleted AS is_active,
  n.content, ${isoTime('n.timestamp')} AS notified_at`
export const joinParts = sql`
JOIN docket.mailing m ON m.id = d.mailing_id
JOIN ${table('user')} u ON u.id = d.user_id
LEFT JOIN ${table('security_role')} r ON r.id = u.security_role_id AND NOT r._is_deleted${joinNotification}`

/** A delivery as PostgreSQL prints it. */
export type DeliveryRow = Record<'data' | 'content', string> &
  Omit<TakenDelivery, 'data' | 'content'>

export const toDelivery = (row: DeliveryRow): TakenDelivery => ({
  ...row,
  data: JSON.parse(row.data),
  content: JSON.parse(row.content ?? 'null'),
})

type TakeOptions = {
  readonly limit: number
  /** Also those whose lease has expired. */
  readonly mayTakeOver: boolean
}

/** Takes due deliveries of a channel, the longest due first. */
export const takeDeliveries = async (
  pool: Pool,
  channel: ChannelName,
  { limit, mayTakeOver }: TakeOptions,
): Promise<TakenDelivery[]> => {
  // As SQL literals, so that the partial index is used.
  const statuses = mayTakeOver ? sql`'queued', 'failed', 'sending'` : sql`'queued', 'failed'`
  // Not prepared: a plan made while there are few would read all of them when there are many.
  const rows = await queryOnce<DeliveryRow>(
    pool,
    sql`
WITH due AS (
  SELECT id
  FROM docket.delivery
  WHERE channel = ${text(channel)} AND status IN (${statuses}) AND due_at <= now()
  ORDER BY due_at, id
  LIMIT ${int(limit)}
  FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE docket.delivery d
  SET status = 'sending', tries = d.tries + 1, due_at = ${leaseEnd}
  FROM due
  WHERE d.id = due.id
  RETURNING d.*
)
${selectDelivery}
FROM taken d${joinParts}`,
  )
  return rows.map(toDelivery)
}
/** An attempt to send a delivery; another process may have taken it over meanwhile. */
export type Attempt = Pick<TakenDelivery, 'id' | 'tries'>

/**
 * Renews the leases of running attempts, and returns those that were renewed: an attempt that was taken
 * over stays with its new sender.
 */
export const renewLeases = async (
  database: Queryable,
  attempts: readonly Attempt[],
  withinMs: number,
): Promise<Attempt[]> => {
  const ids = bound(
    attempts.map(({ id }) => id),
    'bigint[]',
  )
  const tries = bound(
    attempts.map((one) => one.tries),
    'integer[]',
  )
  const renew = sql`
UPDATE docket.delivery d
SET due_at = ${leaseEnd}
FROM unnest(${ids}, ${tries}) AS held(id, tries)
WHERE d.id = held.id AND d.tries = held.tries AND d.status = 'sending'
RETURNING d.id, d.tries`
  const statement = { ...toStatement(renew), query_timeout: withinMs }
  return (await database.query<Attempt>(statement)).rows
}

// The result of an attempt does not apply to a later one.
const isOwn = ({ id, tries }: Attempt): Sql =>
  sql`d.id = ${bigint(id)} AND d.tries = ${int(tries)} AND d.status = 'sending'`

/** It was taken and not attempted: another process may take it immediately. */
export const release = async (database: Queryable, attempt: Attempt): Promise<void> => {
  await execute(
    database,
    sql`
UPDATE docket.delivery d
SET status = 'queued', tries = tries - 1, due_at = now()
WHERE ${isOwn(attempt)}`,
  )
}

/**
 * Its attachments are not created yet for its recipient; when they are, it is taken again. A waiting
 * mailing has a job already. Its row is locked first, so that the job either releases this delivery too
 * (releaseMailing) or has ended before, and then a new job is enqueued.
 */
export const awaitAttachments = async (
  database: Queryable,
  attempt: Attempt,
  audience: string,
): Promise<void> => {
  const job = enqueue({
    kind: attachDocuments,
    payload: sql`json_build_object('mailing_id', w.id)`,
    // The delay avoids a loop between processes with two versions of a project.
    runAt: sql`now() + interval '1 second'`,
  })
  await execute(
    database,
    sql`
WITH locked AS MATERIALIZED (
  SELECT m.id, m.state
  FROM docket.delivery d
  JOIN docket.mailing m ON m.id = d.mailing_id
  WHERE d.id = ${bigint(attempt.id)}
  FOR NO KEY UPDATE OF m
), put AS (
  UPDATE docket.delivery d
  SET status = 'queued', tries = d.tries - 1, due_at = 'infinity', audience = ${text(audience)}
  FROM locked l
  WHERE ${isOwn(attempt)} AND d.mailing_id = l.id
  RETURNING d.mailing_id
), waiting AS (
  UPDATE docket.mailing m
  SET state = 'waiting'
  FROM locked l, put p
  WHERE m.id = l.id AND p.mailing_id = l.id AND l.state <> 'waiting'
  RETURNING m.id
)
SELECT ${jobsIn(job, 'jobs')}
FROM waiting w`,
  )
}

/** It was finally rejected, or has no attempts left. */
export const markDead = async (
  database: Queryable,
  attempt: Attempt,
  error: string,
): Promise<void> => {
  await execute(
    database,
    sql`
UPDATE docket.delivery d
SET status = 'dead', last_error = ${text(error)}
WHERE ${isOwn(attempt)}`,
  )
}

/** It is retried after a pause. */
export const markFailed = async (
  database: Queryable,
  attempt: Attempt,
  { error, pauseMs }: { readonly error: string; readonly pauseMs: number },
): Promise<void> => {
  const pause = sql`${bound(pauseMs, 'double precision')} * interval '1 millisecond'`
  await execute(
    database,
    sql`
UPDATE docket.delivery d
SET status = 'failed', last_error = ${text(error)}, due_at = now() + ${pause}
WHERE ${isOwn(attempt)}`,
  )
}
