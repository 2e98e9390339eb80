/** Deliveries for administrators: listed, found by words, counted and retried, and dropped in a copy of a database. */
import { execute, type Pool, type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { compactJson } from '../database/row-types.ts'
import {
  allOf,
  bigint,
  int,
  isoTime,
  join,
  nothing,
  ref,
  type Sql,
  sql,
  table,
  text,
} from '../database/sql.ts'
import { type ChannelName, channelNames } from '../definitions/schemas/notification-rule.ts'
import { maxRetried, type Retried } from '../http/endpoint/retry-many.ts'
import { retryRows } from '../jobs/queue.ts'
import {
  attachDocuments,
  type DeliveryStatus,
  deliveryStatuses,
  deliveryTable,
  isOfEntry,
  joinNotification,
  queuedChannel,
} from './delivery.ts'

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
const chosen = ({ entity, record, user }: Omit<DeliveryChoice, 'q'>): Sql[] => [
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
    'position', a.position, 'filename', a.filename, 'mimetype', a.mimetype,
    'size', coalesce(a.size, f.bytes), 'fault', a.fault
  ) ORDER BY a.position), '[]')
  FROM docket.attachment a
  LEFT JOIN docket.blob f ON f.sha256 = a.sha256
  WHERE a.mailing_id = m.id AND a.audience = d.audience
)`

/** The entry of the history that a mailing is about. */
const historyEntry = sql`(
  SELECT h.id, h.user_id, h.acting_user_id
  FROM docket.history h
  WHERE h.entity_key = m.entity_key AND h.entity_id = m.entity_id AND ${isOfEntry}
    AND h.at BETWEEN m.happened_at - interval '1 millisecond' AND m.happened_at + interval '1 millisecond'
  ORDER BY h.id DESC
  LIMIT 1
)`

const namedBy = (alias: string): Sql => sql`CASE WHEN ${ref('id', alias)} IS NOT NULL
    THEN json_build_object('id', ${ref('id', alias)}, 'full_name', ${ref('full_name', alias)}) END`

/** The title of a delivery `d`, before it is sent: what all recipients read, or its own. */
const title = sql`coalesce(d.shared->>'title', n.content->>'title')`

/** The JSON of deliveries `d`. */
const selectJson = sql`
SELECT json_build_object(
  'id', d.id, 'channel', d.channel, 'entity_key', m.entity_key, 'entity_id', m.entity_id, 'operation', m.operation,
  'entry', m.entry, 'history_id', e.id, 'by', ${namedBy('b')}, 'acting_user', ${namedBy('a')},
  'user', json_build_object('id', d.user_id, 'full_name', u.full_name),
  'status', d.status, 'tries', d.tries, 'last_error', d.last_error,
  'next_try_at', CASE WHEN d.status IN ('queued', 'failed') THEN ${isoTime('d.due_at')} END,
  'created_at', ${isoTime('d.created_at')}, 'sent_at', ${isoTime('d.sent_at')},
  'address', coalesce(s.address, d.target, u.email), 'subject', coalesce(s.subject, ${title}),
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

const wordsOf = (words: string): Sql => sql`docket.word_query(${text(words)})`

/** Joins a delivery `d` with its mailing `m`, which conditions are on. */
const joined = sql`
  JOIN docket.delivery d ON d.id = s.delivery_id
  JOIN docket.mailing m ON m.id = d.mailing_id`

type Sought = {
  readonly words: string
  readonly conditions: readonly Sql[]
}

/** Those that are not sent yet: the address and the subject that the list shows. */
const waiting = (columns: Sql, { words, conditions }: Sought): Sql => sql`
  SELECT ${columns}
  FROM docket.delivery d
  JOIN docket.mailing m ON m.id = d.mailing_id
  LEFT JOIN ${table('user')} u ON u.id = d.user_id${joinNotification}
  WHERE d.status <> 'sent' AND ${allOf([
    sql`docket.word_vector(concat_ws(' ', coalesce(d.target, u.email), ${title})) @@ ${wordsOf(words)}`,
    ...conditions,
  ])}`

/** Columns of all deliveries with these words that meet the conditions. */
const allFound = (columns: Sql, sought: Sought): Sql => sql`
WITH hit AS MATERIALIZED (
  SELECT s.delivery_id
  FROM docket.sent_message s
  WHERE s.words @@ ${wordsOf(sought.words)}
)
SELECT ${columns}
FROM hit s${joined}
WHERE ${allOf(sought.conditions)}
UNION ALL (${waiting(columns, sought)})`

// Among so many messages a frequent word is found often enough.
const probed = 10_000

/**
 * Ids of the newest of them, at least so many if there are. The index gives the messages of a rare word, but in no order,
 * so those of a frequent word would all have to be sorted: they are found among the newest messages instead.
 */
const newestFound = (sought: Sought, most: number): Sql => sql`
WITH recent AS MATERIALIZED (
  SELECT d.id
  FROM (
    SELECT delivery_id, words
    FROM docket.sent_message
    ORDER BY delivery_id DESC
    LIMIT ${int(probed)}
  ) s${joined}
  WHERE s.words @@ ${wordsOf(sought.words)} AND ${allOf(sought.conditions)}
), hit AS MATERIALIZED (
  SELECT s.delivery_id
  FROM docket.sent_message s
  WHERE s.words @@ ${wordsOf(sought.words)} AND (SELECT count(*) FROM recent) < ${bigint(most)}
)
SELECT id
FROM recent
UNION
SELECT d.id
FROM hit s${joined}
WHERE ${allOf(sought.conditions)}
UNION ALL (${waiting(sql`d.id`, sought)})`

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

/** The waiting deliveries and jobs of a database, to decide whether a copy of it may send. */
type Waiting = { readonly emails: number; readonly jobs: number }

const isWaiting = sql`status IN ('queued', 'failed', 'sending')`

/** How many deliveries and jobs wait. */
export const countWaiting = async (database: Queryable): Promise<Waiting> => {
  const waiting = await queryRow<Waiting>(
    database,
    sql`
SELECT
  (SELECT count(*)::integer FROM docket.delivery WHERE ${isWaiting}) AS emails,
  (SELECT count(*)::integer FROM docket.job WHERE status <> 'dead') AS jobs`,
  )
  return waiting ?? { emails: 0, jobs: 0 }
}

const reason = 'It was waiting when this copy of the database was accepted.'

/**
 * Drops everything that waits: jobs are removed, deliveries are dead and can be sent again one by one. Jobs
 * that create attachments stay, for such deliveries. To be called in a transaction.
 */
export const dropWaiting = async (database: Queryable): Promise<void> => {
  await execute(database, sql`DELETE FROM docket.job WHERE kind <> ${text(attachDocuments.name)}`)
  await execute(
    database,
    sql`UPDATE docket.delivery SET status = 'dead', last_error = ${text(reason)} WHERE ${isWaiting}`,
  )
  await execute(database, sql`UPDATE docket.task_sweep SET swept_to = now()`)
  await execute(database, sql`UPDATE docket.date_schedule SET begins_at = now(), swept_to = now()`)
}
