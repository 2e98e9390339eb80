/**
 * Removes old stored notifications, a few users at a time, without blocking other work. Those that are too old are no longer counted
 * or shown, and are dropped with their month (months.ts); seen ones are removed earlier, and deleted.
 */
import type { Config } from '../config/load-config.ts'
import {
  type Connection,
  hasRows,
  type Pool,
  queryCount,
  queryRows,
  queryValues,
} from '../database/pool.ts'
import { bound, int, type Sql, sql } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { lockCounters } from './mark-notifications.ts'
import { dropOldMonths } from './months.ts'
import { changedUsers, counters, isHere, notifications } from './notification.ts'

type Settings = Pick<Config, 'NOTIFICATIONS_KEEP_SEEN_DAYS' | 'NOTIFICATIONS_KEEP_DAYS'>

// Small, because changes of the users of a batch wait meanwhile.
const maxUsers = 200
const maxRows = 2000

/** Which notifications are old, and how they are removed. */
type Rule = {
  readonly isOld: Sql
  /** The same rows, after they were removed. */
  readonly removed: Sql
  /** Where the notifications of a user begin from now on. */
  readonly keptFrom: Sql
}

const rulesOf = (config: Settings): readonly Rule[] => [
  {
    isOld: isOlder(config.NOTIFICATIONS_KEEP_DAYS),
    removed: sql`SELECT user_id, seen, timestamp FROM old`,
    // Removed are the earliest ones of the user.
    keptFrom: sql`f.last + interval '1 millisecond'`,
  },
  {
    isOld: sql`n.seen AND ${isOlder(config.NOTIFICATIONS_KEEP_SEEN_DAYS)}`,
    removed: sql`
  DELETE FROM ${notifications} n
  USING old
  WHERE n._id = old._id
  RETURNING n.user_id, n.seen, n.timestamp`,
    keptFrom: sql`c.kept_from`,
  },
]

/** Removes expired notifications and returns their number; several processes may do so at the same time. */
export const removeOldNotifications = async (pool: Pool, config: Settings): Promise<number> => {
  if (!(await isRolledOut(pool))) return 0
  let removed = 0
  let last = 0
  for (;;) {
    const userIds = await listUsers(pool, last)
    for (const rule of rulesOf(config)) removed += await removeFrom(pool, userIds, rule)
    last = userIds.at(-1) ?? last
    if (userIds.length < maxUsers) break
  }
  await dropOldMonths(pool, config.NOTIFICATIONS_KEEP_DAYS)
  return removed
}

/** A process of a version without months would mark and count notifications that are removed but not deleted. */
const isRolledOut = async (pool: Pool): Promise<boolean> => {
  const since = sql`
SELECT
FROM docket.migration
WHERE number = 38 AND applied_at < now() - interval '7 days'`
  return hasRows(pool, since)
}

const isOlder = (days: number): Sql =>
  sql`n.timestamp < now() - make_interval(days => ${int(days)}) AND ${isHere}`

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

const removeFrom = async (pool: Pool, userIds: readonly number[], rule: Rule): Promise<number> => {
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

const listUsersWith = (pool: Pool, userIds: readonly number[], rule: Rule): Promise<number[]> =>
  queryValues<number>(
    pool,
    sql`
SELECT c.user_id AS id
FROM ${counters} c
WHERE c.user_id = ANY (${bound(userIds, 'integer[]')}) AND EXISTS (
  SELECT
  FROM ${notifications} n
  WHERE n.user_id = c.user_id AND n.timestamp >= c.kept_from AND ${rule.isOld}
)`,
  )

const removeSome = (
  connection: Connection,
  userIds: readonly number[],
  rule: Rule,
): Promise<number> =>
  queryCount(
    connection,
    sql`
WITH old AS (
  SELECT o._id, o.user_id, o.seen, o.timestamp
  FROM ${counters} c
  CROSS JOIN LATERAL (
    SELECT n.*
    FROM ${notifications} n
    WHERE n.user_id = c.user_id AND n.timestamp >= c.kept_from AND ${rule.isOld}
    ORDER BY n.timestamp
    LIMIT ${int(maxRows)}
  ) o
  WHERE c.user_id = ANY (${bound(userIds, 'integer[]')})
  LIMIT ${int(maxRows)}
), removed AS (${rule.removed}
), fewer AS (
  SELECT user_id, count(*)::integer AS total, count(*) FILTER (WHERE NOT seen)::integer AS unseen,
    max(timestamp) AS last
  FROM removed
  GROUP BY user_id
), counted AS (
  UPDATE ${counters} c
  SET total = c.total - f.total, unseen = c.unseen - f.unseen, kept_from = ${rule.keptFrom}
  FROM fewer f
  WHERE c.user_id = f.user_id
  RETURNING c.user_id, f.total
)
SELECT coalesce(sum(total), 0)::integer AS removed, ${changedUsers}
FROM counted`,
  )
