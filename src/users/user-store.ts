/** Queries about users. They leave removed users out unless they say otherwise. */
import { type Queryable, queryRow, queryRows } from '../database/pool.ts'
import { int, notDeleted, ref, type Sql, sql, table, text } from '../database/sql.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { didYouMean } from '../did-you-mean.ts'
import { StartupError } from '../errors.ts'
import { lowerCase } from '../lower-case.ts'

export type User = {
  readonly id: number
  /** The subject (`sub`) of the person's tokens. */
  readonly identity_provider_user_id: string
  readonly full_name: string
  readonly email: string
  /** Keys of the roles: that of the user record, and others after commas. Null when the first one was removed. */
  readonly role_key: string | null
  readonly is_active: boolean
  readonly is_blocked: boolean
}

/** A user to be created; every other field gets its default. */
export type NewUser = {
  readonly identity_provider_user_id: string
  readonly first_name: string
  readonly last_name: string
  readonly full_name: string
  /** Also becomes the username. */
  readonly email: string
  readonly role_key: string
}

const users = table('user')
const roles = table('security_role')

/** The keys of the roles of a user `u` whose first role is `r`: that one, and the others after commas; null without it. */
export const userRoleKeys = sql`CASE
    WHEN EXISTS (SELECT FROM ${table('user_role')} f WHERE f.user_id = u.id AND ${notDeleted('f')})
    THEN r.key || coalesce((
      SELECT ',' || string_agg(DISTINCT o.key, ',')
      FROM ${table('user_role')} f JOIN ${roles} o ON o.id = f.security_role_id AND ${notDeleted('o')}
      WHERE f.user_id = u.id AND ${notDeleted('f')} AND o.id <> r.id
    ), '')
    ELSE r.key
  END`

/**
 * The same as `held.keys`, for statements about many users: their further roles are read once, and not for each of them. `ids` selects
 * at least the ids of these users.
 */
export const heldRolesOf = (ids: Sql): Sql => sql`
LEFT JOIN (
  SELECT f.user_id, array_agg(o.key ORDER BY o.key) AS keys
  FROM ${table('user_role')} f
  JOIN ${roles} o ON o.id = f.security_role_id AND ${notDeleted('o')}
  WHERE ${notDeleted('f')} AND f.user_id IN (${ids})
  GROUP BY f.user_id
) further ON further.user_id = u.id AND r.key IS NOT NULL
CROSS JOIN LATERAL (
  SELECT CASE
      WHEN further.keys IS NULL THEN r.key
      ELSE array_to_string(r.key || array_remove(further.keys, r.key), ',')
    END AS keys
) held`

/** The user `u` there, and whether they have one of the roles of these keys, an array: false, and not null, so that nothing else is asked. */
export const holder = {
  user: sql`u.id`,
  hasRole: (roleKeys: Sql): Sql =>
    sql`(r.key = ANY (${roleKeys}) OR (further.keys && ${roleKeys}) IS TRUE)`,
} as const

/** A user `u`, whose role of an administrator is not counted. */
export const otherThanAdministrators = {
  user: sql`u.id`,
  hasRole: (roleKeys: Sql): Sql => sql`EXISTS (
    SELECT FROM ${roles} o
    WHERE o.key = ANY (${roleKeys}) AND o.key <> ${text(administratorRole)} AND ${notDeleted('o')}
      AND (o.id = u.security_role_id OR EXISTS (
        SELECT FROM ${table('user_role')} f
        WHERE f.user_id = u.id AND f.security_role_id = o.id AND ${notDeleted('f')}
      ))
  )`,
} as const

/** The columns of a `User`, of a user `u` with the role `r` of `usersWithRole`. */
export const userColumns = sql`
  u.id, u.identity_provider_user_id, u.full_name, u.email, u.is_active, u.is_blocked,
  ${userRoleKeys} AS role_key`

/** Users that were not removed as `u`, with their security role as `r`. */
export const usersWithRole = sql`
  (SELECT * FROM ${users} WHERE NOT _is_deleted) u
  LEFT JOIN ${roles} r ON r.id = u.security_role_id AND ${notDeleted('r')}`

/** Users who may work with the service: not removed, active and not blocked. */
export const activeUser = (alias: string): Sql =>
  sql`${ref('is_active', alias)} AND NOT ${ref('is_blocked', alias)} AND ${notDeleted(alias)}`

/** The user whose tokens carry this subject. */
export const findUserBySubject = (database: Queryable, subject: string) =>
  findUser(database, sql`u.identity_provider_user_id = ${text(subject)}`)

/** The user with this e-mail; upper and lower case are the same. */
export const findUserByEmail = (database: Queryable, email: string) =>
  findUser(database, sql`u.email = ${text(lowerCase(email))}`)

/**
 * Locks the active user who has this e-mail and no subject yet, and returns its id. As long as the subject of a user's
 * tokens is not known, their own address stands for it.
 */
export const lockUnboundUser = async (
  database: Queryable,
  email: string,
): Promise<number | undefined> => {
  const row = await queryRow<{ id: number }>(
    database,
    sql`
      SELECT u.id FROM ${users} u
      WHERE u.email = ${text(lowerCase(email))} AND ${activeUser('u')}
        AND lower(u.identity_provider_user_id) IN (u.email, u.username)
      FOR UPDATE`,
  )
  return row?.id
}

/** The user with this id. */
export const findUserById = (database: Queryable, id: number) =>
  findUser(database, sql`u.id = ${int(id)}`)

const findUser = async (database: Queryable, condition: Sql): Promise<User | undefined> => {
  const select = sql`SELECT ${userColumns} FROM ${usersWithRole} WHERE ${condition}`
  return queryRow<User>(database, select)
}

/** Whether a user with this subject was removed. */
export const wasUserRemoved = async (database: Queryable, subject: string): Promise<boolean> => {
  const rows = await queryRows(
    database,
    sql`
      SELECT FROM ${users}
      WHERE identity_provider_user_id = ${text(subject)} AND _is_deleted
      LIMIT 1`,
  )
  return rows.length > 0
}

/**
 * Creates a user and returns its id; undefined if another user has the subject, username or e-mail, or if
 * the role does not exist.
 */
export const insertUser = async (
  database: Queryable,
  user: NewUser,
): Promise<number | undefined> => {
  const row = await queryRow<{ id: number }>(
    database,
    sql`
      INSERT INTO ${users}
        (identity_provider_user_id, first_name, last_name, full_name, username, email,
         is_contact, is_active, is_blocked, security_role_id, _is_deleted, _created_at, _updated_at)
      SELECT ${text(user.identity_provider_user_id)}, ${text(user.first_name)},
        ${text(user.last_name)}, ${text(user.full_name)},
        ${text(lowerCase(user.email))}, ${text(lowerCase(user.email))},
        false, true, false, r.id, false, now(), now()
      FROM ${roles} r WHERE r.key = ${text(user.role_key)} AND ${notDeleted('r')}
      ON CONFLICT DO NOTHING RETURNING id`,
  )
  return row?.id
}

/** The number of administrators who may call now. */
export const countAdministrators = async (database: Queryable): Promise<number> => {
  const row = await queryRow<{ count: number }>(
    database,
    sql`
      SELECT count(*) AS count
      FROM ${usersWithRole}
      WHERE ${activeUser('u')} AND (r.key = ${text(administratorRole)} OR (r.id IS NOT NULL AND u.id IN (
        SELECT f.user_id
        FROM ${table('user_role')} f JOIN ${roles} o ON o.id = f.security_role_id AND ${notDeleted('o')}
        WHERE ${notDeleted('f')} AND o.key = ${text(administratorRole)}
      )))`,
  )
  return row?.count ?? 0
}

/** Blocks other transactions that create an administrator, or might take away the last one. */
export const lockAdministrators = (database: Queryable) =>
  queryRows(
    database,
    sql`SELECT pg_advisory_xact_lock(hashtextextended('docket.administrators', 0))`,
  )

// More would take long to compare.
const compared = 1_000

/** Throws a StartupError that says what to do if there is no such user; upper and lower case are the same. */
export const requireUser = async (
  database: Queryable,
  email: string,
  whatToDo = '"docket seed" loads the users of the project.',
): Promise<User> => {
  const user = await findUserByEmail(database, email)
  if (user) return user
  const [row] = await queryRows<{ is_removed: boolean; emails: readonly string[] | null }>(
    database,
    sql`
      SELECT EXISTS (
          SELECT FROM ${users} WHERE email = ${text(lowerCase(email))} AND _is_deleted
        ) AS is_removed,
        (SELECT array_agg(u.email) FROM (
          SELECT email FROM ${users} WHERE NOT _is_deleted ORDER BY id LIMIT ${int(compared)}
        ) u) AS emails`,
  )
  if (row?.is_removed) throw new StartupError(`The user with the e-mail ${email} was removed.`)
  const hint = didYouMean(lowerCase(email), row?.emails ?? [])
  throw new StartupError(`There is no user with the e-mail ${email}${hint || '.'} ${whatToDo}`)
}
