/** Counts a user's stored notifications: one row is read, however many there are. */
import { type Pool, queryRow } from '../database/pool.ts'
import { int, sql } from '../database/sql.ts'
import { counters, type Status } from './notification.ts'

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
