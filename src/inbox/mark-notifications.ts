/** Marks a user's stored notifications seen or unseen: the request, and the statement, which also counts them. */
import type { Static } from 'typebox'
import { type Connection, type Pool, queryRow, queryRows } from '../database/pool.ts'
import { allOf, anyOf, bound, int, isoTime, type Sql, sql, timestamp } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { Type } from '../definitions/schemas/schema-builder.ts'
import { shown } from '../definitions/values/check-value.ts'
import { parseTimestamp } from '../definitions/values/timestamps.ts'
import { type Issue, validationError } from '../errors.ts'
import { checkedBody } from '../http/endpoint/body.ts'
import { timeOf } from './months.ts'
import {
  changedUsers,
  counters,
  isHere,
  isKept,
  isWithin,
  notifications,
  unplanned,
} from './notification.ts'

export type MarkRequest = {
  /** Well-formed ids. */
  readonly ids: readonly string[]
  readonly status: 'seen' | 'unseen'
  /** With the ids also all that are later than this, ISO 8601. */
  readonly after: string | undefined
  /** All up to this time. */
  readonly before: string | undefined
  /** Those that the call of this moment has marked as seen and that are seen since, ISO 8601. */
  readonly markedAt?: string | undefined
}

/** Maximum ids of one request. */
const maxIds = 10_000

/** An id for examples. */
export const exampleId = '019df21b-c740-7a17-b6c0-93a1905f2457'

const moment = (description: string) =>
  Type.String({
    examples: ['2026-05-04 08:30:00', '2026-05-04T08:30:00.000Z'],
    description,
  })

const markSchema = Type.Object(
  {
    ids: Type.Array(Type.String(), { maxItems: maxIds }),
    status: Type.Enum(['seen', 'unseen'], { type: 'string' }),
    after: Type.Optional(
      moment(
        'Besides `ids`, all with a later timestamp; a time without offset is of the zone of the service.',
      ),
    ),
    before: Type.Optional(
      moment('Besides `ids`, all up to this moment; with `after` those between the two.'),
    ),
    markedAt: Type.Optional(
      moment(
        'Only with `unseen`: besides `ids`, all that one call has marked as seen; the value of its header `X-Marked-At`.',
      ),
    ),
  },
  { additionalProperties: false },
)

/** The body of a mark. */
export const markBody = checkedBody(markSchema, {
  some: { summary: 'These', value: { ids: [exampleId], status: 'seen' } },
  all: {
    summary: 'All up to the latest one that was shown',
    value: { ids: [], status: 'seen', before: '2026-05-04T08:30:00.000Z' },
  },
})

/** Parses the body; throws request.invalid. Local times are in `timeZone`. */
export const toMarkRequest = (body: Static<typeof markSchema>, timeZone: string): MarkRequest => {
  const issues: Issue[] = []
  const momentOf = (path: 'after' | 'before' | 'markedAt') => {
    const text = body[path]
    if (text === undefined) return undefined
    const parsed = parseTimestamp(text, timeZone)
    const expected = 'a time that exists, as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset'
    if (parsed === undefined)
      issues.push({ path, message: `must be ${expected}, not ${shown(text)}` })
    return parsed
  }
  const after = momentOf('after')
  const before = momentOf('before')
  const markedAt = momentOf('markedAt')
  if (body.markedAt !== undefined && body.status !== 'unseen')
    issues.push({ path: 'markedAt', message: 'is only for the status unseen' })
  const moments = [body.after, body.before, body.markedAt]
  if (body.ids.length === 0 && moments.every((one) => one === undefined))
    issues.push({
      path: 'ids',
      message: 'names no notification; give `after` or `before` to mean all later or earlier',
    })
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return { ids: body.ids.filter(isUuid), status: body.status, after, before, markedAt }
}

// A value that is not an id matches no notification, and is ignored like the id of one that does not exist.
export const isUuid = (id: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(id)

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
    AND ${isHere} AND ${isNamed(request)}
  RETURNING n._id
), counted AS (
  UPDATE ${counters} c
  SET unseen = c.unseen ${sign} m.marked, marked_at = o.at
  FROM (SELECT count(*)::integer AS marked FROM marked) m, moment o
  WHERE c.user_id = ${int(userId)} AND m.marked > 0
  RETURNING c.user_id, m.marked, c.marked_at
)
SELECT coalesce(max(marked), 0) AS marked, ${isoTime('max(marked_at)')} AS marked_at,
  ${changedUsers}
FROM counted`
}

/** Whether a notification `n` has one of some ids. */
export const oneOfIds = (ids: readonly string[]): Sql =>
  sql`n._id = ANY (${unplanned(bound(ids, 'uuid[]'))}::uuid[]) AND ${isWithin(...endsOf(ids))}`

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
    ...(ids.length === 0 ? [] : [oneOfIds(ids)]),
    ...(span.length === 0 ? [] : [allOf(span)]),
    ...(markedAt === undefined ? [] : [sql`n.seen_at = ${timestamp(markedAt)}`]),
  ])
}
