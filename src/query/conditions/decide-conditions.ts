/** Conditions of definitions, on records and on values of the caller, decided for one user. */
import { type Queryable, queryRow, queryRows } from '../../database/pool.ts'
import { ints, join, nothing, raw, ref, type Sql, sql, table } from '../../database/sql.ts'
import { type Catalog, type Entity, getEntity } from '../../definitions/catalog.ts'
import { fullAccess } from '../access.ts'
import { compileSelect } from '../compile-select.ts'
import { type Condition, callerPathsIn, noCriteria } from '../criteria/criteria.ts'
import { parseWhere } from '../criteria/parse-criteria.ts'
import { planSelect } from '../plan-select.ts'
import { jsonValue } from '../record-json.ts'
import { compileConditions } from './compile-conditions.ts'

/** For whom conditions are decided. */
export type Decider = {
  readonly catalog: Catalog
  readonly timeZone: string
  readonly userId: number
}

/** What has a condition. */
export type Conditional<Key> = ReadonlyMap<Key, Condition>

/** Conditions for one user, as SQL over the record `t`. */
export type DecidedConditions<Key> = {
  readonly joins: Sql
  readonly byKey: ReadonlyMap<Key, Sql>
}

const parsed = new WeakMap<object, Condition>()

/** A condition of a definition that was checked, parsed once. */
export const parsedCondition = (definition: object): Condition => {
  const known = parsed.get(definition)
  if (known) return known
  const { condition } = parseWhere(definition, '$where', { namesCaller: true })
  if (!condition) throw new Error('A condition of the definitions was not checked.')
  parsed.set(definition, condition)
  return condition
}

/** Reads the values of the user that the conditions name, at most one statement. */
export const decideConditions = async <Key>(
  database: Queryable,
  decider: Decider,
  entity: Entity,
  conditional: Conditional<Key>,
): Promise<DecidedConditions<Key>> => {
  if (conditional.size === 0) return { joins: nothing, byKey: new Map() }
  const conditions = [...conditional.values()]
  const callerValues = await readCallerValues(database, decider, conditions.flatMap(callerPathsIn))
  const { catalog, timeZone } = decider
  const compiled = compileConditions({ catalog, timeZone, entity, conditions, callerValues })
  return {
    joins: compiled.joins,
    byKey: new Map(
      [...conditional.keys()].map((key, index) => [key, compiled.conditions[index] ?? sql`false`]),
    ),
  }
}

/** The keys whose condition does not hold for the record, also if it was removed. */
export const findUnmet = async <Key>(
  database: Queryable,
  decider: Decider,
  { entity, id }: { readonly entity: Entity; readonly id: number },
  conditional: Conditional<Key>,
): Promise<ReadonlySet<Key>> =>
  (await findUnmetOfEach(database, decider, { entity, ids: [id] }, conditional)).get(id) ??
  new Set()

/** The same for several records, by id: one statement decides all conditions for all of them. */
export const findUnmetOfEach = async <Key>(
  database: Queryable,
  decider: Decider,
  { entity, ids }: { readonly entity: Entity; readonly ids: readonly number[] },
  conditional: Conditional<Key>,
): Promise<ReadonlyMap<number, ReadonlySet<Key>>> => {
  const { joins, byKey } = await decideConditions(database, decider, entity, conditional)
  if (byKey.size === 0 || ids.length === 0) return new Map()
  const list = [...byKey.values()].map((holds, at) => sql`${holds} AS ${ref(`c${at}`)}`)
  const select = sql`
    SELECT t.id, ${join(list, ', ')}
    FROM ${table(entity)} t${joins}
    WHERE t.id = ANY (${ints(ids)})`
  type Row = Readonly<Record<string, boolean | null>> & { readonly id: number }
  const found = new Map((await queryRows<Row>(database, select)).map((row) => [row.id, row]))
  const keys = [...byKey.keys()]
  const isMet = (id: number, at: number) => found.get(id)?.[`c${at}`] === true
  return new Map(ids.map((id) => [id, new Set(keys.filter((_, at) => !isMet(id, at)))]))
}

/** Values of the user by path, as in the JSON of a record. */
const readCallerValues = async (
  database: Queryable,
  { catalog, timeZone, userId }: Decider,
  paths: readonly string[],
): Promise<ReadonlyMap<string, unknown>> => {
  if (paths.length === 0) return new Map()
  const where: Condition = {
    kind: 'compare',
    field: 'id',
    operator: '$eq',
    value: userId,
    at: 'id',
  }
  const plan = planSelect({
    ...{ catalog, timeZone, entity: getEntity(catalog, 'user'), access: fullAccess },
    ...{ scope: 'all', page: undefined, criteria: { ...noCriteria, where } },
    columns: [...new Set(paths)].map((path) => ({ path, at: path })),
  })
  const list = plan.columns.map(({ ref: column }, at) => `${jsonValue(column)} AS c${at}`)
  const row = await queryRow<Record<string, string>>(
    database,
    compileSelect(plan, raw(list.join(', '))),
  )
  return new Map(plan.columns.map(({ path }, at) => [path, JSON.parse(row?.[`c${at}`] ?? 'null')]))
}
