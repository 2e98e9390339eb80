/** Queries about the records of security roles. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { sql, table, texts } from '../database/sql.ts'

const roles = table('security_role')

export type Role = { readonly key: string; readonly name: string }

/** The roles that were not removed. */
export const listRoles = (database: Queryable) =>
  queryRows<Role>(database, sql`SELECT key, name FROM ${roles} WHERE NOT _is_deleted`)

/** Creates the roles, or updates their names; two processes may do so at once. */
export const upsertRoles = (database: Queryable, wanted: readonly Role[]) => {
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
