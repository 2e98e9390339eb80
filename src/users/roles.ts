/** Security roles: their records, which follow the files of the project, and users whose role has no file. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { sql, table, texts } from '../database/sql.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { namedRoles } from '../definitions/value-names.ts'
import { activeUser, usersWithRole } from './user-store.ts'

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
