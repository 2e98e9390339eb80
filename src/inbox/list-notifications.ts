/** Lists a user's stored notifications, a page at a time, and counts them. */
import { takeWithinBudget, withinBudget } from '../database/answer-budget.ts'
import { type Pool, queryRow, queryRows } from '../database/pool.ts'
import { bigint, int, isoTime, nothing, raw, type Sql, sql, timestamp } from '../database/sql.ts'
import {
  counters,
  isHere,
  isKept,
  type NotificationRow,
  notifications,
  rowColumns,
  type Status,
  statuses,
} from './notification.ts'

// Timestamps of one user differ, and their user is the same.
const orderings = {
  _id: ['n._id'],
  user_id: ['n._id'],
  entity_key: ['n.entity_key', 'n._id'],
  entity_id: ['n.entity_id', 'n._id'],
  timestamp: ['n.timestamp'],
  seen: ['n.seen', 'n._id'],
  content: [`n.content ->> 'title'`, 'n._id'],
} as const

/** A field of the record; the content is sorted by its title. */
export type SortField = keyof typeof orderings

/** The fields that a list can be sorted by. */
export const sortFields = Object.keys(orderings) as SortField[]

/** Which ones a list has; those that are away are in a list of their own. */
export const listedStatuses = [...statuses, 'snoozed'] as const
type ListedStatus = (typeof listedStatuses)[number]

export type ListOptions = {
  readonly userId: number
  readonly status: ListedStatus
  readonly sortField: SortField
  readonly sortOrder: 'asc' | 'desc'
  readonly limit: number
  readonly skip: number
}

/** The rows of a page in order; equal values are sorted by `_id` in the same direction. */
export const listNotifications = async (
  pool: Pool,
  options: ListOptions,
): Promise<NotificationRow[]> => {
  const { userId, sortField, sortOrder, limit } = options
  const isNewestFirst = sortField === 'timestamp' && sortOrder === 'desc'
  const recent = isNewestFirst ? await listAmong(pool, options, isRecent(int(userId))) : []
  // A page that is not full may continue in earlier months.
  return isNewestFirst && recent.length === limit
    ? recent
    : listAmong(pool, options, isKept(int(userId)))
}

// Most pages show notifications of this time.
const recentMs = 93 * 86_400_000

/** Those of the last months, as far as they were stored soon after their events, so that few partitions are read. */
const isRecent = (userId: Sql): Sql => {
  const begin = timestamp(new Date(Date.now() - recentMs))
  const soon = sql`interval '7 days'`
  const from = sql`SELECT greatest(k.kept_from, ${begin})`
  return sql`n.timestamp >= (${from} FROM ${counters} k WHERE k.user_id = ${userId} AND k.apart < ${soon})
    AND n._id >= docket.first_id(${begin} - ${soon})`
}

const listAmong = async (
  pool: Pool,
  { userId, status, sortField, sortOrder, limit, skip }: ListOptions,
  isListed: Sql,
): Promise<NotificationRow[]> => {
  const order = raw(orderings[sortField].map((column) => `${column} ${sortOrder}`).join(', '))
  // Without the fence PostgreSQL might use the index of `_id`, which contains the rows of all users.
  const fence = sortField === 'timestamp' ? nothing : sql`OFFSET 0`
  const content = raw(withinBudget('p.content', 'octet_length(p.content::text)'))
  const rows = await queryRows<Omit<NotificationRow, 'content'> & { content: string | null }>(
    pool,
    sql`
SELECT ${rowColumns}${snoozedUntil(status)}
FROM (
  SELECT p._id, p.user_id, p.entity_key, p.entity_id, p.timestamp, p.seen, ${content} AS content
  FROM (
    SELECT *
    FROM (
      SELECT *
      FROM ${notifications} n
      WHERE n.user_id = ${int(userId)} AND ${isListed}${ofStatus[status]} ${fence}
    ) n
    ORDER BY ${order}
    LIMIT ${int(limit)} OFFSET ${bigint(skip)}
  ) p
) n
ORDER BY ${order}`,
  )
  return rows.map((row) => ({ ...row, content: takeWithinBudget(row.content) }))
}

// As SQL literals, so that the partial indexes are used.
const ofStatus: Readonly<Record<ListedStatus, Sql>> = {
  all: sql` AND ${isHere}`,
  seen: sql` AND n.seen AND ${isHere}`,
  unseen: sql` AND NOT n.seen AND ${isHere}`,
  snoozed: sql` AND NOT ${isHere}`,
}

const snoozedUntil = (status: ListedStatus): Sql =>
  status === 'snoozed'
    ? sql`, (
  SELECT ${isoTime('z.until')} FROM docket.snooze z WHERE z.notification_id = n._id
) AS snoozed_until`
    : nothing

/** The number of notifications of a user; a user who was never notified has no row. */
export const countNotifications = async (
  pool: Pool,
  userId: number,
  status: Status,
): Promise<number> => {
  const row = await queryRow<Counts>(
    pool,
    sql`SELECT total, unseen FROM ${counters} WHERE user_id = ${int(userId)}`,
  )
  return row ? counts[status](row) : 0
}

type Counts = { readonly total: number; readonly unseen: number }

const counts: Readonly<Record<Status, (row: Counts) => number>> = {
  all: ({ total }) => total,
  seen: ({ total, unseen }) => total - unseen,
  unseen: ({ unseen }) => unseen,
}
