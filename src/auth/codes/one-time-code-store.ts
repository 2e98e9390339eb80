/**
 * Codes that sign in once: links of development, invitations, and codes by e-mail. Secrets are stored by their
 * digests alone.
 */
import { execute, type Queryable, queryRow, queryRows, queryValue } from '../../database/pool.ts'
import { int, isoTime, notDeleted, sql, table, text } from '../../database/sql.ts'
import { activeUser } from '../../users/user-store.ts'

type CodeKind = 'link' | 'invitation' | 'code'

/** A code by e-mail ends after so many minutes. */
export const codeMinutes = 10

const minutesOf: Readonly<Record<CodeKind, number>> = {
  link: 10,
  invitation: 72 * 60,
  code: codeMinutes,
}

type NewCode = {
  readonly kind: CodeKind
  readonly userId: number
  /** Of its secret; null: it is set when the code is sent. */
  readonly digest: string | null
  readonly invitedBy?: number | null
}

/** Stores a code, an invitation in place of an earlier one of the user. Undefined: there is no such active user. */
export const insertCode = async (
  database: Queryable,
  { kind, userId, digest, invitedBy = null }: NewCode,
): Promise<{ readonly id: number; readonly expiresAt: string } | undefined> => {
  const row = await queryRow<{ id: number; expires_at: string }>(
    database,
    sql`
      INSERT INTO docket.one_time_code AS c (kind, user_id, digest, invited_by, expires_at)
      SELECT ${text(kind)}, u.id, ${text(digest)}, ${int(invitedBy)},
        now() + make_interval(mins => ${int(minutesOf[kind])})
      FROM ${table('user')} u WHERE u.id = ${int(userId)} AND ${activeUser('u')}
      ON CONFLICT (user_id) WHERE kind = 'invitation' DO UPDATE
      -- One that is still to be sent has another id, and so is not.
      SET id = DEFAULT, digest = excluded.digest, invited_by = excluded.invited_by, created_at = now(),
        expires_at = excluded.expires_at
      RETURNING c.id, ${isoTime('c.expires_at')} AS expires_at`,
  )
  return row && { id: row.id, expiresAt: row.expires_at }
}

type Sought = { readonly kind: CodeKind; readonly digest: string }

export type Invited = { readonly userId: number; readonly fullName: string; readonly email: string }

/** Whom an open code is for; undefined if it is wrong, used, revoked or too old, or if the user may not sign in. */
export const findCode = async (
  database: Queryable,
  { kind, digest }: Sought,
): Promise<Invited | undefined> => {
  const row = await queryRow<{ id: number; full_name: string; email: string }>(
    database,
    sql`
      SELECT u.id, u.full_name, u.email
      FROM docket.one_time_code c JOIN ${table('user')} u ON u.id = c.user_id AND ${activeUser('u')}
      WHERE c.digest = ${text(digest)} AND c.kind = ${text(kind)} AND c.expires_at > now()`,
  )
  return row && { userId: row.id, fullName: row.full_name, email: row.email }
}

/** Uses up a code; its user, or undefined as in `findCode`. */
export const takeCode = (
  database: Queryable,
  { kind, digest }: Sought,
): Promise<number | undefined> =>
  queryValue<number>(
    database,
    sql`
      DELETE FROM docket.one_time_code c USING ${table('user')} u
      WHERE c.digest = ${text(digest)} AND c.kind = ${text(kind)} AND c.expires_at > now()
        AND u.id = c.user_id AND ${activeUser('u')}
      RETURNING c.user_id`,
  )

/** An invitation that is open; times are ISO 8601. */
export type Invitation = {
  readonly id: number
  readonly user: { readonly id: number; readonly full_name: string; readonly email: string }
  /** Who invited; null for one of the command line. */
  readonly invited_by: { readonly id: number; readonly full_name: string } | null
  readonly created_at: string
  readonly expires_at: string
}

/** Revokes an invitation, and returns its user; undefined if none with this id is open. */
export const deleteInvitation = (database: Queryable, id: number): Promise<number | undefined> =>
  queryValue<number>(
    database,
    sql`
      DELETE FROM docket.one_time_code
      WHERE id = ${int(id)} AND kind = 'invitation' RETURNING user_id`,
  )

/** Revokes the open invitation of a user, if there is one. */
export const deleteInvitationOf = (database: Queryable, userId: number): Promise<number> =>
  execute(
    database,
    sql`DELETE FROM docket.one_time_code WHERE user_id = ${int(userId)} AND kind = 'invitation'`,
  )

const maxInvitations = 1_000

/** The open invitations, the newest first; at most a thousand. */
export const selectInvitations = async (database: Queryable): Promise<readonly Invitation[]> => {
  const rows = await queryRows<
    Omit<Invitation, 'user' | 'invited_by'> & {
      readonly user_id: number
      readonly full_name: string
      readonly email: string
      readonly by_id: number | null
      readonly by_name: string | null
    }
  >(
    database,
    sql`
      SELECT i.id, ${isoTime('i.created_at')} AS created_at, ${isoTime('i.expires_at')} AS expires_at,
        u.id AS user_id, u.full_name, u.email, b.id AS by_id, b.full_name AS by_name
      FROM docket.one_time_code i JOIN ${table('user')} u ON u.id = i.user_id AND ${notDeleted('u')}
      LEFT JOIN ${table('user')} b ON b.id = i.invited_by
      WHERE i.kind = 'invitation' AND i.expires_at > now()
      ORDER BY i.created_at DESC, i.id DESC LIMIT ${int(maxInvitations)}`,
  )
  return rows.map(({ user_id, full_name, email, by_id, by_name, ...row }) => ({
    ...row,
    user: { id: user_id, full_name, email },
    invited_by: by_id === null ? null : { id: by_id, full_name: by_name ?? '' },
  }))
}

/** Stores what finds a code that is about to be sent; false if it was replaced, revoked or is too old. */
export const setDigest = async (
  database: Queryable,
  { id, digest }: { readonly id: number; readonly digest: string },
): Promise<boolean> => {
  const set = await execute(
    database,
    sql`
      UPDATE docket.one_time_code SET digest = ${text(digest)}
      WHERE id = ${int(id)} AND kind = 'invitation' AND expires_at > now()`,
  )
  return set > 0
}
