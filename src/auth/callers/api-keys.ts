/** API keys for machines: shown once when they are created, afterwards known only by their digest. */
import { hash, randomBytes } from 'node:crypto'
import { type AuditEvent, recordAudit } from '../../audit/record-audit.ts'
import { type Queryable, queryRow, queryRows, queryValues } from '../../database/pool.ts'
import { allOf, int, isoTime, notDeleted, sql, table, text } from '../../database/sql.ts'
import { StartupError } from '../../errors.ts'
import { type User, userColumns, usersWithRole } from '../../users/user-store.ts'

/** An API key as its owner sees it; times are ISO 8601. */
export type ApiKey = {
  readonly id: number
  readonly name: string
  /** The first characters of the key; null of an older one. */
  readonly start: string | null
  /** Null: it may do what its user may. */
  readonly scope: string | null
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
  /** As `parseKeyScope` returns it; undefined: what the user may. */
  readonly scope?: string | undefined
  /** Who makes it, over HTTP. */
  readonly by?: Pick<AuditEvent, 'by' | 'origin'>
}

/** How many characters of a key are stored as they are, so that people tell their keys apart. */
const shownLength = 'docket_'.length + 4

const dayMs = 86_400_000

/** Whether a text is a day that has not passed wherever on earth it begins latest, such as `2027-01-31`. */
export const isLastDay = (day: string): boolean => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
  return isDay && time + 2 * dayMs >= Date.now()
}

/** Creates a key for a user, in an open transaction; the result is the only place where the key is visible. */
export const createApiKey = async (
  database: Queryable,
  { userId, name, until, scope, by }: NewApiKey,
): Promise<{ id: number; key: string }> => {
  const key = `${prefix}${randomBytes(32).toString('base64url')}`
  const row = await queryRow<{ id: number }>(
    database,
    sql`
      INSERT INTO docket.api_key (name, user_id, digest, start, scope, created_at, expires_at)
      SELECT ${text(name)}, u.id, ${text(digestOf(key))}, ${text(key.slice(0, shownLength))},
        ${text(scope ?? null)}, now(),
        (${text(until?.day ?? null)}::date + 1)::timestamp AT TIME ZONE ${text(until?.timeZone ?? 'UTC')}
      FROM ${table('user')} u WHERE u.id = ${int(userId)} AND ${notDeleted('u')}
      RETURNING id`,
  )
  if (!row) throw new StartupError(`There is no user ${userId}.`)
  const detail = { key_id: row.id, ...(scope !== undefined && { scope }) }
  await recordAudit(database, { kind: 'createApiKey', ...by, aboutUserId: userId, detail })
  return { id: row.id, key }
}

type FoundKey = {
  readonly apiKeyId: number
  readonly scope: string | null
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
    readonly scope: string | null
    readonly expires_at: string | null
    readonly seconds_left: number | null
  }
  const row = await queryRow<Row>(
    database,
    sql`
      SELECT k.id AS api_key_id, k.scope, ${isoTime('k.expires_at')} AS expires_at,
        extract(epoch FROM k.expires_at - now())::float8 AS seconds_left, ${userColumns}
      FROM docket.api_key k LEFT JOIN (${usersWithRole}) ON u.id = k.user_id
      WHERE k.digest = ${text(digest)} AND k.revoked_at IS NULL`,
  )
  if (!row) return undefined
  const { api_key_id, scope, expires_at: expiresAt, seconds_left: secondsLeft, ...user } = row
  return {
    apiKeyId: api_key_id,
    scope,
    expiresAt,
    secondsLeft,
    user: row.id === null ? undefined : user,
  }
}

/** All keys, of one user or of everybody, the newest first; open ones were not revoked. */
export const listApiKeys = (
  database: Queryable,
  { userId, isOpen }: { readonly userId?: number | undefined; readonly isOpen?: true } = {},
): Promise<ApiKey[]> => {
  const condition = allOf([
    ...(userId === undefined ? [] : [sql`k.user_id = ${int(userId)}`]),
    ...(isOpen ? [sql`k.revoked_at IS NULL`] : []),
  ])
  return queryRows<ApiKey>(
    database,
    sql`
      SELECT k.id, k.name, k.start, k.scope, k.user_id, u.email, ${isoTime('k.created_at')} AS created_at,
        ${isoTime('k.last_used_at')} AS last_used_at, ${isoTime('k.expires_at')} AS expires_at,
        ${isoTime('k.revoked_at')} AS revoked_at
      FROM docket.api_key k
      LEFT JOIN ${table('user')} u ON u.id = k.user_id AND ${notDeleted('u')}
      WHERE ${condition} ORDER BY k.id DESC`,
  )
}

/**
 * Revokes a key immediately in every process, in an open transaction; false if no key has this id, or if it was revoked before. Over
 * HTTP only one of the user counts.
 */
export const revokeApiKey = async (
  database: Queryable,
  id: number,
  { userId, by }: { readonly userId?: number; readonly by?: NewApiKey['by'] } = {},
): Promise<boolean> => {
  const isOfUser = userId === undefined ? sql`true` : sql`user_id = ${int(userId)}`
  const row = await queryRow<{ user_id: number }>(
    database,
    sql`
      UPDATE docket.api_key
      SET revoked_at = now()
      WHERE id = ${int(id)} AND revoked_at IS NULL AND ${isOfUser}
      RETURNING user_id`,
  )
  if (!row) return false
  const detail = { key_id: id }
  await recordAudit(database, { kind: 'revokeApiKey', ...by, aboutUserId: row.user_id, detail })
  return true
}

/** Revokes all keys of a user; their ids. */
export const revokeApiKeysOf = (database: Queryable, userId: number): Promise<readonly number[]> =>
  queryValues<number>(
    database,
    sql`
      UPDATE docket.api_key
      SET revoked_at = now()
      WHERE user_id = ${int(userId)} AND revoked_at IS NULL
      RETURNING id`,
  )

/** Writes the time of use, unless another process has written it within the minute. */
export const markApiKeyUsed = (database: Queryable, id: number) =>
  queryRows(
    database,
    sql`
      UPDATE docket.api_key
      SET last_used_at = now()
      WHERE id = ${int(id)} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
  )
