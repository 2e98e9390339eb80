/**
 * Explains a condition on one record for one user, criterion by criterion: whether each holds, by the statement that decides
 * for the whole condition, and the values that it compares.
 */
import type { Values } from '../../auth/readable-values.ts'
import { type Queryable, queryRow } from '../../database/pool.ts'
import { int, join, ref, type Sql, sql, table } from '../../database/sql.ts'
import { type Catalog, type Entity, getEntity } from '../../definitions/catalog.ts'
import { idIn, loadPaths } from '../../notify/event-values.ts'
import type { Access } from '../../query/access.ts'
import { findUnmet } from '../../query/conditions/decide-conditions.ts'
import { compileScopeCondition } from '../../query/conditions/scope-condition.ts'
import { type Condition, comparesIn, listsIn, printWhere } from '../../query/criteria/criteria.ts'

/** Of what a record is asked, and for whom. */
export type Asked = {
  readonly database: Queryable
  readonly catalog: Catalog
  readonly timeZone: string
  readonly entity: Entity
  readonly id: number
  readonly userId: number
}

type ComparedValue = { readonly path: string; readonly value: unknown }

/** A part of a condition; those of a group follow it, one level deeper. */
export type Criterion = {
  readonly depth: number
  readonly kind: 'and' | 'or' | 'not' | 'own' | 'criterion'
  readonly isMet: boolean
  /** A criterion as criteria. */
  readonly where: Readonly<Record<string, unknown>> | null
  readonly ofRecord: readonly ComparedValue[]
  readonly ofUser: readonly ComparedValue[]
}

/** Whether each of some conditions holds for the record and the user. */
export type AreMet = (conditions: readonly Condition[]) => Promise<readonly boolean[]>

/** As the condition of a write or of an action is decided. */
export const metByWrites =
  ({ database, entity, id, ...decider }: Asked): AreMet =>
  async (conditions) => {
    const met: boolean[] = []
    // One by one: together they might follow more links than one statement may.
    for (const condition of conditions) {
      const unmet = await findUnmet(database, decider, { entity, id }, new Map([[0, condition]]))
      met.push(unmet.size === 0)
    }
    return met
  }

/** As the condition of reading is decided, with the records that the user may read. */
export const metByReading =
  ({ userId, ...asked }: Asked, readScope: Access['readScope']): AreMet =>
  (conditions) => {
    const options = { ...asked, user: int(userId), readScope, alias: 't' }
    const compiled = conditions.map((condition) => compileScopeCondition({ ...options, condition }))
    return findMet({ ...asked, userId }, compiled)
  }

/** Whether conditions hold for the record, which is `t`. */
export const findMet = async (
  { database, entity, id }: Asked,
  conditions: readonly Sql[],
): Promise<readonly boolean[]> => {
  const list = conditions.map((holds, at) => sql`${holds} AS ${ref(`c${at}`)}`)
  const row = await queryRow<Record<string, boolean | null>>(
    database,
    sql`SELECT ${join(list, ', ')} FROM ${table(entity)} t WHERE t.id = ${int(id)}`,
  )
  return conditions.map((_, at) => row?.[`c${at}`] === true)
}

type Part = Pick<Criterion, 'depth' | 'kind'> & { readonly condition: Condition }

/** The parts of a condition, each before those that it is made of. */
const partsOf = (condition: Condition, depth = 0): readonly Part[] => {
  if (condition.kind === 'and' || condition.kind === 'or')
    return [
      { depth, kind: condition.kind, condition },
      ...condition.conditions.flatMap((one) => partsOf(one, depth + 1)),
    ]
  // `$none` is one criterion, as `$some` is.
  if (condition.kind === 'not' && condition.condition.kind !== 'some')
    return [{ depth, kind: 'not', condition }, ...partsOf(condition.condition, depth + 1)]
  return [{ depth, kind: 'criterion', condition }]
}

/** Every part of a condition, with what it compares. */
export const explainCondition = async (
  asked: Asked,
  condition: Condition,
  areMet: AreMet,
): Promise<readonly Criterion[]> => {
  const parts = partsOf(condition)
  const met = await areMet(parts.map((part) => part.condition))
  const criteria = parts.map((part) => (part.kind === 'criterion' ? part.condition : undefined))
  const pathsOfEach = criteria.map((one) => (one ? recordPathsIn(one) : []))
  const ofRecord = await readRecord(asked, pathsOfEach.flat())
  const ofUser = await readUser(
    asked,
    criteria.flatMap((one) => (one ? callerPathsOf(one) : [])),
  )
  return parts.map(({ depth, kind }, at) => {
    const one = criteria[at]
    return {
      depth,
      kind,
      isMet: met[at] === true,
      where: one ? printWhere(one) : null,
      ofRecord: (pathsOfEach[at] ?? []).map(ofRecord),
      ofUser: one ? callerPathsOf(one).map(ofUser) : [],
    }
  })
}

const recordPathsIn = (condition: Condition): readonly string[] => {
  if (condition.kind === 'readable') return [condition.field]
  if (condition.kind !== 'compare') return []
  const { field, reference } = condition
  return [field, ...(reference?.of === 'record' ? [reference.path] : [])]
}

type CallerPath = {
  readonly path: string
  /** Whether it leads over a one-to-many field of the user. */
  readonly isList: boolean
}

/** Those of a criterion, also within conditions on the records of a one-to-many field. */
const callerPathsOf = (condition: Condition): readonly CallerPath[] => [
  ...comparesIn(condition).flatMap(({ operator, reference }) =>
    reference?.of === 'caller' ? [{ path: reference.path, isList: operator === '$in' }] : [],
  ),
  ...listsIn(condition).flatMap((list) => callerPathsOf(list.condition)),
]

/** The values of the record at some paths. */
export const readRecord = async (asked: Asked, paths: readonly string[]) => {
  const [record] = await load(asked, asked.entity, asked.id, paths)
  return (path: string): ComparedValue => ({ path, value: record?.get(path) ?? null })
}

const load = (
  { database, ...asked }: Asked,
  entity: Entity,
  id: number,
  paths: readonly string[],
) => (paths.length === 0 ? [] : loadPaths(database, { ...asked, entity, where: idIn([id]), paths }))

// A user may be in any number of groups; an explanation is read by a person.
const maxListed = 100

/** The values of the user at some paths. */
const readUser = async (asked: Asked, all: readonly CallerPath[]) => {
  const { catalog, database, userId } = asked
  const people = getEntity(catalog, 'user')
  const single = all.flatMap(({ path, isList }) => (isList ? [] : [path]))
  const [user] = await load(asked, people, userId, single)
  const lists = new Map<string, readonly unknown[]>()
  for (const { path } of all.filter(({ isList }) => isList)) {
    const [list = '', ...rest] = path.split('.')
    const { entity: key = '', mappedBy = '' } = people.oneToMany.get(list) ?? {}
    const where = {
      kind: 'compare',
      field: mappedBy,
      operator: '$eq',
      value: userId,
      at: path,
    } as const
    const end = rest.join('.')
    const found: readonly Values[] = await loadPaths(database, {
      ...asked,
      entity: getEntity(catalog, key),
      where,
      paths: [end],
    })
    const values = new Set(found.map((one) => one.get(end) ?? null))
    lists.set(path, [...values].slice(0, maxListed))
  }
  return ({ path, isList }: CallerPath): ComparedValue => ({
    path,
    value: isList ? (lists.get(path) ?? []) : (user?.get(path) ?? null),
  })
}
