/** Stores notifications, each once however often this is attempted: a row for each recipient, with the counters. */
import { smallBatch } from '../database/batcher.ts'
import { type Queryable, queryOnce, queryRows } from '../database/pool.ts'
import { bound, join, json, type Sql, sql } from '../database/sql.ts'
import type { NotificationEvent } from '../outbox/events/notification-event.ts'
import { counters, isWithin, notifications, type StoredContent } from './notification.ts'

/** The recipients, with one content for all, or one for each in the same order. */
export type Recipients =
  | { readonly userIds: readonly number[]; readonly content: StoredContent }
  | { readonly userIds: readonly number[]; readonly contents: readonly StoredContent[] }

/** The notifications of one event. */
export type EventNotifications = {
  readonly event: NotificationEvent
  readonly recipients: Recipients
  /** Ids of the notifications, in the order of the recipients. */
  readonly ids: readonly string[]
}

/**
 * Stores the notifications of events in one statement, and returns for each event how many are new. The
 * counters of the recipients stay locked until the commit, so it comes last in a transaction. A user who is
 * notified of several events gets timestamps a millisecond apart, and a clock that was set back never
 * causes a timestamp before an earlier one of the same user.
 */
export const storeNotifications = async (
  database: Queryable,
  batches: readonly EventNotifications[],
): Promise<number[]> => {
  const statement = sql`
WITH event AS MATERIALIZED (
  SELECT *
  FROM json_to_recordset(${json(batches.map(rowOf))}) AS e(
    ord integer, entity_key text, entity_id integer, at timestamptz, history_id bigint
  )
), recipient AS MATERIALIZED (
  SELECT DISTINCT ON (r.user_id, r.ord)
    r._id, r.user_id, r.ord, e.entity_key, e.entity_id, e.at, e.history_id, c.content
  FROM ${recipientsOf(batches)}
  JOIN event e ON e.ord = r.ord
  ORDER BY r.user_id, r.ord
), fresh AS MATERIALIZED (
  SELECT r.*, count(*) OVER (PARTITION BY r.user_id ORDER BY r.ord DESC) - 1 AS later
  FROM recipient r
  WHERE NOT EXISTS (
    SELECT
    FROM ${notifications} n
    WHERE n._id = r._id AND ${isAmong(batches)}
  )
), counted AS (
  INSERT INTO ${counters} AS c (user_id, total, unseen, last_at, apart)
  SELECT user_id, count(*), count(*),
    date_trunc('milliseconds', clock_timestamp()) + max(later) * interval '1 millisecond',
    -- Rounded up by more than the timestamps of one statement differ.
    greatest(clock_timestamp() - min(at), max(at) - clock_timestamp()) + count(*) * interval '1 second'
  FROM fresh
  GROUP BY user_id
  ORDER BY user_id
  ON CONFLICT (user_id) DO UPDATE SET
    total = c.total + excluded.total,
    unseen = c.unseen + excluded.unseen,
    last_at = greatest(date_trunc('milliseconds', clock_timestamp()), c.last_at + interval '1 millisecond')
      + (excluded.total - 1) * interval '1 millisecond',
    apart = greatest(
      c.apart, excluded.apart + (greatest(clock_timestamp(), c.last_at) - excluded.last_at)
    )
  RETURNING c.user_id, c.last_at
), stored AS (
  INSERT INTO ${notifications} (_id, timestamp, user_id, entity_id, entity_key, history_id, content)
  SELECT f._id, c.last_at - f.later * interval '1 millisecond', f.user_id, f.entity_id, f.entity_key,
    f.history_id, f.content
  FROM fresh f
  JOIN counted c ON c.user_id = f.user_id
)
SELECT (SELECT count(*)::integer FROM fresh f WHERE f.ord = e.ord) AS stored
FROM event e
ORDER BY e.ord`
  const count = batches.reduce((sum, { recipients }) => sum + recipients.userIds.length, 0)
  // A plan made for ten recipients is bad for ten thousand.
  const query = count > smallBatch ? queryOnce<Row> : queryRows<Row>
  return (await query(database, statement)).map(({ stored }) => stored)
}

type Row = { readonly stored: number }

const rowOf = (
  { event: { entityKey, entityId, at, historyId } }: EventNotifications,
  ord: number,
): object => ({
  ord,
  entity_key: entityKey,
  entity_id: entityId,
  at,
  history_id: historyId,
})

/** Whether an id is of the time of these events. */
const isAmong = (batches: readonly EventNotifications[]): Sql => {
  const times = batches.map(({ event }) => Date.parse(event.at))
  return isWithin(Math.min(...times), Math.max(...times))
}

/** A row for each user, with the indexes of the event and of the content: shared values are sent once. */
const recipientsOf = (batches: readonly EventNotifications[]): Sql => {
  const users: number[] = []
  const ords: number[] = []
  const places: number[] = []
  const contents: string[] = []
  for (const [ord, { recipients }] of batches.entries())
    for (const [index, userId] of recipients.userIds.entries()) {
      if ('contents' in recipients) contents.push(contentText(recipients.contents[index]))
      else if (index === 0) contents.push(contentText(recipients.content))
      users.push(userId)
      ords.push(ord)
      places.push(contents.length)
    }
  const columns = [users, ords, places].map((numbers) => bound(numbers, 'integer[]'))
  const ids = bound(
    batches.flatMap((batch) => batch.ids),
    'uuid[]',
  )
  return sql`unnest(${join([ids, ...columns], ', ')}) AS r(_id, user_id, ord, place)
  JOIN unnest(${bound(contents, 'json[]')}) WITH ORDINALITY AS c(content, place) ON c.place = r.place`
}

// Templates may cut within a character, or create NUL: PostgreSQL accepts neither in text.
const contentText = (content: StoredContent | undefined): string =>
  JSON.stringify(content, (_name, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').toWellFormed() : value,
  )
