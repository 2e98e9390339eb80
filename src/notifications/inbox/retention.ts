/** Removes stored notifications that are old, a few users at a time, while everything goes on. */
import type { Config } from '../../config/load-config.ts'
import { type Connection, type Pool, queryRows } from '../../database/pool.ts'
import { bound, raw, type Sql, sql, toStatement } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import { lockCounters } from './mark-notifications.ts'
import { counters, notifications } from './notification.ts'
import { notifyChanged } from './notify-streams.ts'

type Keeping = Pick<Config, 'NOTIFICATIONS_KEEP_SEEN_DAYS' | 'NOTIFICATIONS_KEEP_DAYS'>

// Small, because the users of a batch wait with what they do themselves.
const usersAtOnce = 200
const rowsAtOnce = 2000

/** Removes what is past its days and answers how many that were; several processes may do so at once. */
export const removeOldNotifications = async (pool: Pool, config: Keeping): Promise<number> => {
  const rules = [
    oldOf(raw('n.seen AND'), config.NOTIFICATIONS_KEEP_SEEN_DAYS),
    oldOf(raw(''), config.NOTIFICATIONS_KEEP_DAYS),
  ]
  let removed = 0
  let last = 0
  for (;;) {
    const userIds = await listUsers(pool, last)
    for (const old of rules) removed += await removeOf(pool, userIds, old)
    last = userIds.at(-1) ?? last
    if (userIds.length < usersAtOnce) return removed
  }
}

const oldOf = (condition: Sql, days: number): Sql =>
  sql`${condition} n.timestamp < now() - make_interval(days => ${bound(days, 'integer')})`

const listUsers = async (pool: Pool, after: number): Promise<number[]> => {
  const select = sql`SELECT user_id FROM ${raw(counters)} WHERE user_id > ${bound(after, 'integer')} ORDER BY user_id LIMIT ${bound(usersAtOnce, 'integer')}`
  const rows = await queryRows<{ user_id: number }>(pool, toStatement(select))
  return rows.map((row) => row.user_id)
}

const removeOf = async (pool: Pool, userIds: readonly number[], old: Sql): Promise<number> => {
  let removed = 0
  for (;;) {
    // Most users have nothing to remove: nobody waits for them.
    const withOld = await listUsersWith(pool, userIds, old)
    if (withOld.length === 0) return removed
    removed += await transaction(pool, async (connection) => {
      await lockCounters(connection, withOld)
      return removeSome(connection, withOld, old)
    })
  }
}

const listUsersWith = async (
  pool: Pool,
  userIds: readonly number[],
  old: Sql,
): Promise<number[]> => {
  const select = sql`SELECT u.id FROM unnest(${bound(userIds, 'integer[]')}) AS u(id) WHERE EXISTS (SELECT FROM ${raw(notifications)} n WHERE n.user_id = u.id AND ${old})`
  const rows = await queryRows<{ id: number }>(pool, toStatement(select))
  return rows.map(({ id }) => id)
}

const removeSome = async (
  connection: Connection,
  userIds: readonly number[],
  old: Sql,
): Promise<number> => {
  const removing = sql`
WITH old AS (
  SELECT o._id FROM unnest(${bound(userIds, 'integer[]')}) AS u(id)
  CROSS JOIN LATERAL (
    SELECT n._id FROM ${raw(notifications)} n WHERE n.user_id = u.id AND ${old} ORDER BY n.timestamp LIMIT ${bound(rowsAtOnce, 'integer')}
  ) o LIMIT ${bound(rowsAtOnce, 'integer')}
), removed AS (
  DELETE FROM ${raw(notifications)} n USING old WHERE n._id = old._id RETURNING n.user_id, n.seen
), fewer AS (
  SELECT user_id, count(*)::integer AS total, count(*) FILTER (WHERE NOT seen)::integer AS unseen FROM removed GROUP BY user_id
), counted AS (
  UPDATE ${raw(counters)} c SET total = c.total - f.total, unseen = c.unseen - f.unseen
  FROM fewer f WHERE c.user_id = f.user_id RETURNING c.user_id, f.total
)
SELECT coalesce(sum(total), 0)::integer AS removed, ${notifyChanged('user_id')} FROM counted`
  const [row] = await queryRows<{ removed: number }>(connection, toStatement(removing))
  return row?.removed ?? 0
}
