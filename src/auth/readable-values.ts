/**
 * Which of the values that were loaded for many users each of them may read: paths of a record
 * (`supplier.country.name`) through fields that a role hides, and through records of which it may read some and not
 * others. Which records these are, PostgreSQL decides with the statement that reads or in one for each user.
 */
import { anyOf, join, ref, type Sql, sql, text } from '../database/sql.ts'
import { resolvePath } from '../definitions/association-path.ts'
import { type Column, type Entity, getEntity } from '../definitions/catalog.ts'
import { nativeEntity } from '../definitions/native-entities.ts'
import type { RecordScope } from '../query/access.ts'
import { compileJoin } from '../query/compile-select.ts'
import { linkedScope, maySeeByPath, readableOfOthers } from '../query/user-visibility.ts'
import { eachRoleOf, type Person } from './caller.ts'
import type { Permissions } from './permissions.ts'
import { entitledTo, type PersonSql, type VisibilityDeps, waysToRead } from './readable-records.ts'

/** Loaded values by path. */
export type Values = ReadonlyMap<string, unknown>

/**
 * The records that a user may read among those on the paths of a record, by the path that leads to them: `''` is the record itself.
 * Each is also listed with the number of each group of roles by which they do. Only records of entities of which some roles read a
 * part are listed.
 */
export type Reach = ReadonlySet<string>

// No path has a space.
const wayTo = (path: string, way: string | number): string => `${path} ${way}`

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
  /** In which ways they may read it, as numbers of groups of roles; null: in none. */
  readonly ways: (person: PersonSql) => Sql
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
            ways: (person) =>
              numbersOf(waysToRead(deps.permissions, place.entity, place.alias, person)),
          },
        ],
  )
  const isEntitled = (person: PersonSql) =>
    numbersOf([entitledTo(entity, alias, person) ?? sql`false`])
  const entitled = nativeEntity(entity).entitled
    ? [{ path: entitledKey, entity, ways: isEntitled }]
    : []
  return { joins: places.length > 0 ? joins : [], places: [...places, ...entitled] }
}

/** The numbers of the conditions that hold, in a text; null if none does. */
const numbersOf = (conditions: readonly Sql[]): Sql => {
  const numbers = conditions.map((one, at) => sql`CASE WHEN ${one} THEN ${text(String(at))} END`)
  const [only, ...others] = numbers
  if (only && others.length === 0) return only
  return sql`nullif(concat_ws(' ', ${join(numbers, ', ')}), '')`
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
  places.map(({ ways }, index) => sql`${ways(person)} AS ${ref(`${prefix}${index}`)}`)

/** Whether the user may read the record itself, by these columns of `alias`; undefined if they do not say it, as everybody is asked alike. */
export const reachesRecord = (
  { places }: ReachPlan,
  prefix: string,
  alias: string,
): Sql | undefined => {
  const own = places.flatMap(({ path }, index) =>
    path === '' || path === entitledKey
      ? [sql`${ref(`${prefix}${index}`, alias)} IS NOT NULL`]
      : [],
  )
  return places.some(({ path }) => path === '') ? anyOf(own) : undefined
}

/** A row with columns by which it is said what a user may read. */
export type ReachRow = Readonly<Record<string, unknown>>

/** Returns what reads the reach in rows with these columns. Thousands of users have few different ones, of which each is made once. */
export const reachReader = ({ places }: ReachPlan, prefix: string): ((row: ReachRow) => Reach) => {
  const names = places.map((_, index) => `${prefix}${index}`)
  const made = new Map<string, Reach>()
  return (row) => {
    const ways = names.map((name) => row[name])
    const key = ways.join()
    const known = made.get(key)
    if (known) return known
    const paths = places.flatMap(({ path }, index) => {
      const numbers = ways[index]
      return typeof numbers === 'string'
        ? [path, ...numbers.split(' ').map((way) => wayTo(path, way))]
        : []
    })
    const reach: Reach = new Set(paths)
    made.set(key, reach)
    return reach
  }
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
  return [entity, ...targets].every((one, index) => {
    if (isEntitled && index === 0) return true
    const column = steps[index] ?? last
    const isName = index > 0 && column === last && linkedScope(access, one, last) === 'all'
    return (
      isName ||
      isShown(permissions, person, { entity: one, column, place: walked[index] ?? '' }, reach)
    )
  })
}

type ShownColumn = {
  readonly entity: Entity
  readonly column: Column
  /** The path of its record. */
  readonly place: string
}

/** Whether one of the roles by which a user reads a record shows a column of it. */
const isShown = (
  permissions: Permissions,
  person: Person,
  { entity, column, place }: ShownColumn,
  reach: Reach,
): boolean => {
  const scope = permissions.accessOf(person).readScope(entity)
  if (!isInScope(scope, place, reach)) return false
  if (typeof scope === 'string' || !scope.shown?.has(column.name)) return true
  const { all, some } = permissions.readersOf(entity)
  const groups = [all, ...some.map(({ roleKeys }) => roleKeys)]
  return eachRoleOf(person).some(
    (role) =>
      permissions.accessOf(role).maySee(entity, column) &&
      groups.some((keys, at) => keys.includes(role.roleKey) && reach.has(wayTo(place, at))),
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
  if (column && readableOfOthers(access, people, column) === 'all') return true
  if (column && !access.maySee(people, column)) return false
  if (column)
    return isShown(deps.permissions, person, { entity: people, column, place: '' }, actor.reach)
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
