/** Notes the use of a credential, and the refusal of a user for whom the issuer vouches, which administrators see: the same one at most once a minute, and without an error if that fails. */
import { createBoundedCache } from '../../bounded-cache.ts'
import { isUnavailable } from '../../database/database-errors.ts'
import { execute, type Pool, type Queryable, queryRows } from '../../database/pool.ts'
import { bound, int, isoTime, notDeleted, sql, table, text } from '../../database/sql.ts'
import { lowerCase } from '../../lower-case.ts'
import type { Observe } from '../../observations.ts'
import { activeUser, usersWithRole } from '../../users/user-store.ts'
import type { Claims } from '../tokens/verify-token.ts'

const notedEveryMs = 60_000
const remembered = 10_000

type Options = { readonly observe: Observe; readonly now?: () => number }

const createNote = ({ observe, now = Date.now }: Options) => {
  const notedAt = createBoundedCache<{ readonly at: number }>(remembered)
  return async (key: string, write: () => Promise<unknown>): Promise<void> => {
    const last = notedAt.get(key)?.at
    if (last !== undefined && now() - last < notedEveryMs) return
    notedAt.set(key, { at: now() })
    await write().catch((error: unknown) => {
      if (isUnavailable(error)) observe({ kind: 'databaseConnectionLost', error })
    })
  }
}

type UseOptions = Options & {
  /** Writes the time of use; it is now. */
  readonly mark: (id: number) => Promise<unknown>
}

/** Creates the function that a use of the credential with an id is reported to; the request does not wait for it. */
export const createNoteUse = ({ mark, ...options }: UseOptions) => {
  const note = createNote(options)
  return (id: number): void => void note(String(id), () => mark(id))
}

/** Creates the function that reports a refusal to administrators, in the log and in the database. */
export const createNoteRefusal = ({ pool, ...options }: Options & { readonly pool: Pool }) => {
  const note = createNote(options)
  return (claims: Claims, reason: string): Promise<void> =>
    note(`${claims.subject} ${reason}`, () => {
      const { subject, email, isEmailVerified = false } = claims
      options.observe({ kind: 'callerRefused', subject, email, isEmailVerified, reason })
      return storeRefusal(pool, claims, reason)
    })
}

/** Writes that a user is seen now, unless another process has written it within the minute. */
export const markSeen = (database: Queryable, userId: number): Promise<number> =>
  execute(
    database,
    sql`
      INSERT INTO docket.last_seen AS s (user_id) VALUES (${int(userId)})
      ON CONFLICT (user_id) DO UPDATE SET seen_at = now()
      WHERE s.seen_at < now() - interval '1 minute'`,
  )

// Queries about refused sign-ins: of people for whom the issuer vouches, and who are not active users.

/** Times are ISO 8601. */
type RefusedSignIn = {
  readonly subject: string
  /** As the issuer says, in lower case. */
  readonly email: string | null
  readonly is_email_verified: boolean
  readonly name: string | null
  readonly reason: string
  /** Those of one minute count once. */
  readonly times: number
  readonly first_at: string
  readonly last_at: string
  /** The user who has this e-mail, and so is probably the same person. */
  readonly user: { readonly id: number; readonly full_name: string } | null
}

// Personal data of people who may never become users: it is kept only as long as administrators need to answer them.
const keptDays = 30
const kept = 500

/** Counts one more refusal of a subject, and forgets old ones. */
const storeRefusal = async (
  database: Queryable,
  { subject, email, isEmailVerified = false, name }: Claims,
  reason: string,
): Promise<void> => {
  await execute(
    database,
    sql`
      INSERT INTO docket.refused_sign_in AS r (subject, email, is_email_verified, name, reason)
      VALUES (${text(subject)}, left(${text(email === undefined ? null : lowerCase(email))}, 320),
        ${bound(isEmailVerified, 'boolean')}, left(${text(name ?? null)}, 511), ${text(reason)})
      ON CONFLICT (subject) DO UPDATE
      SET email = excluded.email, is_email_verified = excluded.is_email_verified,
        name = excluded.name, reason = excluded.reason, times = r.times + 1, last_at = now()`,
  )
  await execute(
    database,
    sql`
      DELETE FROM docket.refused_sign_in
      WHERE last_at < now() - make_interval(days => ${int(keptDays)})
        OR subject IN (
          SELECT subject FROM docket.refused_sign_in
          ORDER BY last_at DESC, subject OFFSET ${int(kept)}
        )`,
  )
}

type Row = Omit<RefusedSignIn, 'user'> & {
  readonly user_id: number | null
  readonly full_name: string | null
}

/** The newest first; without subjects that now belong to an active user. */
export const selectRefusals = async (database: Queryable): Promise<RefusedSignIn[]> => {
  const rows = await queryRows<Row>(
    database,
    sql`
      SELECT f.subject, f.email, f.is_email_verified, f.name, f.reason, f.times,
        ${isoTime('f.first_at')} AS first_at, ${isoTime('f.last_at')} AS last_at,
        m.id AS user_id, m.full_name
      FROM docket.refused_sign_in f
      LEFT JOIN ${table('user')} m ON m.email = f.email AND ${notDeleted('m')}
      WHERE NOT EXISTS (
        SELECT FROM ${usersWithRole}
        WHERE u.identity_provider_user_id = f.subject AND ${activeUser('u')} AND r.id IS NOT NULL
      )
      ORDER BY f.last_at DESC, f.subject`,
  )
  return rows.map(({ user_id: id, full_name: name, ...row }) => ({
    ...row,
    user: id === null ? null : { id, full_name: name ?? '' },
  }))
}
