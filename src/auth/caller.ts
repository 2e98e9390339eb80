/** The caller of a request. */
import { administratorRole } from '../definitions/checks/check-role.ts'

export type Caller = {
  /** `id` of the user. */
  readonly userId: number
  /**
   * The user who signed in, if their session acts as this user; otherwise null. Permissions are those of this user, and
   * everything that is stored with this user as its author names both.
   */
  readonly actingUser: ActingUser | null
  /**
   * Keys of the user's security roles: their first one, and the others after commas. Of a caller with the scope of an API key each
   * has that scope: such a role is another one, which whatever compares roles takes for none that it knows.
   */
  readonly roleKey: string
  readonly fullName: string
  readonly email: string
}

export type ActingUser = { readonly id: number; readonly fullName: string }

/** Who makes a change: the user, and who really acted as that user. */
export type Author = {
  readonly userId: number
  /** Null: the user themselves. */
  readonly actingUserId: number | null
}

/** The author of what the service does by itself, because the definitions or seeds say so. */
export const theService = { userId: null, actingUserId: null } as const

/** Who writes a record. */
export type RecordAuthor = Author | typeof theService

/** The caller as the author of a change. */
export const authorOf = ({ userId, actingUser }: Caller): Author => ({
  userId,
  actingUserId: actingUser?.id ?? null,
})

/** The part of a caller that decides what they may do. */
export type Person = Pick<Caller, 'userId' | 'roleKey'>

const separator = ','
// No key of a role contains it.
const scopeMark = '@'

/** The roles of a user as they decide: their keys, each with the scope of the API key if there is one. */
export const rolesOf = ({ roleKey }: Pick<Person, 'roleKey'>): readonly string[] =>
  roleKey.split(separator)

/** The keys of the roles of a user, whatever the scope of the API key. */
export const roleKeysOf = (person: Pick<Person, 'roleKey'>): readonly string[] =>
  isScoped(person) ? rolesOf(person).map((role) => partsOfRole(role).key) : rolesOf(person)

/** Whether the caller has an API key with a scope. */
export const isScoped = ({ roleKey }: Pick<Person, 'roleKey'>): boolean =>
  roleKey.includes(scopeMark)

/** The scope of the caller's API key; undefined without one. */
export const keyScopeOf = (person: Pick<Person, 'roleKey'>): string | undefined =>
  partsOfRole(rolesOf(person)[0] ?? '').scope

/** The roles of a user, each with the scope of an API key. */
export const withScope = (roleKey: string, scope: string): string =>
  rolesOf({ roleKey })
    .map((role) => `${role}${scopeMark}${scope.replaceAll(separator, '+')}`)
    .join(separator)

/** The key of a role, and the scope of the API key; undefined without one. */
export const partsOfRole = (role: string): { readonly key: string; readonly scope?: string } => {
  const [key = '', scope] = role.split(scopeMark)
  return scope === undefined ? { key } : { key, scope: scope.replaceAll('+', separator) }
}

/** Whether a user has one role alone; asked for every column of a query, so that no list is made. */
export const hasOneRole = ({ roleKey }: Pick<Person, 'roleKey'>): boolean =>
  !roleKey.includes(separator)

/** The keys as they decide: with the administrator's among them, the others add nothing. */
export const wholeRoleKey = (roleKey: string): string =>
  roleKeysOf({ roleKey }).includes(administratorRole) ? administratorRole : roleKey

/** A user with several roles as that of some of them. */
export const withRoles = <P extends Person>(person: P, roleKeys: readonly string[]): P => ({
  ...person,
  roleKey: roleKeys.join(separator),
})

/** A user with each of their roles alone. */
export const eachRoleOf = <P extends Person>(person: P): readonly P[] => {
  const roles = rolesOf(person)
  return roles.length === 1 ? [person] : roles.map((roleKey) => ({ ...person, roleKey }))
}

const all = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** The beginning of an error about what the roles of a user do not grant. */
export const lackingRoles = (person: Pick<Person, 'roleKey'>): string => {
  const keys = roleKeysOf(person).map((key) => `"${key}"`)
  const within = isScoped(person) ? ' with the scope of the API key' : ''
  return keys.length > 1
    ? `Roles ${all.format(keys)}${within} lack`
    : `Role ${keys.join()}${within} lacks`
}
