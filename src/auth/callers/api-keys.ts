/** API keys for machines: shown once when they are created, afterwards known only by their digest. */
import { hash, randomBytes } from 'node:crypto'
import { recordAudit } from '../../audit/record-audit.ts'
import { type Queryable, queryRow, queryRows } from '../../database/pool.ts'
import { int, isoTime, notDeleted, sql, table, text } from '../../database/sql.ts'
import { StartupError } from '../../errors.ts'
import { type User, userColumns, usersWithRole } from '../../users/user-store.ts'

/** An API key as its owner sees it; times are ISO 8601. */
export type ApiKey = {
  readonly id: number
  readonly name: string
  readonly user_id: number
  /** Null when the user was removed. */
  readonly email: string | null
  readonly created_at: string
  readonly last_used_at: string | null
  /** Null: it does not end by itself. */
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

const prefix = 'docket_'

/** Whether a credential is an API key rather than a JWT. */
export const isApiKey = (credential: string): boolean => credential.startsWith(prefix)

/** The stored digest of a key. A key has 256 random bits, so a slow hash would not protect it better. */
export const digestOf = (key: string): string => hash('sha256', key, 'hex')

type NewApiKey = {
  readonly userId: number
  readonly name: string
  /** The last day on which it is valid, in a time zone; undefined: until it is revoked. */
  readonly until?: { readonly day: string; readonly timeZone: string } | undefined
}

/** Creates a key for a user, in an open transaction; the result is the only place where the key is visible. */
export const createApiKey = async (
  database: Queryable,
  { userId, name, until }: NewApiKey,
): Promise<{ id: number; key: string }> => {
  const key = `${prefix}${randomBytes(32).toString('base64url')}`
  const row = await queryRow<{ id: number }>(
    database,
    sql`
      INSERT INTO docket.api_key (name, user_id, digest, created_at, expires_at)
      SELECT ${text(name)}, u.id, ${text(digestOf(key))}, now(),
        (${text(until?.day ?? null)}::date + 1)::timestamp AT TIME ZONE ${text(until?.timeZone ?? 'UTC')}
      FROM ${table('user')} u WHERE u.id = ${int(userId)} AND ${notDeleted('u')}
      RETURNING id`,
  )
  if (!row) throw new StartupError(`There is no user ${userId}.`)
  const detail = { key_id: row.id }
  await recordAudit(database, { kind: 'createApiKey', aboutUserId: userId, detail })
  return { id: row.id, key }
}

type FoundKey = {
  readonly apiKeyId: number
  /** Undefined when they were removed. */
  readonly user: User | undefined
  /** Until it ends, and when; negative once it has. Null: it does not. */
  readonly secondsLeft: number | null
  readonly expiresAt: string | null
}

/** A key that was not revoked, with its user. */
export const findApiKeyUser = async (
  database: Queryable,
  digest: string,
): Promise<FoundKey | undefined> => {
  type Row = User & {
    readonly id: number | null
    readonly api_key_id: number
    readonly expires_at: string | null
    readonly seconds_left: number | null
  }
  const row = await queryRow<Row>(
    database,
    sql`
      SELECT k.id AS api_key_id, ${isoTime('k.expires_at')} AS expires_at,
        extract(epoch FROM k.expires_at - now())::float8 AS seconds_left, ${userColumns}
      FROM docket.api_key k LEFT JOIN (${usersWithRole}) ON u.id = k.user_id
      WHERE k.digest = ${text(digest)} AND k.revoked_at IS NULL`,
  )
  if (!row) return undefined
  const { api_key_id: apiKeyId, expires_at: expiresAt, seconds_left: secondsLeft, ...user } = row
  return { apiKeyId, expiresAt, secondsLeft, user: row.id === null ? undefined : user }
}

/** All keys, of one user or of everybody, the newest first. */
export const listApiKeys = (database: Queryable, userId?: number): Promise<ApiKey[]> => {
  const condition = userId === undefined ? sql`true` : sql`k.user_id = ${int(userId)}`
  return queryRows<ApiKey>(
    database,
    sql`
      SELECT k.id, k.name, k.user_id, u.email, ${isoTime('k.created_at')} AS created_at,
        ${isoTime('k.last_used_at')} AS last_used_at, ${isoTime('k.expires_at')} AS expires_at,
        ${isoTime('k.revoked_at')} AS revoked_at
      FROM docket.api_key k
      LEFT JOIN ${table('user')} u ON u.id = k.user_id AND ${notDeleted('u')}
      WHERE ${condition} ORDER BY k.id DESC`,
  )
}

/** Revokes a key immediately in every process, in an open transaction; false if no key has this id, or if it was revoked before. */
export const revokeApiKey = async (database: Queryable, id: number): Promise<boolean> => {
  const row = await queryRow<{ user_id: number }>(
    database,
    sql`
      UPDATE docket.api_key
      SET revoked_at = now()
      WHERE id = ${int(id)} AND revoked_at IS NULL
      RETURNING user_id`,
  )
  if (!row) return false
  const detail = { key_id: id }
  await recordAudit(database, { kind: 'revokeApiKey', aboutUserId: row.user_id, detail })
  return true
}

/** Revokes all keys of a user; their ids. */
export const revokeApiKeysOf = async (
  database: Queryable,
  userId: number,
): Promise<readonly number[]> => {
  const rows = await queryRows<{ id: number }>(
    database,
    sql`
      UPDATE docket.api_key
      SET revoked_at = now()
      WHERE user_id = ${int(userId)} AND revoked_at IS NULL
      RETURNING id`,
  )
  return rows.map(({ id }) => id)
}

/** Writes the time of use, unless another process has written it within the minute. */
export const markApiKeyUsed = (database: Queryable, id: number) =>
  queryRows(
    database,
    sql`
      UPDATE docket.api_key
      SET last_used_at = now()
      WHERE id = ${int(id)} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
  )
