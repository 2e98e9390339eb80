/** Queries about refused sign-ins: of people for whom the issuer vouches, and who are not active users. */
import { execute, type Queryable, queryRows } from '../../database/pool.ts'
import { bound, int, isoTime, notDeleted, sql, table, text } from '../../database/sql.ts'
import { lowerCase } from '../../lower-case.ts'
import { activeUser, usersWithRole } from '../../users/user-store.ts'
import type { Claims } from '../tokens/verify-token.ts'

/** Times are ISO 8601. */
export type RefusedSignIn = {
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
export const storeRefusal = async (
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
