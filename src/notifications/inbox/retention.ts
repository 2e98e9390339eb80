/** Removes old stored notifications, a few users at a time, without blocking other work. */
import type { Config } from '../../config/load-config.ts'
import { type Connection, type Pool, queryRow, queryRows } from '../../database/pool.ts'
import { bound, int, nothing, type Sql, sql } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import { changedUsers } from './changed-channel.ts'
import { lockCounters } from './mark-notifications.ts'
import { counters, notifications } from './notification.ts'

type Settings = Pick<Config, 'NOTIFICATIONS_KEEP_SEEN_DAYS' | 'NOTIFICATIONS_KEEP_DAYS'>

// Small, because changes of the users of a batch wait meanwhile.
const maxUsers = 200
const maxRows = 2000

/** Removes expired notifications and returns their number; several processes may do so at the same time. */
export const removeOldNotifications = async (pool: Pool, config: Settings): Promise<number> => {
  const rules = [
    isOld(sql`n.seen AND `, config.NOTIFICATIONS_KEEP_SEEN_DAYS),
    isOld(nothing, config.NOTIFICATIONS_KEEP_DAYS),
  ]
  let removed = 0
  let last = 0
  for (;;) {
    const userIds = await listUsers(pool, last)
    for (const rule of rules) removed += await removeFrom(pool, userIds, rule)
    last = userIds.at(-1) ?? last
    if (userIds.length < maxUsers) return removed
  }
}

const isOld = (condition: Sql, days: number): Sql =>
  sql`${condition}n.timestamp < now() - make_interval(days => ${int(days)})`

const listUsers = async (pool: Pool, after: number): Promise<number[]> => {
  const rows = await queryRows<{ user_id: number }>(
    pool,
    sql`
SELECT user_id
FROM ${counters}
WHERE user_id > ${int(after)}
ORDER BY user_id
LIMIT ${int(maxUsers)}`,
  )
  return rows.map((row) => row.user_id)
}

const removeFrom = async (pool: Pool, userIds: readonly number[], rule: Sql): Promise<number> => {
  let removed = 0
  for (;;) {
    // Most users have nothing to remove and are not locked.
    const withOld = await listUsersWith(pool, userIds, rule)
    if (withOld.length === 0) return removed
    removed += await transaction(pool, async (connection) => {
      await lockCounters(connection, withOld)
      return removeSome(connection, withOld, rule)
    })
  }
}

const listUsersWith = async (
  pool: Pool,
  userIds: readonly number[],
  rule: Sql,
): Promise<number[]> => {
  const rows = await queryRows<{ id: number }>(
    pool,
    sql`
SELECT u.id
FROM unnest(${bound(userIds, 'integer[]')}) AS u(id)
WHERE EXISTS (SELECT FROM ${notifications} n WHERE n.user_id = u.id AND ${rule})`,
  )
  return rows.map(({ id }) => id)
}

const removeSome = async (
  connection: Connection,
  userIds: readonly number[],
  rule: Sql,
): Promise<number> => {
  const row = await queryRow<{ removed: number }>(
    connection,
    sql`
WITH old AS (
  SELECT o._id
  FROM unnest(${bound(userIds, 'integer[]')}) AS u(id)
  CROSS JOIN LATERAL (
    SELECT n._id
    FROM ${notifications} n
    WHERE n.user_id = u.id AND ${rule}
    ORDER BY n.timestamp
    LIMIT ${int(maxRows)}
  ) o
  LIMIT ${int(maxRows)}
), removed AS (
  DELETE FROM ${notifications} n
  USING old
  WHERE n._id = old._id
  RETURNING n.user_id, n.seen
), fewer AS (
  SELECT user_id, count(*)::integer AS total, count(*) FILTER (WHERE NOT seen)::integer AS unseen
  FROM removed
  GROUP BY user_id
), counted AS (
  UPDATE ${counters} c
  SET total = c.total - f.total, unseen = c.unseen - f.unseen
  FROM fewer f
  WHERE c.user_id = f.user_id
  RETURNING c.user_id, f.total
)
SELECT coalesce(sum(total), 0)::integer AS removed, ${changedUsers('user_id')}
FROM counted`,
  )
  return row?.removed ?? 0
}
