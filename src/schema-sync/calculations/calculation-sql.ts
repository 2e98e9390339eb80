/** SQL of calculated values, for rows `t` of the table that keeps them. */
import { identifier, tableName } from '../../database/sql.ts'
import type { Calculated } from '../../definitions/calculations/calculation-order.ts'
import { formulaOf, formulaSql } from '../../definitions/calculations/formulas.ts'
import { rollupFunctionOf } from '../../definitions/calculations/rollup-functions.ts'
import { type Rollup, rollupsOf } from '../../definitions/calculations/rollups.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'

/** A condition for rows whose stored value is not the calculated one. */
export const differsSql = (catalog: Catalog, { entity, column }: Calculated): string => {
  const value = formulaOf(column)
    ? `(${formulaSql(entity, column, (name) => `t.${identifier(name)}`)})`
    : rollupSql(rollupOf(catalog, entity, column))
  return `t.${identifier(column.name)} IS DISTINCT FROM ${value}`
}

/** The value of a rollup. */
export const rollupSql = ({ name, child, link, source }: Rollup): string => {
  const value = rollupFunctionOf(name).toSql(`c.${identifier(source?.name ?? 'id')}`)
  const isPart = `c.${identifier(link.name)} = t.id AND NOT c._is_deleted`
  return `(SELECT ${value} FROM ${tableName(child.key)} c WHERE ${isPart})`
}

/** The rollup of a column. */
export const rollupOf = (catalog: Catalog, entity: Entity, column: Column): Rollup => {
  const rollup = rollupsOf(catalog, entity).find((one) => one.column === column)
  if (!rollup) throw new Error(`${entity.key}.${column.name} has no rollup.`)
  return rollup
}
