/** What brings triggers and stored values of calculated fields to what the definitions say. */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import {
  type Calculated,
  columnsReadBy,
  inOrderOfCalculation,
} from '../../definitions/calculations/calculation-order.ts'
import { findRollup } from '../../definitions/calculations/rollups.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { type Change, counted, destructive, during, safe } from '../diff/change.ts'
import {
  type Schema,
  storedColumn,
  storedTable,
  type TableSchema,
  type TriggerSchema,
} from '../diff/schema.ts'
import {
  type Calculating,
  calculationText,
  differsSql,
  quotedBody,
  recalculateSql,
  unfinishedText,
} from './calculation-sql.ts'

/** Records whose entered value a calculation would replace: how many, and one of them. */
type Replaced = { readonly count: number; readonly id: number | null }

type Options = Calculating & {
  readonly desired: Schema
  /** The actual schema with its future names. */
  readonly schema: Schema
  readonly replacedBy: (table: string, column: string) => Replaced | undefined
  /** Also calculates what is calculated as before. */
  readonly isRecalculating: boolean
}

type Plan = {
  /** Before any row or column is changed. */
  readonly before: readonly Change[]
  readonly after: readonly Change[]
}

/**
 * Pure. A trigger that is not wanted any more goes before columns are renamed or dropped; the new one comes when they are
 * there. Then stored values are calculated, in the order in which they depend on each other.
 */
export const planCalculations = (options: Options): Plan => {
  const { catalog, desired, schema } = options
  const tables = [...desired.values()].map((table) => ({ table, actual: schema.get(table.name) }))
  const order = inOrderOfCalculation(catalog)
  return {
    before: tables.flatMap(({ table, actual }) => (actual ? droppedTrigger(table, actual) : [])),
    after: [
      ...tables.flatMap(({ table, actual }) => addedTrigger(table, actual)),
      ...tables.flatMap(({ table, actual }) => (actual ? enteredAgain(table, actual) : [])),
      ...order.flatMap((one) => calculatedNow(options, one)),
    ],
  }
}

const isSameTrigger = (one: TriggerSchema | undefined, other: TriggerSchema | undefined) =>
  one?.name === other?.name &&
  one?.functionName === other?.functionName &&
  one?.body === other?.body

const droppedTrigger = (desired: TableSchema, actual: TableSchema): Change[] => {
  const { trigger } = actual
  if (!trigger || isSameTrigger(desired.trigger, trigger)) return []
  const table = storedTable(actual)
  const reason = `fields of ${desired.name} are calculated in another way, or not any more`
  return [
    {
      ...safe(`DROP TRIGGER ${identifier(trigger.name)} ON ${tableName(table)}`, reason),
      table,
    },
    safe(`DROP FUNCTION ${tableName(trigger.functionName)}()`, reason),
  ]
}

const addedTrigger = (desired: TableSchema, actual: TableSchema | undefined): Change[] => {
  const { trigger, name } = desired
  if (!trigger || isSameTrigger(trigger, actual?.trigger)) return []
  const reason = `fields of ${name} are calculated`
  const call = `${tableName(trigger.functionName)}()`
  return [
    safe(
      `CREATE OR REPLACE FUNCTION ${call} RETURNS trigger LANGUAGE plpgsql AS ${quotedBody(trigger.body)}`,
      reason,
    ),
    {
      ...safe(
        `CREATE TRIGGER ${identifier(trigger.name)} BEFORE INSERT OR UPDATE ON ${tableName(name)} FOR EACH ROW EXECUTE FUNCTION ${call}`,
        reason,
      ),
      ...(actual && { table: storedTable(actual) }),
    },
  ]
}

/** People enter a field that was calculated before; its values stay. */
const enteredAgain = (desired: TableSchema, actual: TableSchema): Change[] =>
  actual.columns
    .filter(({ name, calculation }) => {
      const wanted = desired.columns.find((column) => column.name === name)
      return calculation !== undefined && wanted?.calculation === undefined
    })
    .map(({ name }) =>
      safe(
        `COMMENT ON COLUMN ${tableName(desired.name)}.${identifier(name)} IS NULL`,
        `${desired.name}.${name} is not calculated any more`,
      ),
    )

const calculatedNow = (options: Options, one: Calculated): Change[] => {
  const { schema, isRecalculating } = options
  const { entity, column } = one
  const text = calculationText(options, one) ?? ''
  const actual = schema.get(entity.key)
  const stored = actual?.columns.find(({ name }) => name === column.name)
  if (stored?.calculation === text && !isRecalculating) return []
  const name = `${entity.key}.${column.name}`
  const marked = during('last', safe(commentSql(one, text), `${name} is calculated`))
  if (!actual) return [marked]
  // With the new trigger: if this is interrupted, and the definition put back, the former text would be wrong.
  const begun =
    stored?.calculation === undefined || stored.calculation === text
      ? []
      : [safe(commentSql(one, unfinishedText), `${name} is calculated in another way`)]
  return [
    ...begun,
    // After all that writes to existing records, such as the renaming of a choice that a condition names.
    { ...during('between', filled(options, one)), table: entity.key, isCalculation: true },
    marked,
  ]
}

const commentSql = ({ entity, column }: Calculated, text: string): string =>
  `COMMENT ON COLUMN ${tableName(entity.key)}.${identifier(column.name)} IS '${text.replaceAll("'", "''")}'`

const filled = (options: Options, one: Calculated): Change => {
  const { entity, column } = one
  const sql = recalculateSql(options, one)
  const name = `${entity.key}.${column.name}`
  const { count, id } = options.replacedBy(entity.key, column.name) ?? { count: 0, id: null }
  if (count === 0) return safe(sql, `${name} is calculated in all records`)
  const example = id === null ? '' : `, for example the record ${id}`
  return destructive(
    sql,
    `${name} is calculated now, and ${counted(count, ['record has', 'records have'])} another value, which would be replaced${example}`,
  )
}

/** By table and column; one scan for each field that was entered until now. */
export const readReplaced = async (
  database: Queryable,
  calculating: Calculating,
  schema: Schema,
): Promise<(table: string, column: string) => Replaced | undefined> => {
  const { catalog } = calculating
  const found = new Map<string, Replaced>()
  for (const one of inOrderOfCalculation(catalog)) {
    const { entity, column } = one
    const actual = schema.get(entity.key)
    const stored = actual?.columns.find(({ name }) => name === column.name)
    if (!actual || !stored || stored.calculation !== undefined) continue
    const cell = `t.${identifier(storedColumn(actual, column.name))}`
    const isAnother = isComparable(catalog, one, schema)
      ? ` AND ${differsSql(calculating, one)}`
      : ''
    const { rows } = await database.query<Replaced>(
      `SELECT count(*)::integer AS count, min(t.id) AS id
       FROM ${tableName(storedTable(actual))} t WHERE ${cell} IS NOT NULL${isAnother}`,
    )
    if (rows[0]) found.set(`${entity.key}.${column.name}`, rows[0])
  }
  return (table, column) => found.get(`${table}.${column}`)
}

/** Whether the tables have everything that the calculation reads, by its name of now. */
const isComparable = (catalog: Catalog, one: Calculated, schema: Schema): boolean => {
  const has = (table: string, name: string): boolean => {
    const actual = schema.get(table)
    return (
      actual !== undefined &&
      storedTable(actual) === table &&
      actual.columns.some((column) => column.name === name && (column.storedAs ?? name) === name)
    )
  }
  const found = findRollup(catalog, one.entity, one.column)
  const link = found && 'rollup' in found ? found.rollup : undefined
  return (
    has(one.entity.key, one.column.name) &&
    (!link || has(link.child.key, link.link.name)) &&
    columnsReadBy(catalog, one).every(({ entity, column }) => has(entity.key, column.name))
  )
}
