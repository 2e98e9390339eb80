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
  /** Keys of the user's security roles: their first one, and the others after commas. */
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

/** The keys of the roles of a user. */
export const roleKeysOf = ({ roleKey }: Pick<Person, 'roleKey'>): readonly string[] =>
  roleKey.split(separator)

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
  const keys = roleKeysOf(person)
  return keys.length === 1 ? [person] : keys.map((roleKey) => ({ ...person, roleKey }))
}

const all = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** The beginning of an error about what the roles of a user do not grant. */
export const lackingRoles = (person: Pick<Person, 'roleKey'>): string => {
  const keys = roleKeysOf(person).map((key) => `"${key}"`)
  return keys.length > 1 ? `Roles ${all.format(keys)} lack` : `Role ${keys.join()} lacks`
}
