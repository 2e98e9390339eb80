/** The roles of a user in an answer. */
import { roleKeysOf } from '../auth/caller.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { withNames } from '../definitions/value-names.ts'
import { objectOf } from '../http/openapi/operation.ts'

/** Their schema. */
export const describedRoles = {
  role: { type: 'string', description: 'Key of the security role.' },
  role_name: { type: 'string', description: 'Name of the security role.' },
  roles: {
    description:
      'That role, and the further ones. `administrator` comes first: with it, the others add nothing.',
    type: 'array',
    items: objectOf({ key: { type: 'string' }, name: { type: 'string' } }),
  },
} as const

/** The roles with these keys, which are separated by commas, with their names. */
export const printRoles = (catalog: Catalog, roleKey: string) => {
  const keys = roleKeysOf({ roleKey })
  const roles = withNames(
    catalog,
    keys.toSorted((one, other) => Number(isFirst(other)) - Number(isFirst(one))),
  )
  const { key: role = '', name: role_name = '' } = roles[0] ?? {}
  return { role, role_name, roles }
}

const isFirst = (key: string): boolean => key === administratorRole
