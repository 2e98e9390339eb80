/** Private calendar feeds: a key in a URL, shown once, known only by its digest, ended at once. */
import { hash, randomBytes } from 'node:crypto'
import { execute, type Pool, queryRow } from '../../database/pool.ts'
import { int, sql, table, text } from '../../database/sql.ts'
import { activeUser } from '../../users/user-store.ts'

/** Makes the key of a person's feed; the one before ends. */
export const openFeed = async (pool: Pool, userId: number): Promise<string> => {
  const key = randomBytes(32).toString('base64url')
  const statement = sql`
    INSERT INTO docket.calendar_feed (user_id, digest)
    VALUES (${int(userId)}, ${text(digestOf(key))})
    ON CONFLICT (user_id) DO UPDATE SET digest = excluded.digest, created_at = now()`
  await execute(pool, statement)
  return key
}

/** Ends a person's feed, if there is one. */
export const closeFeed = async (pool: Pool, userId: number): Promise<void> => {
  await execute(pool, sql`DELETE FROM docket.calendar_feed WHERE user_id = ${int(userId)}`)
}

/** Whose feed a key opens; nobody's when it ended or they may not come in any more. */
export const findFeedOwner = async (
  pool: Pool,
  key: string,
): Promise<{ id: number; full_name: string } | undefined> => {
  const select = sql`
    SELECT u.id, u.full_name
    FROM docket.calendar_feed f
    JOIN ${table('user')} u ON u.id = f.user_id
    WHERE f.digest = ${text(digestOf(key))} AND ${activeUser('u')}`
  const owner = await queryRow<{ id: number; full_name: string }>(pool, select)
  return owner
}

// With 256 random bits in a key, a slow hash would protect nothing more.
const digestOf = (key: string) => hash('sha256', key, 'hex')
