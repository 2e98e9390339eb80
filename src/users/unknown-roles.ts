/** Users whose role has no file: they may do nothing, and the log reports it. */
import { type Queryable, queryRows } from '../database/pool.ts'
import { sql, texts } from '../database/sql.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { activeUser, usersWithRole } from './user-store.ts'

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
