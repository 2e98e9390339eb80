/** Queries about sessions of browsers; only digests of their secrets are stored. */
import { execute, hasRows, type Queryable, queryRow, queryRows } from '../../database/pool.ts'
import { bound, int, isoTime, sql, table, text } from '../../database/sql.ts'
import {
  activeUser,
  type User,
  userColumns,
  userRoleKeys,
  usersWithRole,
} from '../../users/user-store.ts'
import type { ActingUser } from '../caller.ts'

/** A session as its owner sees it; times are ISO 8601. */
export type Session = {
  readonly id: number
  readonly created_at: string
  /** To the minute. */
  readonly last_used_at: string
  readonly expires_at: string
  readonly user_agent: string | null
}

type NewSession = {
  readonly digest: string
  readonly userId: number
  readonly actingUserId: number | null
  readonly apiKeyId: number | undefined
  readonly userAgent: string | undefined
  readonly maySwitch: boolean
  readonly hours: number
  /** Whether the sign-in proves who the user is. */
  readonly isProof: boolean
  /** When the user has shown who they are, in seconds since 1970, if that was not now. */
  readonly provenAt?: number | undefined
}

/** Maximum number of sessions of one user; for further ones the oldest are removed. */
const maxOfUser = 100

/**
 * Locks a user until the transaction ends; false if they may not sign in. What blocks them meanwhile, or sets up a second factor,
 * waits, and ends the session that begins in this transaction, too.
 */
export const lockActiveUser = (database: Queryable, userId: number): Promise<boolean> =>
  hasRows(
    database,
    sql`SELECT FROM ${table('user')} u WHERE u.id = ${int(userId)} AND ${activeUser('u')} FOR SHARE`,
  )

/** Stores a session, and returns its id and when it ends. */
export const insertSession = async (
  database: Queryable,
  one: NewSession,
): Promise<{ readonly id: number; readonly expiresAt: string }> => {
  const [row] = await queryRows<{ id: number; expires_at: string }>(
    database,
    sql`
      INSERT INTO docket.session
        (digest, user_id, acting_user_id, api_key_id, user_agent, may_switch, expires_at, proven_at)
      VALUES (${text(one.digest)}, ${int(one.userId)}, ${int(one.actingUserId)},
        ${int(one.apiKeyId ?? null)}, ${text(one.userAgent ?? null)}, ${bound(one.maySwitch, 'boolean')},
        now() + make_interval(hours => ${int(one.hours)}),
        CASE WHEN ${bound(one.isProof, 'boolean')}
          THEN least(now(), to_timestamp(${bound(one.provenAt ?? null, 'double precision')})) END)
      RETURNING id, ${isoTime('expires_at')} AS expires_at`,
  )
  await execute(
    database,
    sql`
      DELETE FROM docket.session
      WHERE id IN (
        SELECT id FROM docket.session
        WHERE user_id = ${int(one.userId)}
        ORDER BY id DESC OFFSET ${int(maxOfUser)}
      )`,
  )
  return { id: row?.id ?? 0, expiresAt: row?.expires_at ?? '' }
}

type Found = {
  readonly id: number
  readonly maySwitch: boolean
  readonly expiresAt: string
  readonly secondsLeft: number
  /** Undefined when they were removed. */
  readonly user: User | undefined
  /** Who signed in, if the session acts as another user. */
  readonly actingUser: ActingUser | null
}

/**
 * A session that has not ended, with its user. A process writes the use of a session once a minute, so one
 * that may be idle for `idleMinutes` gets a minute more; 0: it may be idle until it ends. One that acts
 * as another user ends when the user who signed in may no longer sign in.
 */
export const findSessionUser = async (
  database: Queryable,
  digest: string,
  idleMinutes: number,
): Promise<Found | undefined> => {
  type Row = User & {
    readonly id: number | null
    readonly session_id: number
    readonly may_switch: boolean
    readonly expires_at: string
    readonly seconds_left: number
    readonly acting_user_id: number | null
    readonly acting_name: string | null
  }
  const row = await queryRow<Row>(
    database,
    sql`
      SELECT s.id AS session_id, s.may_switch, ${isoTime('s.expires_at')} AS expires_at,
        floor(extract(epoch FROM s.expires_at - now()))::integer AS seconds_left,
        s.acting_user_id, a.full_name AS acting_name, ${userColumns}
      FROM docket.session s LEFT JOIN (${usersWithRole}) ON u.id = s.user_id
        LEFT JOIN ${table('user')} a ON a.id = s.acting_user_id
      WHERE s.digest = ${text(digest)} AND s.expires_at > now()
        AND (${int(idleMinutes)} = 0
          OR s.last_used_at > now() - make_interval(mins => ${int(idleMinutes)} + 1))
        AND (s.acting_user_id IS NULL OR ${activeUser('a')})
        AND NOT EXISTS (
          SELECT FROM docket.api_key k
          WHERE k.id = s.api_key_id AND (k.revoked_at IS NOT NULL OR k.expires_at <= now())
        )`,
  )
  if (!row) return undefined
  const { session_id, may_switch, expires_at, seconds_left, acting_user_id, acting_name, ...user } =
    row
  return {
    id: session_id,
    maySwitch: may_switch,
    expiresAt: expires_at,
    secondsLeft: seconds_left,
    user: row.id === null ? undefined : user,
    actingUser:
      acting_user_id === null ? null : { id: acting_user_id, fullName: acting_name ?? '' },
  }
}

/** The sessions of a user that have not ended, the newest first. */
export const selectSessions = (database: Queryable, userId: number) =>
  queryRows<Session>(
    database,
    sql`
      SELECT s.id, ${isoTime('s.created_at')} AS created_at,
        ${isoTime('s.last_used_at')} AS last_used_at, ${isoTime('s.expires_at')} AS expires_at,
        s.user_agent
      FROM docket.session s
      WHERE s.user_id = ${int(userId)} AND s.expires_at > now()
      ORDER BY s.id DESC LIMIT ${int(maxOfUser)}`,
  )

/** Ends a session of a user; false if they have none with this id. */
export const deleteSession = async (
  database: Queryable,
  { id, userId }: { readonly id: number; readonly userId: number },
): Promise<boolean> => {
  const removed = await execute(
    database,
    sql`DELETE FROM docket.session WHERE id = ${int(id)} AND user_id = ${int(userId)}`,
  )
  return removed > 0
}

/** Writes the time of use, unless another process has written it within the minute. */
export const markSessionUsed = (database: Queryable, id: number) =>
  queryRows(
    database,
    sql`
      UPDATE docket.session
      SET last_used_at = now()
      WHERE id = ${int(id)} AND last_used_at < now() - interval '1 minute'`,
  )

/** A user whom a session may switch to. */
type SwitchUser = Pick<User, 'id' | 'full_name'> & { readonly role_key: string }

const maxUsers = 200

/** The users who may call besides the one of the session, by name. */
export const selectSwitchUsers = (database: Queryable, userId: number) =>
  queryRows<SwitchUser>(
    database,
    sql`
      SELECT u.id, u.full_name, ${userRoleKeys} AS role_key
      FROM ${usersWithRole}
      WHERE ${activeUser('u')} AND r.key IS NOT NULL AND u.id <> ${int(userId)}
      ORDER BY u.full_name, u.id LIMIT ${int(maxUsers)}`,
  )
