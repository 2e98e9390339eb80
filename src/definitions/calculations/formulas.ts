/** Formulas: fields that PostgreSQL calculates from others of the same record. */
import type { Column, Entity } from '../catalog.ts'
import { compileFormula, fieldsIn } from './compile-formula.ts'
import { type Expression, FormulaError, parseFormula } from './parse-formula.ts'

const parsed = new WeakMap<Column, Expression | undefined>()

/** The formula of a column; undefined if it has none, or one that `docket check` reports. */
export const formulaOf = (column: Column | undefined): Expression | undefined => {
  if (!column || !('formula' in column.field) || column.field.formula === undefined)
    return undefined
  if (!parsed.has(column)) parsed.set(column, tryToParse(column.field.formula))
  return parsed.get(column)
}

const tryToParse = (text: string): Expression | undefined => {
  try {
    return parseFormula(text)
  } catch (error) {
    if (error instanceof FormulaError) return undefined
    throw error
  }
}

/** The columns with a formula, each after those that it reads. */
export const formulaColumns = (entity: Entity): readonly Column[] => {
  const sorted = new Set<Column>()
  const add = (column: Column | undefined, path: readonly Column[]) => {
    const formula = formulaOf(column)
    if (!column || !formula || sorted.has(column) || path.includes(column)) return
    for (const name of fieldsIn(formula)) add(entity.columnsByName.get(name), [...path, column])
    sorted.add(column)
  }
  for (const column of entity.columns) add(column, [])
  return [...sorted]
}

/** What a formula of the entity may read: its own fields, by their names. */
export const readableFields = (entity: Entity): ReadonlyMap<string, Column['field']> =>
  new Map(
    entity.columns
      .filter(({ isSystem, target }) => !isSystem && target === undefined)
      .map(({ name, field }) => [name, field]),
  )

/**
 * SQL of the value of a column with a formula, rounded as the column keeps it, from the SQL of the columns that it reads.
 * Values with more digits than the column has are not cut.
 */
export const formulaSql = (
  entity: Entity,
  column: Column,
  toSql: (name: string) => string,
): string => {
  const formula = formulaOf(column)
  if (!formula) throw new Error(`${entity.key}.${column.name} has no formula.`)
  const { sql } = compileFormula(formula, { known: readableFields(entity), toSql })
  const { cell, digits } = column.type
  if (cell === 'decimal' && digits.precision !== undefined)
    return `round(${sql}, ${digits.scale ?? 0})`
  return cell === 'integer' || cell === 'bigint' ? `round(${sql})` : sql
}
