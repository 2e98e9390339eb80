/** Lists a user's stored notifications, a page at a time. */
import { takeWithinBudget, withinBudget } from '../../database/answer-budget.ts'
import { type Pool, queryRows } from '../../database/pool.ts'
import { bigint, int, nothing, raw, type Sql, sql } from '../../database/sql.ts'
import { type NotificationRow, notifications, rowColumns, type Status } from './notification.ts'

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

export type ListOptions = {
  readonly userId: number
  readonly status: Status
  readonly sortField: SortField
  readonly sortOrder: 'asc' | 'desc'
  readonly limit: number
  readonly skip: number
}

/** The rows of a page in order; equal values are sorted by `_id` in the same direction. */
export const listNotifications = async (
  pool: Pool,
  { userId, status, sortField, sortOrder, limit, skip }: ListOptions,
): Promise<NotificationRow[]> => {
  const order = raw(orderings[sortField].map((column) => `${column} ${sortOrder}`).join(', '))
  // Without the fence PostgreSQL might use the index of `_id`, which contains the rows of all users.
  const fence = sortField === 'timestamp' ? nothing : sql`OFFSET 0`
  const content = raw(withinBudget('p.content', 'octet_length(p.content::text)'))
  const rows = await queryRows<Omit<NotificationRow, 'content'> & { content: string | null }>(
    pool,
    sql`
SELECT ${rowColumns}
FROM (
  SELECT p._id, p.user_id, p.entity_key, p.entity_id, p.timestamp, p.seen, ${content} AS content
  FROM (
    SELECT *
    FROM (SELECT * FROM ${notifications} n WHERE n.user_id = ${int(userId)}${ofStatus[status]} ${fence}) n
    ORDER BY ${order}
    LIMIT ${int(limit)} OFFSET ${bigint(skip)}
  ) p
) n
ORDER BY ${order}`,
  )
  return rows.map((row) => ({ ...row, content: takeWithinBudget(row.content) }))
}

// As SQL literals, so that the partial indexes are used.
const ofStatus: Readonly<Record<Status, Sql>> = {
  all: nothing,
  seen: sql` AND n.seen`,
  unseen: sql` AND NOT n.seen`,
}
