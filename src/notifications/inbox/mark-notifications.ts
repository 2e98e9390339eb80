/** Marks a user's stored notifications seen or unseen, and counts them in the same transaction. */
import { type Connection, type Pool, queryRows } from '../../database/pool.ts'
import { bound, join, raw, type Sql, sql, toStatement } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import type { MarkRequest } from './mark-request.ts'
import { counters, notifications } from './notification.ts'
import { notifyChanged } from './notify-streams.ts'

/** Marks what the wish names of the user's own, and answers how many have changed. */
export const markNotifications = (pool: Pool, userId: number, wish: MarkRequest): Promise<number> =>
  transaction(pool, async (connection) => {
    // First, as storing does: what is stored meanwhile waits, and what was stored is seen below.
    if (!(await lockCounters(connection, [userId])).includes(userId)) return 0
    const statement = toStatement(marking(userId, wish))
    const [row] = await queryRows<{ marked: number }>(connection, statement)
    return row?.marked ?? 0
  })

/** Locks the counters of users until the commit, and answers who has some. */
export const lockCounters = async (
  connection: Connection,
  userIds: readonly number[],
): Promise<number[]> => {
  const lock = sql`SELECT user_id FROM ${raw(counters)} WHERE user_id = ANY (${bound(userIds, 'integer[]')}) ORDER BY user_id FOR UPDATE`
  const rows = await queryRows<{ user_id: number }>(connection, toStatement(lock))
  return rows.map((row) => row.user_id)
}

const marking = (userId: number, { ids, status, after, before }: MarkRequest): Sql => {
  const user = bound(userId, 'integer')
  // As words of SQL, so that the partial indexes serve.
  const [seen, open, change] =
    status === 'seen' ? ['true', 'NOT n.seen', '-'] : ['false', 'n.seen', '+']
  const span = [
    ...(after === undefined ? [] : [sql`n.timestamp > ${bound(after, 'timestamptz')}`]),
    ...(before === undefined ? [] : [sql`n.timestamp <= ${bound(before, 'timestamptz')}`]),
  ]
  const named = [
    ...(ids.length === 0 ? [] : [sql`n._id = ANY (${bound(ids, 'uuid[]')})`]),
    ...(span.length === 0 ? [] : [sql`(${join(span, ' AND ')})`]),
  ]
  const isNamed = named.length === 0 ? raw('false') : sql`(${join(named, ' OR ')})`
  const conditions = [sql`n.user_id = ${user}`, raw(open), isNamed]
  return sql`
WITH marked AS (
  UPDATE ${raw(notifications)} n SET seen = ${raw(seen)} WHERE ${join(conditions, ' AND ')} RETURNING n._id
), counted AS (
  UPDATE ${raw(counters)} c SET unseen = c.unseen ${raw(change)} m.marked
  FROM (SELECT count(*)::integer AS marked FROM marked) m
  WHERE c.user_id = ${user} AND m.marked > 0
  RETURNING c.user_id, m.marked
)
SELECT coalesce(max(marked), 0) AS marked, ${notifyChanged('user_id')} FROM counted`
}
