/** A row with its calculated fields, as the trigger of its table would calculate them. */
import { join, raw, ref, type Sql, sql, text } from '../../../database/sql.ts'
import { formulaColumns, formulaSql } from '../../../definitions/calculations/formulas.ts'
import { rollupFunctionOf } from '../../../definitions/calculations/rollup-functions.ts'
import { rollupsOf } from '../../../definitions/calculations/rollups.ts'
import type { Catalog, Entity } from '../../../definitions/catalog.ts'

/** A row source that adds them to another one, which has the row of a new record without them. */
export const calculatedRow = (catalog: Catalog, entity: Entity, entered: Sql): Sql => {
  const rollups = rollupsOf(catalog, entity).map(({ column, name }) => ({
    column,
    value: rollupFunctionOf(name).withoutRecords ?? 'NULL',
  }))
  const formulas = formulaColumns(entity).map((column) => ({
    column,
    value: formulaSql(entity, column, (name) => ref(name, 'r').parts.join('')),
  }))
  // One after the other: a formula may read the result of another.
  return [...rollups, ...formulas].reduce(
    (row, { column, value }) =>
      sql`(SELECT r.*, (${raw(value)})::${raw(column.type.sqlType())} AS ${ref(column.name)} FROM ${row} r)`,
    entered,
  )
}

/** Joins after a row of the table, and the alias of the row whose formulas are calculated from its other fields. */
export const recalculated = (entity: Entity, row: string): { joins: Sql; alias: string } => {
  let alias = row
  const joins = formulaColumns(entity).map((column, index) => {
    const value = formulaSql(entity, column, (name) => ref(name, alias).parts.join(''))
    const changed = sql`jsonb_build_object(${text(column.name)}, ${raw(value)})`
    const before = alias
    alias = `calculated${index}`
    return sql`CROSS JOIN LATERAL jsonb_populate_record(${raw(before)}, ${changed}) AS ${raw(alias)}`
  })
  return { joins: join(joins, ' '), alias }
}
