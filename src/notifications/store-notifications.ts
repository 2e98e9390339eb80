/** Stores what people are told, once however often it is tried: a row each, counted, and pushed. */
import { type Connection, queryRows } from '../database/pool.ts'
import { bound, raw, type Sql, sql, toStatement } from '../database/sql.ts'
import type { Occasion, StoredContent } from './notification.ts'
import { changedChannel, counters, notifications } from './notification.ts'

/** Who is told; the same to all, or to each their own in the same order. */
export type Recipients =
  | { readonly userIds: readonly number[]; readonly content: StoredContent }
  | { readonly userIds: readonly number[]; readonly contents: readonly StoredContent[] }

/**
 * Stores the notifications of one occasion in the caller's open transaction (READ COMMITTED), and
 * answers how many are new. The counters of the recipients stay locked until the commit, so store
 * last; a transaction that stores several times may be chosen to end a deadlock, and is tried again.
 */
export const storeNotifications = async (
  connection: Connection,
  occasion: Occasion,
  recipients: Recipients,
): Promise<number> => {
  if (recipients.userIds.length === 0) return 0
  // Two workers on one job: the second one waits, and finds everything stored.
  const lock = sql`SELECT pg_advisory_xact_lock(hashtextextended(${bound(`${occasion.event} ${occasion.entry}`, 'text')}, 0))`
  await queryRows(connection, toStatement(lock))
  // Not prepared: a plan made for ten recipients is no plan for ten thousand.
  const statement = toStatement(storing(occasion, recipients))
  const { rows } = await connection.query<{ stored: number }>(statement)
  return rows[0]?.stored ?? 0
}

/** A clock that was put back does not put a notification before an earlier one of the same user. */
const nextMoment = sql`greatest(date_trunc('milliseconds', clock_timestamp()), c.last_at + interval '1 millisecond')`

const storing = (occasion: Occasion, recipients: Recipients): Sql => {
  const { event, entry, entityKey, entityId, at } = occasion
  const id = sql`docket.notification_id(${bound(at, 'timestamptz')}, ${bound(event, 'text')}, ${bound(entry, 'text')}, r.user_id)`
  return sql`
WITH given AS MATERIALIZED (
  SELECT DISTINCT ON (r.user_id) r.user_id, r.content, ${id} AS _id FROM ${rowsOf(recipients)} ORDER BY r.user_id
), fresh AS MATERIALIZED (
  SELECT g.* FROM given g WHERE NOT EXISTS (SELECT FROM ${raw(notifications)} n WHERE n._id = g._id)
), counted AS (
  INSERT INTO ${raw(counters)} AS c (user_id, total, unseen, last_at)
  SELECT user_id, 1, 1, date_trunc('milliseconds', clock_timestamp()) FROM fresh ORDER BY user_id
  ON CONFLICT (user_id) DO UPDATE SET total = c.total + 1, unseen = c.unseen + 1, last_at = ${nextMoment}
  RETURNING c.user_id, c.last_at
), stored AS (
  INSERT INTO ${raw(notifications)} (_id, timestamp, user_id, entity_id, entity_key, content)
  SELECT f._id, c.last_at, f.user_id, ${bound(entityId, 'integer')}, ${bound(entityKey, 'text')}, f.content
  FROM fresh f JOIN counted c ON c.user_id = f.user_id
  RETURNING user_id
)
SELECT count(*)::integer AS stored, ${tell('user_id')} FROM stored`
}

const rowsOf = (recipients: Recipients): Sql => {
  const ids = bound(recipients.userIds, 'integer[]')
  if ('content' in recipients) {
    const content = bound(JSON.stringify(recipients.content), 'json')
    return sql`(SELECT user_id, ${content} AS content FROM unnest(${ids}) AS u(user_id)) r`
  }
  const contents = recipients.contents.map((content) => JSON.stringify(content))
  return sql`unnest(${ids}, ${bound(contents, 'json[]')}) AS r(user_id, content)`
}

// A payload holds 8,000 bytes; past so many users every process looks at all of its own.
const mostNamed = 500

/** Aggregate that tells every process whose notifications have changed, where there is a change. */
export const tell = (userId: string): Sql =>
  sql`CASE WHEN count(*) > 0 THEN pg_notify(${bound(changedChannel, 'text')}, CASE WHEN count(*) > ${bound(mostNamed, 'integer')} THEN '*' ELSE string_agg(${raw(userId)}::text, ',') END) END AS told`
