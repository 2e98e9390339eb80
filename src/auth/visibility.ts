/**
 * Which of the values that were loaded for many users each of them may read: paths of a record
 * (`supplier.country.name`) through fields that a role hides, and through records of which it may read some and not
 * others. PostgreSQL decides which records a user may read, in the statement that reads or in one for each user.
 */
import { anyOf, ref, type Sql, sql, texts } from '../database/sql.ts'
import { resolvePath } from '../definitions/association-path.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import type { RecordScope } from '../query/access.ts'
import { compileJoin, compileScope } from '../query/compile-select.ts'
import { linkedScope, maySeeByPath, readableOfOthers } from '../query/user-visibility.ts'
import type { Person } from './caller.ts'
import type { Permissions } from './permissions.ts'

export type VisibilityDeps = { readonly catalog: Catalog; readonly permissions: Permissions }

/** Loaded values by path. */
export type Values = ReadonlyMap<string, unknown>

/** A user in a statement: the expressions of the id and of the key of the role. */
export type PersonSql = { readonly user: Sql; readonly role: Sql }

/** Whether a user may read the record `alias` of an entity by their role. */
export const readableBy = (
  { permissions }: Pick<VisibilityDeps, 'permissions'>,
  entity: Entity,
  alias: string,
  { user, role }: PersonSql,
): Sql => {
  const { all, some } = permissions.readersOf(entity)
  return anyOf([
    sql`${role} = ANY (${texts(all)})`,
    ...some.map(({ roleKeys, scopeOf }) => {
      const inScope = compileScope(scopeOf(user), entity.hasOwner, alias)
      return sql`(${role} = ANY (${texts(roleKeys)}) AND ${inScope})`
    }),
  ])
}

/** The same, or whatever their role, such as the assignee of a task. */
export const entitledOrReadableBy = (
  deps: Pick<VisibilityDeps, 'permissions'>,
  entity: Entity,
  alias: string,
  person: PersonSql,
): Sql => {
  const entitled = entitledTo(entity, alias, person)
  return anyOf([readableBy(deps, entity, alias, person), ...(entitled ? [entitled] : [])])
}

/** Whether a user may read the record whatever their role; undefined if nobody may. */
const entitledTo = (entity: Entity, alias: string, { user }: PersonSql): Sql | undefined => {
  const columns = (nativeEntity(entity).entitled ?? []).flatMap(
    (key) => entity.associations.get(key) ?? [],
  )
  return columns.length === 0
    ? undefined
    : anyOf(columns.map(({ name }) => sql`${ref(name, alias)} = ${user}`))
}

/**
 * The records that a user may read among those on the paths of a record, by the path that leads to them: `''` is the record itself.
 * Only records of entities of which some roles read a part are listed.
 */
export type Reach = ReadonlySet<string>

// Stands for the right to read the record itself, but not the linked records, whatever the role.
const entitledKey = '!entitled'

/** How a statement asks for the reach of users. */
export type ReachPlan = {
  /** The joins from the record to those on the paths. */
  readonly joins: readonly Sql[]
  readonly places: readonly ReachedPlace[]
}

type ReachedPlace = {
  readonly path: string
  /** The entity of the record there. */
  readonly entity: Entity
  readonly isReadable: (person: PersonSql) => Sql
}

/** The plan for the paths of a record `alias`; it asks nothing if every role reads all records on them, or none. */
export const planReach = (
  deps: VisibilityDeps,
  entity: Entity,
  paths: readonly string[],
  alias = 't',
): ReachPlan => {
  const found = new Map([['', { entity, alias }]])
  const joins: Sql[] = []
  for (const path of associationsIn(paths)) {
    const end = path.lastIndexOf('.')
    const from = found.get(path.slice(0, Math.max(end, 0)))
    const column = from?.entity.associations.get(path.slice(end + 1))
    const target = deps.catalog.entities.get(column?.target ?? '')
    if (!from || !column || !target) continue
    const linked = { alias: `${alias}_${found.size}`, entity: target }
    found.set(path, linked)
    joins.push(compileJoin({ ...linked, scope: 'all', from: { alias: from.alias, column } }))
  }
  const places = [...found].flatMap(([path, place]): ReachedPlace[] =>
    deps.permissions.readersOf(place.entity).some.length === 0
      ? []
      : [
          {
            path,
            entity: place.entity,
            isReadable: (person) => readableBy(deps, place.entity, place.alias, person),
          },
        ],
  )
  const isEntitled = (person: PersonSql) => entitledTo(entity, alias, person) ?? sql`false`
  const entitled = nativeEntity(entity).entitled
    ? [{ path: entitledKey, entity, isReadable: isEntitled }]
    : []
  return { joins: places.length > 0 ? joins : [], places: [...places, ...entitled] }
}

/** The associations on paths: for `supplier.country.name` these are `supplier` and `supplier.country`. */
const associationsIn = (paths: readonly string[]): string[] => [
  ...new Set(
    paths.flatMap((path) => {
      const names = path.split('.')
      return names.slice(1).map((_, index) => names.slice(0, index + 1).join('.'))
    }),
  ),
]

/** The part of a plan that is asked of one user: a role that reads all records of an entity, or none, is not asked there. */
export const askedOf = (
  { permissions }: Pick<VisibilityDeps, 'permissions'>,
  person: Person,
  { joins, places }: ReachPlan,
): ReachPlan => {
  const access = permissions.accessOf(person)
  const asked = places.filter(
    ({ path, entity }) => path === entitledKey || typeof access.readScope(entity) !== 'string',
  )
  return { joins: asked.length > 0 ? joins : [], places: asked }
}

/** Columns of a select list, named by `prefix` and a number, which say what a user may read. */
export const selectReach = ({ places }: ReachPlan, prefix: string, person: PersonSql): Sql[] =>
  places.map(
    ({ isReadable }, index) =>
      sql`coalesce(${isReadable(person)}, false) AS ${ref(`${prefix}${index}`)}`,
  )

/** The reach in a row with these columns. */
export const reachOf = ({ places }: ReachPlan, prefix: string, row: object): Reach => {
  const values = new Map(Object.entries(row))
  return new Set(
    places.flatMap(({ path }, index) => (values.get(`${prefix}${index}`) === true ? [path] : [])),
  )
}

/** Whether a user may read the record itself. */
export const mayReadRecord = (
  { permissions }: VisibilityDeps,
  person: Person,
  entity: Entity,
  reach: Reach,
): boolean =>
  reach.has(entitledKey) || isInScope(permissions.accessOf(person).readScope(entity), '', reach)

/** Whether a user may read a path of a record. A notified user knows its id. */
export const mayReadPath = (
  { catalog, permissions }: VisibilityDeps,
  person: Person,
  entity: Entity,
  path: string,
  reach: Reach,
): boolean => {
  if (path === 'id') return true
  const access = permissions.accessOf(person)
  const isEntitled = reach.has(entitledKey)
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
      (isEntitled && index === 0) || isInScope(scopeAt(one, index), walked[index] ?? '', reach),
  )
}

const isInScope = (scope: RecordScope, place: string, reach: Reach): boolean =>
  scope === 'all' || (scope !== 'none' && reach.has(place))

/** Whether a user may read a path of the user who acted. */
export const mayReadActor = (
  deps: VisibilityDeps,
  person: Person,
  people: Entity,
  path: string,
  actor: { readonly id: unknown; readonly reach: Reach },
): boolean => {
  const access = deps.permissions.accessOf(person)
  const column = people.columnsByName.get(path)
  if (column && actor.id === person.userId) return !access.hides(people, column)
  if (column) return isInScope(readableOfOthers(access, people, column), '', actor.reach)
  return mayReadPath(deps, person, people, path, actor.reach)
}

const ownRecord: Reach = new Set([''])

/** Whether users may read a path of their own user record. */
export const mayReadSelf = (
  deps: VisibilityDeps,
  person: Person,
  people: Entity,
  path: string,
): boolean => mayReadActor(deps, person, people, path, { id: person.userId, reach: ownRecord })

/** The values at the paths that the test accepts. */
export const onlyPaths = (
  values: Values,
  mayRead: (path: string) => boolean,
): Map<string, unknown> => new Map([...values].filter(([path]) => mayRead(path)))
