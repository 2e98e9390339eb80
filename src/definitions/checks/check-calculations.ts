/** Checks formulas and rollups: what they read exists and fits, and none is calculated from itself. */
import { circleOf } from '../calculations/calculation-order.ts'
import { compileFormula, kindOfType, kindWords, readableFields } from '../calculations/formulas.ts'
import { FormulaError, parseFormula } from '../calculations/parse-formula.ts'
import { findRollup } from '../calculations/rollups.ts'
import type { Catalog, Column, Entity } from '../catalog.ts'
import type { FieldDefinition } from '../field-types.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { AddFinding } from '../source-file.ts'

/** Rules of values that people enter. */
const entered = ['required', 'unique', 'default', 'min', 'max'] as const

/** Adds what is wrong with the calculated fields of a definition. */
export const checkCalculations = (
  catalog: Catalog,
  entity: Entity,
  { fields, indexes = [] }: EntityDefinition,
  add: AddFinding,
): void => {
  for (const [index, field] of fields.entries()) {
    const column = entity.columnsByName.get(field.key)
    if (!column?.isCalculated) continue
    checkRules(field, index, add)
    const property = 'formula' in field && field.formula !== undefined ? 'formula' : 'rollup'
    const message =
      (property === 'formula'
        ? formulaIssue(entity, column)
        : rollupIssue(catalog, entity, column)) ?? circleIssue(catalog, entity, column)
    if (message !== undefined) add(['fields', index, property], message)
  }
  for (const [index, { fields: names, unique }] of indexes.entries())
    for (const [position, name] of names.entries())
      if (unique && entity.columnsByName.get(name)?.isCalculated)
        add(
          ['indexes', index, 'fields', position],
          `"${name}" is calculated, so it cannot be unique`,
        )
}

const checkRules = (field: FieldDefinition, index: number, add: AddFinding): void => {
  const given = field as Readonly<Record<string, unknown>>
  if (given.formula !== undefined && given.rollup !== undefined)
    add(['fields', index, 'rollup'], 'cannot be combined with "formula"')
  for (const property of entered)
    if (given[property] !== undefined && given[property] !== false)
      add(['fields', index, property], 'is for values that people enter; this one is calculated')
}

const formulaIssue = (entity: Entity, { field }: Column): string | undefined => {
  try {
    const formula = parseFormula('formula' in field ? (field.formula ?? '') : '')
    const place = { known: readableFields(entity), toSql: (name: string) => name }
    const { kind } = compileFormula(formula, place)
    const isDate = kindOfType(field.type) === 'date'
    return (kind === 'date') === isDate
      ? undefined
      : `is ${kindWords[kind]}, and the field is ${field.type}`
  } catch (error) {
    if (error instanceof FormulaError) return error.message
    throw error
  }
}

const rollupIssue = (catalog: Catalog, entity: Entity, column: Column): string | undefined => {
  const found = findRollup(catalog, entity, column)
  return found && 'message' in found ? found.message : undefined
}

const circleIssue = (catalog: Catalog, entity: Entity, column: Column): string | undefined => {
  const circle = circleOf(catalog, { entity, column })
  return circle && `is calculated from itself: ${circle.join(' from ')}`
}
