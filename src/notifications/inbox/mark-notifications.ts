/** Marks a user's stored notifications seen or unseen, and counts them in the same transaction. */
import { type Connection, type Pool, queryRow, queryRows } from '../../database/pool.ts'
import { allOf, anyOf, bound, int, type Sql, sql, timestamp } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import type { MarkRequest } from './mark-request.ts'
import { counters, notifications } from './notification.ts'
import { notifyChanged } from './notify-streams.ts'

/** Marks the requested notifications of the user, and returns how many have changed. */
export const markNotifications = (
  pool: Pool,
  userId: number,
  request: MarkRequest,
): Promise<number> =>
  transaction(pool, async (connection) => {
    // First, as storing does: concurrent storing waits, and what was stored before is visible below.
    if (!(await lockCounters(connection, [userId])).includes(userId)) return 0
    const row = await queryRow<{ marked: number }>(connection, mark(userId, request))
    return row?.marked ?? 0
  })

/** Locks the counters of users until the commit, and returns the users who have one. */
export const lockCounters = async (
  connection: Connection,
  userIds: readonly number[],
): Promise<number[]> => {
  const rows = await queryRows<{ user_id: number }>(
    connection,
    sql`
SELECT user_id
FROM ${counters}
WHERE user_id = ANY (${bound(userIds, 'integer[]')})
ORDER BY user_id
FOR UPDATE`,
  )
  return rows.map((row) => row.user_id)
}

const mark = (userId: number, request: MarkRequest): Sql => {
  // As SQL literals, so that the partial indexes are used.
  const [seen, isOther, sign] =
    request.status === 'seen'
      ? [sql`true`, sql`NOT n.seen`, sql`-`]
      : [sql`false`, sql`n.seen`, sql`+`]
  return sql`
WITH marked AS (
  UPDATE ${notifications} n
  SET seen = ${seen}
  WHERE n.user_id = ${int(userId)} AND ${isOther} AND ${isNamed(request)}
  RETURNING n._id
), counted AS (
  UPDATE ${counters} c
  SET unseen = c.unseen ${sign} m.marked
  FROM (SELECT count(*)::integer AS marked FROM marked) m
  WHERE c.user_id = ${int(userId)} AND m.marked > 0
  RETURNING c.user_id, m.marked
)
SELECT coalesce(max(marked), 0) AS marked, ${notifyChanged('user_id')}
FROM counted`
}

const isNamed = ({ ids, after, before }: MarkRequest): Sql => {
  const span = [
    ...(after === undefined ? [] : [sql`n.timestamp > ${timestamp(after)}`]),
    ...(before === undefined ? [] : [sql`n.timestamp <= ${timestamp(before)}`]),
  ]
  return anyOf([
    ...(ids.length === 0 ? [] : [sql`n._id = ANY (${bound(ids, 'uuid[]')})`]),
    ...(span.length === 0 ? [] : [allOf(span)]),
  ])
}
