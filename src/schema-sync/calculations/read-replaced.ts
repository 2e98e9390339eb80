/** Counts entered values that a calculation would replace, so that none is lost without permission. */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import {
  type Calculated,
  columnsReadBy,
  inOrderOfCalculation,
} from '../../definitions/calculations/calculation-order.ts'
import { findRollup } from '../../definitions/calculations/rollups.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { type Schema, storedColumn, storedTable } from '../diff/schema.ts'
import { differsSql } from './calculation-sql.ts'
import type { Replaced } from './plan-calculations.ts'

/** By table and column; one scan for each field that was entered until now. */
export const readReplaced = async (
  database: Queryable,
  catalog: Catalog,
  schema: Schema,
): Promise<(table: string, column: string) => Replaced | undefined> => {
  const found = new Map<string, Replaced>()
  for (const one of inOrderOfCalculation(catalog)) {
    const { entity, column } = one
    const actual = schema.get(entity.key)
    const stored = actual?.columns.find(({ name }) => name === column.name)
    if (!actual || !stored || stored.calculation !== undefined) continue
    const cell = `t.${identifier(storedColumn(actual, column.name))}`
    const isAnother = isComparable(catalog, one, schema) ? ` AND ${differsSql(catalog, one)}` : ''
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
