/** Counts a user's stored notifications: one row is read, however many there are. */
import { type Pool, queryRows } from '../../database/pool.ts'
import { bound, raw, sql, toStatement } from '../../database/sql.ts'
import { counters, type Status } from './notification.ts'

/** How many a user has; whoever was never told anything has no row. */
export const countNotifications = async (
  pool: Pool,
  userId: number,
  status: Status,
): Promise<number> => {
  const select = sql`SELECT total, unseen FROM ${raw(counters)} WHERE user_id = ${bound(userId, 'integer')}`
  const [row] = await queryRows<{ total: number; unseen: number }>(pool, toStatement(select))
  return row ? counts[status](row) : 0
}

type Counts = { readonly total: number; readonly unseen: number }

const counts: Readonly<Record<Status, (row: Counts) => number>> = {
  all: ({ total }) => total,
  seen: ({ total, unseen }) => total - unseen,
  unseen: ({ unseen }) => unseen,
}
