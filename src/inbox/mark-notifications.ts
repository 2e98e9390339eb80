/** Marks a user's stored notifications seen or unseen, and counts them in the same transaction. */
import { type Connection, type Pool, queryRow, queryRows } from '../database/pool.ts'
import { allOf, anyOf, bound, int, isoTime, type Sql, sql, timestamp } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { changedUsers } from './changed-channel.ts'
import type { MarkRequest } from './mark-request.ts'
import { timeOf } from './months/months.ts'
import { counters, isKept, isWithin, notifications, unplanned } from './notification.ts'

type Marked = {
  /** How many have changed. */
  readonly marked: number
  /** The moment that names a mark as seen, to undo it; null if it changed nothing. */
  readonly marked_at: string | null
}

/** Marks the requested notifications of the user. */
export const markNotifications = (
  pool: Pool,
  userId: number,
  request: MarkRequest,
): Promise<Marked> =>
  transaction(pool, async (connection) => {
    // First, as storing does: concurrent storing waits, and what was stored before is visible below.
    if (!(await lockCounters(connection, [userId])).includes(userId)) return nothingMarked
    return (await queryRow<Marked>(connection, mark(userId, request))) ?? nothingMarked
  })

const nothingMarked: Marked = { marked: 0, marked_at: null }

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
  const [seen, isOther, sign, at] =
    request.status === 'seen'
      ? [sql`true`, sql`NOT n.seen`, sql`-`, sql`m.at`]
      : [sql`false`, sql`n.seen`, sql`+`, sql`NULL`]
  // The counters are locked, so the moments of one user differ, even when the clock is set back.
  return sql`
WITH moment AS MATERIALIZED (
  SELECT greatest(
    date_trunc('milliseconds', clock_timestamp()), c.marked_at + interval '1 millisecond'
  ) AS at
  FROM ${counters} c
  WHERE c.user_id = ${int(userId)}
), marked AS (
  UPDATE ${notifications} n
  SET seen = ${seen}, seen_at = ${at}
  FROM moment m
  WHERE n.user_id = ${int(userId)} AND ${isOther} AND ${isKept(int(userId))}
    AND ${isNamed(request)}
  RETURNING n._id
), counted AS (
  UPDATE ${counters} c
  SET unseen = c.unseen ${sign} m.marked, marked_at = o.at
  FROM (SELECT count(*)::integer AS marked FROM marked) m, moment o
  WHERE c.user_id = ${int(userId)} AND m.marked > 0
  RETURNING c.user_id, m.marked, c.marked_at
)
SELECT coalesce(max(marked), 0) AS marked, ${isoTime('max(marked_at)')} AS marked_at,
  ${changedUsers('user_id')}
FROM counted`
}

/** The first and the last time of ids. */
const endsOf = (ids: readonly string[]): [number, number] => {
  const times = ids.map(timeOf)
  return [
    times.reduce((one, other) => Math.min(one, other)),
    times.reduce((one, other) => Math.max(one, other)),
  ]
}

const isNamed = ({ ids, after, before, markedAt }: MarkRequest): Sql => {
  const span = [
    ...(after === undefined ? [] : [sql`n.timestamp > ${timestamp(after)}`]),
    ...(before === undefined ? [] : [sql`n.timestamp <= ${timestamp(before)}`]),
  ]
  return anyOf([
    ...(ids.length === 0
      ? []
      : [
          sql`n._id = ANY (${unplanned(bound(ids, 'uuid[]'))}::uuid[]) AND ${isWithin(...endsOf(ids))}`,
        ]),
    ...(span.length === 0 ? [] : [allOf(span)]),
    ...(markedAt === undefined ? [] : [sql`n.seen_at = ${timestamp(markedAt)}`]),
  ])
}
