/** Private calendar feeds: a key in a URL, shown once, known only by its digest, ended at once. */
import { hash, randomBytes } from 'node:crypto'
import { type Pool, queryRows } from '../../database/pool.ts'
import { bound, raw, sql, tableName, toStatement } from '../../database/sql.ts'

/** Makes the key of a person's feed; the one before ends. */
export const openFeed = async (pool: Pool, userId: number): Promise<string> => {
  const key = randomBytes(32).toString('base64url')
  const statement = sql`INSERT INTO docket.calendar_feed (user_id, digest) VALUES (${bound(userId, 'integer')}, ${bound(digestOf(key), 'text')}) ON CONFLICT (user_id) DO UPDATE SET digest = excluded.digest, created_at = now()`
  await pool.query(toStatement(statement))
  return key
}

/** Ends a person's feed, if there is one. */
export const closeFeed = async (pool: Pool, userId: number): Promise<void> => {
  await pool.query(
    toStatement(sql`DELETE FROM docket.calendar_feed WHERE user_id = ${bound(userId, 'integer')}`),
  )
}

/** Whose feed a key opens; nobody's when it ended or they may not come in any more. */
export const findFeedOwner = async (
  pool: Pool,
  key: string,
): Promise<{ id: number; full_name: string } | undefined> => {
  const select = sql`SELECT u.id, u.full_name FROM docket.calendar_feed f JOIN ${raw(tableName('user'))} u ON u.id = f.user_id WHERE f.digest = ${bound(digestOf(key), 'text')} AND u.is_active AND NOT u.is_blocked AND NOT u._is_deleted`
  const [owner] = await queryRows<{ id: number; full_name: string }>(pool, toStatement(select))
  return owner
}

// With 256 random bits in a key, a slow hash would protect nothing more.
const digestOf = (key: string) => hash('sha256', key, 'hex')
