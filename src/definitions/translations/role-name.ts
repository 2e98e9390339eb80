/** What roles are called: by their files, in the language of the catalog. */
import type { Catalog } from '../catalog.ts'
import { administratorRole } from '../checks/check-role.ts'

/** The name of a role; its key where its file has no name, or no file is left. */
export const roleNameOf = ({ roles }: Catalog, key: string): string =>
  key === administratorRole ? 'Administrator' : (roles.get(key)?.name ?? key)

type NamedRole = { readonly key: string; readonly name: string }

/** Roles with their names. */
export const withNames = (catalog: Catalog, keys: readonly string[]): readonly NamedRole[] =>
  keys.map((key) => ({ key, name: roleNameOf(catalog, key) }))

/** Every role with its name, the administrator first. */
export const namedRoles = (catalog: Catalog): readonly NamedRole[] =>
  withNames(catalog, [administratorRole, ...catalog.roles.keys()])
