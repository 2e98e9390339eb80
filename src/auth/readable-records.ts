/**
 * Who may read a record, as PostgreSQL decides it: in the statement that reads, for one user or for all of a join. Whether a role reads an
 * entity is in resolved-roles.ts, which of its records in permissions.ts, which has all of it for callers, and the SQL of these in
 * query/compile-scope.ts.
 */
import { type Queryable, queryRows } from '../database/pool.ts'
import { anyOf, ints, join, ref, type Sql, sql, table, texts } from '../database/sql.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { nativeEntity, type PartRight, partRights } from '../definitions/native-entities.ts'
import { withoutShared } from '../query/access.ts'
import { compileScope } from '../query/compile-scope.ts'
import { eachRoleOf, type Person, withRoles } from './caller.ts'
import type { RecordRight } from './entity-rights.ts'
import type { Permissions } from './permissions.ts'

export type VisibilityDeps = { readonly catalog: Catalog; readonly permissions: Permissions }

/** A user in a statement: the expression of the id, and of whether they have one of the roles of these keys, an array. */
export type PersonSql = { readonly user: Sql; readonly hasRole: (roleKeys: Sql) => Sql }

/** A user by the expressions of the id and of the keys of the roles, with commas. Almost all have one role, which is compared as it is. */
export const personOf = (user: Sql, role: Sql): PersonSql => {
  const hasSeveral = sql`strpos(${role}, ',') > 0`
  return {
    user,
    hasRole: (keys) =>
      sql`(${role} = ANY (${keys}) OR (${hasSeveral} AND string_to_array(${role}, ',') && ${keys}))`,
  }
}

/** Whether a user may read the record `alias` of an entity by one of their roles, or by one of these among them. */
export const readableBy = (
  { permissions }: Pick<VisibilityDeps, 'permissions'>,
  entity: Entity,
  alias: string,
  person: PersonSql,
  among?: readonly string[],
): Sql => anyOf(waysToRead(permissions, entity, alias, person, among))

/** Whether one of their roles grants something else on the record. It counts for those who may read it. */
export const grantedBy = (
  { permissions }: Pick<VisibilityDeps, 'permissions'>,
  right: RecordRight,
  entity: Entity,
  alias: string,
  person: PersonSql,
): Sql => anyOf(waysTo(permissions.readersOf(entity, right), entity, alias, person))

/** Whether they may read it by each group of roles that read the entity alike. */
export const waysToRead = (
  permissions: Permissions,
  entity: Entity,
  alias: string,
  person: PersonSql,
  among?: readonly string[],
): readonly Sql[] => waysTo(permissions.readersOf(entity), entity, alias, person, among)

const waysTo = (
  { all, some }: ReturnType<Permissions['readersOf']>,
  entity: Entity,
  alias: string,
  { user, hasRole }: PersonSql,
  among?: readonly string[],
): readonly Sql[] => {
  const asked = (roleKeys: readonly string[]) =>
    among ? roleKeys.filter((key) => among.includes(key)) : roleKeys
  return [
    hasRole(texts(asked(all))),
    ...some.flatMap(({ roleKeys, scopeOf }) => {
      const keys = asked(roleKeys)
      const inScope = compileScope(scopeOf(user), entity.hasOwner, alias)
      return keys.length === 0 ? [] : [sql`(${hasRole(texts(keys))} AND ${inScope})`]
    }),
  ]
}

/** A user with those of their roles that read a record, or of those the ones that write its parts; undefined if none does. */
export type ReachAs<P extends Person> = (id: number, right: 'read' | PartRight) => P | undefined

/** A user as they reach records, by id. Of a user with one role, each that they reach they reach by that one. */
export const reachAs = async <P extends Person>(
  database: Queryable,
  { permissions }: Pick<VisibilityDeps, 'permissions'>,
  {
    person,
    entity,
    ids,
  }: { readonly person: P; readonly entity: Entity; readonly ids: readonly number[] },
): Promise<ReachAs<P>> => {
  const roles = eachRoleOf(person)
  if (roles.length === 1) return () => person
  const list = roles.flatMap((role, at) => {
    const inScope = (right: 'read' | PartRight) => {
      const scope = withoutShared(permissions.scopeOf(role, right, entity))
      return compileScope(scope, entity.hasOwner, 't')
    }
    const reads = inScope('read')
    return [
      sql`${reads} AS ${ref(`read${at}`)}`,
      ...partRights.map(
        (right) => sql`(${reads} AND ${inScope(right)}) AS ${ref(`${right}${at}`)}`,
      ),
    ]
  })
  const rows = await queryRows<Readonly<Record<string, boolean | null>> & { readonly id: number }>(
    database,
    sql`
    SELECT t.id, ${join(list, ', ')}
    FROM ${table(entity)} t
    WHERE t.id = ANY (${ints(ids)})`,
  )
  const found = new Map(rows.map((row) => [row.id, row]))
  return (id, right) => {
    const row = found.get(id)
    const keys = roles.flatMap(({ roleKey }, at) =>
      row?.[`${right}${at}`] === true ? [roleKey] : [],
    )
    return keys.length === 0 ? undefined : withRoles(person, keys)
  }
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
export const entitledTo = (entity: Entity, alias: string, { user }: PersonSql): Sql | undefined => {
  const columns = (nativeEntity(entity).entitled ?? []).flatMap(
    (key) => entity.associations.get(key) ?? [],
  )
  return columns.length === 0
    ? undefined
    : anyOf(columns.map(({ name }) => sql`${ref(name, alias)} = ${user}`))
}
