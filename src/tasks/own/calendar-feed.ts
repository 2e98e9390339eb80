/** Private calendar feeds: the URL has a key, which is shown once and stored as a digest. */
import { hash, randomBytes } from 'node:crypto'
import { execute, type Pool, queryRow } from '../../database/pool.ts'
import { int, isoTime, sql, table, text } from '../../database/sql.ts'
import { activeUser } from '../../users/user-store.ts'

/** Creates the key of a user's feed; the earlier key is no longer valid. */
export const openFeed = async (pool: Pool, userId: number): Promise<string> => {
  const key = randomBytes(32).toString('base64url')
  const statement = sql`
    INSERT INTO docket.calendar_feed (user_id, digest)
    VALUES (${int(userId)}, ${text(digestOf(key))})
    ON CONFLICT (user_id) DO UPDATE SET digest = excluded.digest, created_at = now()`
  await execute(pool, statement)
  return key
}

/** When the feed of a user was opened, in ISO 8601; null if there is none. */
export const feedOpenedAt = async (pool: Pool, userId: number): Promise<string | null> => {
  const select = sql`
    SELECT ${isoTime('created_at')} AS created_at
    FROM docket.calendar_feed
    WHERE user_id = ${int(userId)}`
  return (await queryRow<{ created_at: string }>(pool, select))?.created_at ?? null
}

/** Closes the feed of a user, if there is one. */
export const closeFeed = async (pool: Pool, userId: number): Promise<void> => {
  await execute(pool, sql`DELETE FROM docket.calendar_feed WHERE user_id = ${int(userId)}`)
}

export type FeedOwner = {
  readonly id: number
  readonly full_name: string
  readonly role_key: string
}

/** The owner of a feed by its key; undefined if it is closed or the user is not active. */
export const findFeedOwner = async (pool: Pool, key: string): Promise<FeedOwner | undefined> => {
  const select = sql`
    SELECT u.id, u.full_name, r.key AS role_key
    FROM docket.calendar_feed f
    JOIN ${table('user')} u ON u.id = f.user_id
    JOIN ${table('security_role')} r ON r.id = u.security_role_id
    WHERE f.digest = ${text(digestOf(key))} AND ${activeUser('u')}`
  return queryRow<FeedOwner>(pool, select)
}

// A key has 256 random bits, so a slow hash would not protect it better.
const digestOf = (key: string) => hash('sha256', key, 'hex')
