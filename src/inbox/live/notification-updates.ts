/** Sends open streams the notifications that are new to them: one statement reads the updates of many users. */
import { type Pool, queryRows, queryValue, queryValues } from '../../database/pool.ts'
import { bound, int, isoTime, sql } from '../../database/sql.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { usersWithRole } from '../../users/user-store.ts'
import { findEndedDates } from '../ended-due-dates.ts'
import {
  counters,
  isHere,
  type NotificationRow,
  notifications,
  rowColumns,
  unplanned,
} from '../notification.ts'
import type { Stream, Updates } from './stream.ts'

type Sending = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly streamsOf: (userId: number) => readonly Stream[]
  /** Users whose notifications have changed; those that are read are removed. */
  readonly changed: Set<number>
}

const usersAtOnce = 1000

/** Reads the updates of users, and sends each stream what is new to it. */
export const sendUpdates = async ({
  pool,
  catalog,
  streamsOf,
  changed,
}: Sending): Promise<boolean> => {
  const userIds = [...changed].slice(0, usersAtOnce)
  // Before the statement: changes while it runs are read again.
  for (const userId of userIds) changed.delete(userId)
  const requests = userIds.flatMap((userId) => requestOf(userId, streamsOf(userId)))
  if (requests.length === 0) return changed.size > 0
  try {
    const updates = await readUpdates(pool, requests)
    const read = [...updates.values()].flatMap(({ rows }) => rows)
    const ended = await findEndedDates(pool, catalog, read)
    for (const { userId, own } of requests) {
      const found = updates.get(userId)
      if (!found) continue
      const rows = found.rows.map((row) => ended.get(row) ?? row)
      for (const stream of own) if (stream.isReady()) stream.send({ ...found, rows })
      if (found.isCut) changed.add(userId)
    }
  } catch (error) {
    for (const userId of userIds) changed.add(userId)
    throw error
  }
  return changed.size > 0
}

/** The streams of a user that accept updates now, and the earliest of their positions. */
const requestOf = (userId: number, all: readonly Stream[]) => {
  const own = all.filter((stream) => stream.isReady())
  const positions = own.map((stream) => stream.position()).filter((one) => one !== undefined)
  return own.length === 0 ? [] : [{ userId, own, after: positions.sort()[0] ?? null }]
}

/** A user whose updates are read: those after a time, the earliest first. */
type UpdateRequest = {
  readonly userId: number
  /** ISO 8601; null reads only the counters. */
  readonly after: string | null
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
const readUpdates = async (
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
  FROM ${notifications} n
  WHERE n.user_id = w.user_id AND n.timestamp > w.after AND n.timestamp >= c.kept_from AND ${isHere}
    -- So that few partitions are read.
    AND n._id >= docket.first_id(w.after - c.apart)
  ORDER BY n.timestamp
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
  return (await queryValue<string>(pool, select)) ?? beginning
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
  return new Set(await queryValues<number>(pool, select))
}
