/**
 * Decides which of the values that were loaded for many users each of them may read: paths of a record
 * (`supplier.country.name`) through fields that a role hides and records that it may read only as their
 * creator or owner.
 */
import { resolvePath } from '../definitions/association-path.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import type { RecordScope } from '../query/access.ts'
import { linkedScope, maySeeByPath, readableOfOthers } from '../query/user-visibility.ts'
import type { Person } from './caller.ts'
import type { Permissions } from './permissions.ts'

export type VisibilityDeps = { readonly catalog: Catalog; readonly permissions: Permissions }

/** Loaded values by path. */
export type Values = ReadonlyMap<string, unknown>

/** Creators and owners by the path of the record that they belong to; `''` is the record itself. */
export type Owners = ReadonlyMap<string, readonly unknown[]>

// Users who may read the record itself whatever their role, such as assignees of a task; not the linked
// records.
const entitledKey = '!entitled'

/** The associations on paths: for `supplier.country.name` these are `supplier` and `supplier.country`. */
const associationsIn = (paths: readonly string[]): string[] => [
  ...new Set(
    paths.flatMap((path) => {
      const names = path.split('.')
      return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'))
    }),
  ),
]

/**
 * Paths to load in addition, to know who created or owns the linked records; none if no role is limited to
 * its own records.
 */
export const ownerPaths = (
  { catalog, permissions }: VisibilityDeps,
  entity: Entity,
  paths: readonly string[],
): string[] =>
  associationsIn(paths).flatMap((association) => {
    const result = resolvePath(catalog, entity, association)
    const target =
      'path' in result ? catalog.entities.get(result.path.column.target ?? '') : undefined
    if (!target || permissions.readersOf(target).own.length === 0) return []
    return ['_created_by', ...(target.hasOwner ? ['_owned_by'] : [])].map(
      (name) => `${association}.${name}`,
    )
  })

/**
 * The creators and owners among loaded values; those of the record itself are `own`, and `entitled` are
 * users who may read it because of their relation to it.
 */
export const ownersOf = (
  values: Values,
  own: readonly unknown[],
  entitled: readonly unknown[],
): Owners => {
  const owners = new Map<string, unknown[]>([
    ['', [...own]],
    [entitledKey, [...entitled]],
  ])
  for (const [path, value] of values) {
    const [, association, name] = /^(.+)\.([^.]+)$/.exec(path) ?? []
    if (association === undefined || (name !== '_created_by' && name !== '_owned_by')) continue
    owners.set(association, [...(owners.get(association) ?? []), value])
  }
  return owners
}

/** Whether a user may read a path of a record. A notified user knows its id. */
export const mayReadPath = (
  { catalog, permissions }: VisibilityDeps,
  person: Person,
  entity: Entity,
  path: string,
  owners: Owners,
): boolean => {
  if (path === 'id') return true
  const access = permissions.accessOf(person)
  const isEntitled = owners.get(entitledKey)?.includes(person.userId) === true
  const mayFollow = maySeeByPath(access)
  const result = resolvePath(catalog, entity, path, (one, column) =>
    isEntitled && one === entity ? !access.hides(one, column) : mayFollow(one, column),
  )
  if ('message' in result) return false
  const walked = ['', ...associationsIn([path])]
  const { steps, column: last } = result.path
  const targets = steps.map(({ target }) => getEntity(catalog, target ?? ''))
  const scopeAt = (one: Entity, index: number) =>
    index > 0 && index === steps.length ? linkedScope(access, one, last) : access.readScope(one)
  return [entity, ...targets].every(
    (one, index) =>
      (isEntitled && index === 0) ||
      isInScope(scopeAt(one, index), owners.get(walked[index] ?? '')),
  )
}

const isInScope = (scope: RecordScope, owners: readonly unknown[] = []): boolean =>
  scope === 'all' || (scope !== 'none' && owners.includes(scope.ownedBy))

/** Whether a user may read a path of the user who acted. */
export const mayReadActor = (
  deps: VisibilityDeps,
  person: Person,
  people: Entity,
  path: string,
  actor: { readonly id: unknown; readonly owners: Owners },
): boolean => {
  const access = deps.permissions.accessOf(person)
  const column = people.columnsByName.get(path)
  if (column && actor.id === person.userId) return !access.hides(people, column)
  if (column) return isInScope(readableOfOthers(access, people, column), actor.owners.get(''))
  return mayReadPath(deps, person, people, path, actor.owners)
}

/** Whether users may read a path of their own user record. */
export const mayReadSelf = (
  deps: VisibilityDeps,
  person: Person,
  people: Entity,
  path: string,
): boolean =>
  mayReadActor(deps, person, people, path, {
    id: person.userId,
    owners: new Map([['', [person.userId]]]),
  })

/**
 * What distinguishes the views of two users: their role, and which of the linked records are theirs. Users
 * with the same key may read the same paths.
 */
export const visibilityKey = (
  { roleKey, userId }: Person,
  ...owners: readonly Owners[]
): string => {
  const theirs = owners.flatMap((some, index) =>
    [...some].flatMap(([path, users]) => (users.includes(userId) ? [`${index}${path}`] : [])),
  )
  return [roleKey, ...theirs].join(' ')
}

/** The values at the paths that the test accepts. */
export const onlyPaths = (
  values: Values,
  mayRead: (path: string) => boolean,
): Map<string, unknown> => new Map([...values].filter(([path]) => mayRead(path)))
