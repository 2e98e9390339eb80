/** Queries for open streams: the updates of many users in one statement, and which users are active. */
import { type Pool, queryRow, queryRows } from '../../database/pool.ts'
import { bound, int, isoTime, sql } from '../../database/sql.ts'
import { usersWithRole } from '../../users/user-store.ts'
import {
  counters,
  type NotificationRow,
  notifications,
  rowColumns,
  unplanned,
} from '../notification.ts'

/** A user whose updates are read: those after a time, the earliest first. */
export type UpdateRequest = {
  readonly userId: number
  /** ISO 8601; null reads only the counters. */
  readonly after: string | null
}

export type Updates = {
  readonly unseen: number
  /** Timestamp of the user's latest notification; every earlier one is in the table. */
  readonly lastAt: string
  readonly rows: NotificationRow[]
  /** Whether there may be more rows than these. */
  readonly isCut: boolean
}

/** Before the first notification of any user. */
const beginning = '1970-01-01T00:00:00.000Z'

const maxRows = 100

type Joined = NotificationRow & {
  readonly requested_id: number
  readonly unseen: number | null
  readonly last_at: string | null
}

/** Reads the updates of all requests, by user, in one statement: rows and counters belong to one snapshot. */
export const readUpdates = async (
  pool: Pool,
  requests: readonly UpdateRequest[],
): Promise<ReadonlyMap<number, Updates>> => {
  const users = bound(
    requests.map(({ userId }) => userId),
    'integer[]',
  )
  const moments = bound(
    requests.map(({ after }) => after),
    'timestamptz[]',
  )
  const select = sql`
SELECT w.user_id AS requested_id, c.unseen, ${isoTime('c.last_at')} AS last_at, ${rowColumns}
FROM unnest(${unplanned(users)}, ${unplanned(moments)}) AS w(user_id, after)
LEFT JOIN ${counters} c ON c.user_id = w.user_id
LEFT JOIN LATERAL (
  SELECT *
  FROM ${notifications} m
  WHERE m.user_id = w.user_id AND m.timestamp > w.after AND m.timestamp >= c.kept_from
    -- So that few partitions are read.
    AND m._id >= docket.first_id(w.after - c.apart)
  ORDER BY m.timestamp
  LIMIT ${int(maxRows)}
) n ON true
ORDER BY w.user_id, n.timestamp`
  const updates = new Map<number, Updates>()
  for (const joined of await queryRows<Joined>(pool, select)) addRow(updates, joined)
  return updates
}

const addRow = (
  updates: Map<number, Updates>,
  { requested_id, unseen, last_at, ...row }: Joined,
): void => {
  const rows = updates.get(requested_id)?.rows ?? []
  // A user without updates has one row of nulls.
  if (row._id !== null) rows.push(row)
  const isCut = rows.length >= maxRows
  updates.set(requested_id, { unseen: unseen ?? 0, lastAt: last_at ?? beginning, rows, isCut })
}

/** Timestamp of the latest notification that a user ever had. */
export const findLastMoment = async (pool: Pool, userId: number): Promise<string> => {
  const select = sql`
SELECT ${isoTime('last_at')} AS last_at
FROM ${counters}
WHERE user_id = ${int(userId)}`
  const row = await queryRow<{ last_at: string }>(pool, select)
  return row?.last_at ?? beginning
}

/** The users who are active, not blocked, and have a role. */
export const listActiveUserIds = async (
  pool: Pool,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> => {
  const select = sql`
SELECT u.id
FROM ${usersWithRole}
WHERE u.id = ANY (${bound(userIds, 'integer[]')})
  AND u.is_active AND NOT u.is_blocked AND r.id IS NOT NULL`
  const rows = await queryRows<{ id: number }>(pool, select)
  return new Set(rows.map(({ id }) => id))
}
