/** Roles, with the number of their users. */
import { queryOptions } from '@tanstack/react-query'
import { searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Condition } from '../types.ts'

const rolePath = 'security_role.key'

/** Further roles of users, but for those that are the role of their record too. */
const furtherRoles: Condition = {
  security_role: { $ne: { $field: 'user.security_role' } },
  'user._is_deleted': false,
}

/** How many users have each role, counted by the service. */
export const roleCountsQuery = queryOptions({
  queryKey: [userKey, 'list', 'user', 'roles'],
  queryFn: async ({ signal }): Promise<ReadonlyMap<string, number>> => {
    const groupsOf = async (entity: string, $where: Condition) => {
      const body = { $where, $group: [rolePath], $select: ['id'] }
      const { groups = [] } = await searchRecords(entity, body, { limit: 1, signal })
      return groups
    }
    const all = await Promise.all([groupsOf('user', {}), groupsOf('user_role', furtherRoles)])
    const counts = new Map<string, number>()
    for (const { key, count } of all.flat()) {
      const role = String(key[rolePath] ?? '')
      counts.set(role, (counts.get(role) ?? 0) + count)
    }
    return counts
  },
})

export type RoleRecord = { readonly id: number; readonly key: string; readonly name: string }

const mostRoles = 500

/** The roles that users can have, by name. */
export const rolesQuery = queryOptions({
  queryKey: [userKey, 'list', 'security_role', 'roles'],
  queryFn: async ({ signal }): Promise<readonly RoleRecord[]> => {
    const body = { $select: ['id', 'key', 'name'], $orderBy: ['name'] }
    const { data } = await searchRecords('security_role', body, { limit: mostRoles, signal })
    return data.map(({ id, key, name }) => ({ id, key: String(key), name: String(name ?? key) }))
  },
})
