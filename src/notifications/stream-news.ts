/** What open streams ask the database: the news of many users at once, and who may still listen. */
import { type Pool, queryRows } from '../database/pool.ts'
import { bound, raw, sql, toStatement } from '../database/sql.ts'
import { usersWithRole } from '../users/user-store.ts'
import {
  counters,
  isoText,
  type NotificationRow,
  notifications,
  rowColumns,
} from './notification.ts'

/** News of a user: what came after a moment, the earliest first. */
export type NewsWish = {
  readonly userId: number
  /** ISO 8601; null: nothing but where the user stands. */
  readonly after: string | null
}

export type News = {
  readonly unseen: number
  /** Timestamp of the latest notification that ever was: everything up to it is in the table. */
  readonly lastAt: string
  readonly rows: NotificationRow[]
  /** There may be more than these. */
  readonly isCut: boolean
}

/** Before the first notification of anybody. */
const beginning = '1970-01-01T00:00:00.000Z'

const rowsAtOnce = 100

type Joined = NotificationRow & {
  readonly asker: number
  readonly unseen: number | null
  readonly last_at: string | null
}

/** The news of every wish, by user, in one statement: rows and counters are of one moment. */
export const readNews = async (
  pool: Pool,
  wishes: readonly NewsWish[],
): Promise<ReadonlyMap<number, News>> => {
  const users = bound(
    wishes.map(({ userId }) => userId),
    'integer[]',
  )
  const moments = bound(
    wishes.map(({ after }) => after),
    'timestamptz[]',
  )
  const select = sql`
SELECT w.user_id AS asker, c.unseen, ${raw(isoText('c.last_at'))} AS last_at, ${raw(rowColumns)}
FROM unnest(${users}, ${moments}) AS w(user_id, after)
LEFT JOIN ${raw(counters)} c ON c.user_id = w.user_id
LEFT JOIN LATERAL (
  SELECT * FROM ${raw(notifications)} m WHERE m.user_id = w.user_id AND m.timestamp > w.after
  ORDER BY m.timestamp LIMIT ${bound(rowsAtOnce, 'integer')}
) n ON true
ORDER BY w.user_id, n.timestamp`
  const news = new Map<number, News>()
  for (const joined of await queryRows<Joined>(pool, toStatement(select))) addRow(news, joined)
  return news
}

const addRow = (news: Map<number, News>, { asker, unseen, last_at, ...row }: Joined): void => {
  const rows = news.get(asker)?.rows ?? []
  // A user without news has one row of nulls.
  if (row._id !== null) rows.push(row)
  const isCut = rows.length >= rowsAtOnce
  news.set(asker, { unseen: unseen ?? 0, lastAt: last_at ?? beginning, rows, isCut })
}

/** Timestamp of the latest notification that a user ever had. */
export const findLastMoment = async (pool: Pool, userId: number): Promise<string> => {
  const select = sql`SELECT ${raw(isoText('last_at'))} AS last_at FROM ${raw(counters)} WHERE user_id = ${bound(userId, 'integer')}`
  const [row] = await queryRows<{ last_at: string }>(pool, toStatement(select))
  return row?.last_at ?? beginning
}

/** Those of the users who would be let in now. */
export const listWelcome = async (
  pool: Pool,
  userIds: readonly number[],
): Promise<ReadonlySet<number>> => {
  const select = sql`SELECT u.id FROM ${raw(usersWithRole)} WHERE u.id = ANY (${bound(userIds, 'integer[]')}) AND u.is_active AND NOT u.is_blocked AND r.id IS NOT NULL`
  const rows = await queryRows<{ id: number }>(pool, toStatement(select))
  return new Set(rows.map(({ id }) => id))
}
