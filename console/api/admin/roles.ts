/**
 * Roles with the number of their users, and what administrators do with users: they create, block and deactivate them, and let in those
 * whose sign-in was refused. The list of users is in accounts.ts.
 */
import { queryOptions } from '@tanstack/react-query'
import type { RefusedSignIn } from '../../../src/api/people/refused-sign-ins.ts'
import { request, searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Condition, RecordRow } from '../types.ts'

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

type Change = {
  readonly id: number
  readonly version: number
  readonly body: { readonly is_blocked: boolean } | { readonly is_active: boolean }
}

/** Blocks a user, who is then signed out everywhere, or lets them in again. */
export const changeUser = ({ id, version, body }: Change): Promise<RecordRow> =>
  request(`/user/${id}`, { method: 'PATCH', etag: `"${version}"`, body })

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

export type Invitation = {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  /** What the tokens of the person name them by. */
  readonly subject: string
  readonly roleId: number
}

/** Creates the user, once for all attempts with a key. */
export const inviteUser = (one: Invitation, idempotencyKey: string): Promise<RecordRow> =>
  request('/user', {
    method: 'POST',
    headers: { 'Idempotency-Key': idempotencyKey },
    body: {
      first_name: one.firstName,
      last_name: one.lastName,
      full_name: `${one.firstName} ${one.lastName}`,
      username: one.email,
      email: one.email,
      identity_provider_user_id: one.subject,
      security_role_id: one.roleId,
    },
  })

export type { RefusedSignIn }

export const refusedKey = [userKey, 'refused-sign-ins']

export const refusedSignInsQuery = queryOptions({
  queryKey: refusedKey,
  queryFn: async ({ signal }): Promise<readonly RefusedSignIn[]> => {
    const page = await request<{ readonly data: readonly RefusedSignIn[] }>(
      '/api/refused-sign-ins',
      { signal },
    )
    return page.data
  },
})

type Link = { readonly userId: number; readonly subject: string }

/** From now on anyone who has this subject signs in as the user. */
export const linkSubject = ({ userId, subject }: Link): Promise<RecordRow> =>
  request(`/user/${userId}`, { method: 'PATCH', body: { identity_provider_user_id: subject } })
