/** Security roles: their records, which follow the files of the project, and users whose role has no file; and the administrator that every database has. */
import { type Pool, type Queryable, queryRows } from '../database/pool.ts'
import { sql, table, texts } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { namedRoles } from '../definitions/value-names.ts'
import { StartupError } from '../errors.ts'
import type { Observe } from '../observations.ts'
import {
  activeUser,
  countAdministrators,
  findUserByEmail,
  insertUser,
  lockAdministrators,
  type User,
  usersWithRole,
} from './user-store.ts'

const roles = table('security_role')

type Role = { readonly key: string; readonly name: string }

/** The roles that were not removed. */
export const listRoles = (database: Queryable) =>
  queryRows<Role>(database, sql`SELECT key, name FROM ${roles} WHERE NOT _is_deleted`)

/** Creates the roles, or updates their names; two processes may do so at once. */
const upsertRoles = (database: Queryable, wanted: readonly Role[]) => {
  // Every process locks the rows in the same order, so that there is no deadlock.
  const sorted = wanted.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const keys = texts(sorted.map(({ key }) => key))
  const names = texts(sorted.map(({ name }) => name))
  return queryRows(
    database,
    sql`
      INSERT INTO ${roles} AS r (key, name, _is_deleted, _created_at, _updated_at)
      SELECT w.key, w.name, false, now(), now() FROM unnest(${keys}, ${names}) AS w (key, name)
      ON CONFLICT (key) WHERE NOT _is_deleted DO UPDATE
      SET name = excluded.name, _updated_at = excluded._updated_at, _version = r._version + 1
      WHERE r.name <> excluded.name`,
  )
}

/** At start: creates a record for every role of the project and for the administrator, and updates changed names. */
export const ensureRoles = async (database: Queryable, catalog: Catalog): Promise<void> => {
  const known = new Map((await listRoles(database)).map(({ key, name }) => [key, name]))
  const missing = namedRoles(catalog).filter(({ key, name }) => known.get(key) !== name)
  if (missing.length > 0) await upsertRoles(database, missing)
}

export type UnknownRole = {
  /** The key of the role; null if its record was removed. */
  readonly role: string | null
  /** Users who have it, are active and not blocked. */
  readonly users: number
}

/** The roles that users have and the project does not, by key. */
export const listUnknownRoles = (database: Queryable, catalog: Catalog): Promise<UnknownRole[]> => {
  const known = texts([administratorRole, ...catalog.roles.keys()])
  return queryRows<UnknownRole>(
    database,
    sql`
      SELECT r.key AS role, count(*)::integer AS users FROM ${usersWithRole}
      WHERE ${activeUser('u')} AND (r.key IS NULL OR NOT r.key = ANY (${known}))
      GROUP BY r.key ORDER BY r.key`,
  )
}

// At start: a database without an administrator gets one, so that a new project can be used.

type Options = { readonly pool: Pool; readonly email: string; readonly observe: Observe }

/**
 * Creates the administrator if there is no active one. Throws a StartupError if the e-mail belongs to a user with
 * another role. The roles must exist (`ensureRoles`).
 */
export const ensureAdministrator = async ({ pool, email, observe }: Options): Promise<void> => {
  if ((await countAdministrators(pool)) > 0) return
  const isCreated = await transaction(pool, (connection) => makeAdministrator(connection, email))
  if (isCreated) observe({ kind: 'administratorCreated', email })
}

/** Does the same in an open transaction. Returns whether an administrator was created. */
export const makeAdministrator = async (connection: Queryable, email: string): Promise<boolean> => {
  await lockAdministrators(connection)
  if ((await countAdministrators(connection)) > 0) return false
  await createAdministrator(connection, email)
  return true
}

const createAdministrator = async (connection: Queryable, email: string): Promise<void> => {
  const other = await findUserByEmail(connection, email)
  if (other) throw new StartupError(refusal(other))
  const id = await insertUser(connection, {
    identity_provider_user_id: email,
    first_name: 'Docket',
    last_name: 'Administrator',
    full_name: 'Administrator',
    email,
    role_key: administratorRole,
  })
  if (id === undefined)
    throw new StartupError(
      `The administrator ${email} cannot be created: another user has this username or identity_provider_user_id. Set ADMIN_EMAIL to another e-mail.`,
    )
}

// The service never extends the permissions of an existing user.
const refusal = ({ email, role_key }: User): string => {
  const state =
    role_key === administratorRole
      ? 'is an administrator who is blocked or inactive'
      : `has ${role_key === null ? 'a role that was removed' : `the role "${role_key}"`}`
  return `There is no active administrator, and the user ${email} ${state}. Set ADMIN_EMAIL to an e-mail that no user has, or make this user an active administrator in the database.`
}
