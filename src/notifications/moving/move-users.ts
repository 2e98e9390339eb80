/** Moves all rows of some users from one place of the feed to another: copied, counted, then removed. */
import { type Pool, queryOnce } from '../../database/pool.ts'
import { bound, type Sql, sql } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import { StartupError } from '../../errors.ts'
import { copyDeliveries } from './copy-deliveries.ts'
import { copyRows, type Moving, readRows } from './copy-rows.ts'

/** Safe to run again, whenever it was interrupted. */
export const moveUsers = async (
  moving: Moving,
): Promise<{ readonly notifications: number; readonly deliveries: number }> => {
  const { source, target, userIds } = moving
  await copyNotifications(moving)
  await copyDeliveries(moving)
  // Last: a user without counters has no notifications yet.
  await copyCounters(moving)
  const [before, after] = await Promise.all([
    countRows(source, userIds),
    countRows(target, userIds),
  ])
  if (!isWhole(before, after)) throw different(moving, before, after)
  await removeRows(source, userIds)
  return { notifications: before.notifications, deliveries: before.deliveries }
}

/** The numbers are those of the rows, also if the target had some of the user before. */
const copyCounters = async ({ source, target, userIds }: Moving): Promise<void> => {
  const users = bound(userIds, 'integer[]')
  const rows = await readRows(
    source,
    sql`SELECT * FROM docket.notification_count c WHERE c.user_id = ANY (${users})`,
  )
  await transaction(target, async (connection) => {
    await queryOnce(
      connection,
      sql`
INSERT INTO docket.notification_count AS c (user_id, total, unseen, last_at, marked_at, kept_from, apart)
SELECT user_id, 0, 0, last_at, marked_at, kept_from, apart
FROM json_populate_recordset(NULL::docket.notification_count, ${bound(`[${rows.join(',')}]`, 'json')})
ON CONFLICT (user_id) DO UPDATE SET
  last_at = greatest(c.last_at, excluded.last_at),
  marked_at = greatest(c.marked_at, excluded.marked_at),
  kept_from = greatest(c.kept_from, excluded.kept_from),
  apart = greatest(c.apart, excluded.apart)`,
    )
    await queryOnce(
      connection,
      sql`
UPDATE docket.notification_count c
SET total = n.total, unseen = n.unseen
FROM docket.notification_count k
CROSS JOIN LATERAL (
  SELECT count(*) AS total, count(*) FILTER (WHERE NOT r.seen) AS unseen
  FROM docket.notification r
  WHERE r.user_id = k.user_id AND r.timestamp >= k.kept_from
) n
WHERE c.user_id = k.user_id AND k.user_id = ANY (${users})`,
    )
  })
}

const rowsAtOnce = 2_000

/** What was removed for its age is not copied: its month is dropped where it is. */
const copyNotifications = async (moving: Moving): Promise<void> => {
  const users = bound(moving.userIds, 'integer[]')
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const last = await copyRows(
      moving,
      'docket.notification',
      sql`
SELECT r.*
FROM docket.notification r
JOIN docket.notification_count c ON c.user_id = r.user_id AND r.timestamp >= c.kept_from
WHERE r.user_id = ANY (${users}) AND r._id > ${bound(after, 'uuid')}
ORDER BY r._id
LIMIT ${bound(rowsAtOnce, 'bigint')}`,
    )
    if (last === undefined) return
    after = String(last._id)
  }
}

type Counts = {
  readonly notifications: number
  readonly unseen: number
  readonly deliveries: number
  readonly sent: number
  readonly counted: number
  readonly counted_unseen: number
}

const countRows = async (place: Pool, userIds: readonly number[]): Promise<Counts> => {
  const users: Sql = bound(userIds, 'integer[]')
  const [row] = await queryOnce<Counts>(
    place,
    sql`
SELECT n.notifications, n.unseen, d.deliveries, d.sent, c.counted, c.counted_unseen
FROM (
  SELECT count(*) AS notifications, count(*) FILTER (WHERE NOT r.seen) AS unseen
  FROM docket.notification r
  JOIN docket.notification_count k ON k.user_id = r.user_id AND r.timestamp >= k.kept_from
  WHERE r.user_id = ANY (${users})
) n, (
  SELECT count(*) AS deliveries, count(s.delivery_id) AS sent
  FROM docket.delivery r
  LEFT JOIN docket.sent_message s ON s.delivery_id = r.id
  WHERE r.user_id = ANY (${users})
) d, (
  SELECT coalesce(sum(total), 0)::bigint AS counted, coalesce(sum(unseen), 0)::bigint AS counted_unseen
  FROM docket.notification_count
  WHERE user_id = ANY (${users})
) c`,
  )
  if (!row) throw new Error('PostgreSQL counted nothing.')
  return row
}

/** Whether the target has all that the source has, and counts what it has. */
const isWhole = (before: Counts, after: Counts): boolean =>
  after.notifications >= before.notifications &&
  after.deliveries >= before.deliveries &&
  after.sent >= before.sent &&
  after.counted === after.notifications &&
  after.counted_unseen === after.unseen

const different = ({ source, target, userIds }: Moving, before: Counts, after: Counts) => {
  const nameOf = ({ feed }: Pool) => feed || 'the database of the records'
  return new StartupError(
    `Nothing was removed of users ${userIds.join(', ')}: ${nameOf(source)} has ${JSON.stringify(before)}, and ${nameOf(target)} ${JSON.stringify(after)}.`,
  )
}

/** All of a user or nothing: what is left is copied again. */
const removeRows = (source: Pool, userIds: readonly number[]): Promise<void> =>
  transaction(source, async (connection) => {
    const users = bound(userIds, 'integer[]')
    await queryOnce(connection, sql`DELETE FROM docket.notification WHERE user_id = ANY (${users})`)
    await queryOnce(
      connection,
      sql`
WITH gone AS (
  DELETE FROM docket.delivery
  WHERE user_id = ANY (${users})
  RETURNING id, mailing_id
)
DELETE FROM docket.mailing m
WHERE m.id IN (SELECT mailing_id FROM gone) AND NOT EXISTS (
  SELECT FROM docket.delivery d WHERE d.mailing_id = m.id AND d.id NOT IN (SELECT id FROM gone)
)`,
    )
    await queryOnce(
      connection,
      sql`DELETE FROM docket.notification_count WHERE user_id = ANY (${users})`,
    )
  })
