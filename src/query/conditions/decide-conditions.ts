/** Conditions of definitions, on records and on values of the caller, decided for one user. */
import { type Queryable, queryRows } from '../../database/pool.ts'
import { int, ints, join, ref, type Sql, sql, table } from '../../database/sql.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { kept } from '../../kept.ts'
import type { Condition } from '../criteria/criteria.ts'
import { parseWhere } from '../criteria/parse-criteria.ts'
import { compileConditions } from './compile-conditions.ts'

/** For whom conditions are decided. */
export type Decider = {
  readonly catalog: Catalog
  readonly timeZone: string
  readonly userId: number
  /** Who really acts, if that is another user. */
  readonly actingUserId?: number | null
}

/** What has a condition. */
export type Conditional<Key> = ReadonlyMap<Key, Condition>

/** Conditions for one user, as SQL over the record `t`. */
export type DecidedConditions<Key> = {
  readonly joins: Sql
  readonly byKey: ReadonlyMap<Key, Sql>
}

/** A condition of a definition that was checked, parsed once. */
export const parsedCondition = kept((definition: object): Condition => {
  const { condition } = parseWhere(definition, { namesCaller: true, asksReadable: true })
  if (!condition) throw new Error('A condition of the definitions was not checked.')
  return condition
})

/** The conditions for the user of an id; they name the values of the user as these are when the statement runs. */
export const decideConditions = <Key>(
  { catalog, timeZone }: Pick<Decider, 'catalog' | 'timeZone'>,
  user: Sql,
  entity: Entity,
  conditional: Conditional<Key>,
): DecidedConditions<Key> => {
  const conditions = [...conditional.values()]
  const compiled = compileConditions({ catalog, timeZone, user, entity, conditions })
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
  { id, ...records }: Omit<Decided, 'ids'> & { readonly id: number },
  conditional: Conditional<Key>,
): Promise<ReadonlySet<Key>> =>
  (await findUnmetOfEach(database, decider, { ...records, ids: [id] }, conditional)).get(id) ??
  new Set()

/** The same for several records, by id: one statement decides all conditions for all of them. */
export const findUnmetOfEach = async <Key>(
  database: Queryable,
  decider: Decider,
  records: Decided,
  conditional: Conditional<Key>,
): Promise<ReadonlyMap<number, ReadonlySet<Key>>> => {
  const user = int(decider.userId)
  return conditional.size === 0
    ? new Map()
    : findUnmetDecided(
        database,
        records,
        decideConditions(decider, user, records.entity, conditional),
      )
}

/** The records that are decided on. */
type Decided = {
  readonly entity: Entity
  readonly ids: readonly number[]
  /** Where they are, if not in the table: a row source with the columns that are asked. */
  readonly rows?: Sql
}

/** The same of conditions that are compiled already. */
export const findUnmetDecided = async <Key>(
  database: Queryable,
  { entity, ids, rows = table(entity) }: Decided,
  { joins, byKey }: DecidedConditions<Key>,
): Promise<ReadonlyMap<number, ReadonlySet<Key>>> => {
  if (byKey.size === 0 || ids.length === 0) return new Map()
  const list = [...byKey.values()].map((holds, at) => sql`${holds} AS ${ref(`c${at}`)}`)
  const select = sql`
    SELECT t.id, ${join(list, ', ')}
    FROM ${rows} t${joins}
    WHERE t.id = ANY (${ints(ids)})`
  type Row = Readonly<Record<string, boolean | null>> & { readonly id: number }
  const found = new Map((await queryRows<Row>(database, select)).map((row) => [row.id, row]))
  const keys = [...byKey.keys()]
  const isMet = (id: number, at: number) => found.get(id)?.[`c${at}`] === true
  return new Map(ids.map((id) => [id, new Set(keys.filter((_, at) => !isMet(id, at)))]))
}
