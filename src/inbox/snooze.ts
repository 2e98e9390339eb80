/**
 * Snoozed notifications: away until a time that their user has chosen, and then unread again as the latest. What is away is a row of
 * docket.snooze; the notification itself stays, so that an event that is processed again stores it no second time.
 */
import type { Static } from 'typebox'
import { type Pool, queryCount, queryRows } from '../database/pool.ts'
import { bound, int, type Sql, sql, timestamp } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { shown } from '../definitions/values/check-value.ts'
import { parseTimestamp } from '../definitions/values/timestamps.ts'
import { type Issue, validationError } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { exampleId, isUuid, lockCounters, oneOfIds } from './mark-notifications.ts'
import { changedUsers, counters, isHere, isKept, notifications } from './notification.ts'

type SnoozeRequest = {
  /** Well-formed ids. */
  readonly ids: readonly string[]
  /** ISO 8601; null: now, as they were. */
  readonly until: string | null
}

const maxIds = 1_000
const longestMs = 366 * 86_400_000

const snoozeSchema = Type.Object(
  {
    ids: Type.Array(Type.String(), { minItems: 1, maxItems: maxIds }),
    until: Type.Union([Type.String(), Type.Null()], {
      examples: ['2026-05-05 08:00:00', '2026-05-05T06:00:00.000Z'],
      description:
        'When they come back, at most a year ahead; a time without offset is of the zone of the service. Null: at once, as they were.',
    }),
  },
  { additionalProperties: false },
)

/** The body of a snooze. */
export const snoozeBody = checkedBody(snoozeSchema, {
  later: { summary: 'Until a time', value: { ids: [exampleId], until: '2030-05-05 08:00:00' } },
  undo: { summary: 'Not any more', value: { ids: [exampleId], until: null } },
})

/** Parses the body; throws request.invalid. Local times are in `timeZone`. */
export const toSnoozeRequest = (
  { ids, until }: Static<typeof snoozeSchema>,
  timeZone: string,
): SnoozeRequest => {
  const valid = ids.filter(isUuid)
  if (until === null) return { ids: valid, until }
  const parsed = parseTimestamp(until, timeZone)
  const issue = (message: string): readonly Issue[] => [{ path: 'until', message }]
  if (parsed === undefined)
    throw validationError(
      'request.invalid',
      issue(
        `must be a time that exists, as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not ${shown(until)}`,
      ),
    )
  const ahead = Date.parse(parsed) - Date.now()
  if (ahead <= 0 || ahead > longestMs)
    throw validationError(
      'request.invalid',
      issue(`must be later than now, and within a year, not ${shown(until)}`),
    )
  return { ids: valid, until: parsed }
}

/** Snoozes notifications of the user, or moves when they come back; returns how many. */
export const snoozeNotifications = (
  pool: Pool,
  userId: number,
  { ids, until }: SnoozeRequest,
): Promise<number> =>
  transaction(pool, async (connection) => {
    if (ids.length === 0 || !(await lockCounters(connection, [userId])).includes(userId)) return 0
    const statement = until === null ? bringBack(userId, ids) : putAway(userId, ids, until)
    return queryCount(connection, statement)
  })

/** The notifications `n` of a user with some ids, and whether they are away. */
const chosen = (userId: number, ids: readonly string[]): Sql => sql`
  SELECT n._id, n.seen, NOT ${isHere} AS is_away
  FROM ${notifications} n
  WHERE n.user_id = ${int(userId)} AND ${isKept(int(userId))} AND ${oneOfIds(ids)}`

/** Counts rows `s` with `seen` out of, or into, what the user has. */
const count = (userId: number, sign: Sql, rows: Sql): Sql => sql`
  UPDATE ${counters} c
  SET total = c.total ${sign} s.total, unseen = c.unseen ${sign} s.unseen
  FROM (
    SELECT count(*)::integer AS total, count(*) FILTER (WHERE NOT seen)::integer AS unseen
    FROM ${rows}
  ) s
  WHERE c.user_id = ${int(userId)} AND s.total > 0
  RETURNING c.user_id`

const putAway = (userId: number, ids: readonly string[], until: string): Sql => sql`
WITH chosen AS MATERIALIZED (${chosen(userId, ids)}
), snoozed AS (
  INSERT INTO docket.snooze (notification_id, user_id, until)
  SELECT _id, ${int(userId)}, ${timestamp(until)} FROM chosen
  ON CONFLICT (notification_id) DO UPDATE SET until = excluded.until
), counted AS (${count(userId, sql`-`, sql`chosen WHERE NOT is_away`)}
)
SELECT (SELECT count(*)::integer FROM chosen) AS count, ${changedUsers}
FROM counted`

const bringBack = (userId: number, ids: readonly string[]): Sql => sql`
WITH chosen AS MATERIALIZED (
  SELECT * FROM (${chosen(userId, ids)}
  ) c
  WHERE is_away
), back AS (
  DELETE FROM docket.snooze z
  USING chosen c
  WHERE z.notification_id = c._id
), counted AS (${count(userId, sql`+`, sql`chosen`)}
)
SELECT (SELECT count(*)::integer FROM chosen) AS count, ${changedUsers}
FROM counted`

// Small, because changes of the users of a batch wait meanwhile.
const maxUsers = 200

/** Brings back the notifications whose time has come, unread and as the latest of their users; several processes may do so at once. */
export const returnSnoozed = async (pool: Pool): Promise<number> => {
  let returned = 0
  for (;;) {
    const due = await queryRows<{ user_id: number }>(
      pool,
      sql`
      SELECT DISTINCT z.user_id
      FROM docket.snooze z
      WHERE z.until <= now()
      ORDER BY z.user_id
      LIMIT ${int(maxUsers)}`,
    )
    if (due.length === 0) return returned
    const userIds = due.map(({ user_id: id }) => id)
    returned += await transaction(pool, async (connection) => {
      await lockCounters(connection, userIds)
      return queryCount(connection, returnOf(userIds))
    })
  }
}

/** The time of the event of a notification `n`: its id begins with it. */
const eventTime = sql`to_timestamp(
  ('x' || left(replace(n._id::text, '-', ''), 12))::bit(48)::bigint / 1000.0
)`

/** What was removed meanwhile, because it is too old, does not come back. */
const returnOf = (userIds: readonly number[]): Sql => sql`
WITH due AS (
  DELETE FROM docket.snooze z
  WHERE z.user_id = ANY (${bound(userIds, 'integer[]')}) AND z.until <= now()
  RETURNING z.notification_id, z.user_id, z.until
), back AS MATERIALIZED (
  SELECT n._id, n.user_id, n.seen, ${eventTime} AS at,
    row_number() OVER (PARTITION BY n.user_id ORDER BY d.until DESC, n.timestamp DESC) - 1 AS later
  FROM due d
  JOIN ${counters} k ON k.user_id = d.user_id
  JOIN ${notifications} n ON n._id = d.notification_id AND n.user_id = d.user_id
  WHERE n.timestamp >= k.kept_from
), counted AS (
  UPDATE ${counters} c
  SET total = c.total + b.total, unseen = c.unseen + b.total,
    last_at = greatest(date_trunc('milliseconds', clock_timestamp()), c.last_at + interval '1 millisecond')
      + (b.total - 1) * interval '1 millisecond',
    apart = greatest(
      c.apart,
      greatest(clock_timestamp(), c.last_at) - b.first + (b.total + 1) * interval '1 second'
    )
  FROM (
    SELECT user_id, count(*)::integer AS total, min(at) AS first
    FROM back
    GROUP BY user_id
  ) b
  WHERE c.user_id = b.user_id
  RETURNING c.user_id, c.last_at, b.total
), returned AS (
  UPDATE ${notifications} n
  SET timestamp = c.last_at - b.later * interval '1 millisecond', seen = false, seen_at = NULL
  FROM back b
  JOIN counted c ON c.user_id = b.user_id
  WHERE n._id = b._id
)
SELECT coalesce(sum(total), 0)::integer AS count, ${changedUsers}
FROM counted`
