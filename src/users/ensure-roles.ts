/** At start: creates a security_role record for every file in roles/ and for the administrator. */
import type { Queryable } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { namedRoles } from '../definitions/translations/role-name.ts'
import { listRoles, upsertRoles } from './role-store.ts'

/** Creates the missing records, and updates names that changed in the files. */
export const ensureRoles = async (database: Queryable, catalog: Catalog): Promise<void> => {
  const known = new Map((await listRoles(database)).map(({ key, name }) => [key, name]))
  const missing = namedRoles(catalog).filter(({ key, name }) => known.get(key) !== name)
  if (missing.length > 0) await upsertRoles(database, missing)
}
