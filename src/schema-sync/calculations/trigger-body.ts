/** The body of the trigger that calculates the fields of a table, for every way in which a row is written. */
import { identifier } from '../../database/sql.ts'
import { formulaColumns, formulaSql } from '../../definitions/calculations/formulas.ts'
import { rollupFunctionOf } from '../../definitions/calculations/rollup-functions.ts'
import { rollupsOf } from '../../definitions/calculations/rollups.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'

const cell = (name: string): string => `NEW.${identifier(name)}`

/** PL/pgSQL; undefined for a table without calculated fields. */
export const triggerBody = (catalog: Catalog, entity: Entity): string | undefined => {
  const begun = rollupsOf(catalog, entity).flatMap(({ column, name }) => {
    const { withoutRecords } = rollupFunctionOf(name)
    // A new record has no others yet; a restored one brings its value along.
    return withoutRecords === undefined
      ? []
      : [`  ${cell(column.name)} := coalesce(${cell(column.name)}, ${withoutRecords});`]
  })
  const formulas = formulaColumns(entity)
  if (begun.length === 0 && formulas.length === 0) return undefined
  // As the function keeps it: between the ends of its quotation.
  return [
    '',
    ...(formulas.length > 0 ? ['DECLARE'] : []),
    ...formulas.map((column, index) => `  v${index} ${typeOf(column)};`),
    'BEGIN',
    ...begun,
    ...formulas.flatMap((column, index) => statements(entity, column, `v${index}`)),
    '  RETURN NEW;',
    'END',
    '',
  ].join('\n')
}

const typeOf = ({ type }: Column): string => (type.cell === 'date' ? 'date' : 'numeric')

const statements = (entity: Entity, column: Column, variable: string): readonly string[] => {
  const limit = limitOf(column, variable)
  return [
    `  ${variable} := ${formulaSql(entity, column, cell)};`,
    ...(limit === undefined
      ? []
      : [
          `  IF ${limit} THEN`,
          // With its column, so that the service can say which field it is.
          `    RAISE numeric_value_out_of_range USING MESSAGE = 'the result does not fit', SCHEMA = 'records', TABLE = ${quoted(entity.key)}, COLUMN = ${quoted(column.name)};`,
          '  END IF;',
        ]),
    `  ${cell(column.name)} := ${variable};`,
  ]
}

/** When a result does not fit into its column; undefined: every one does. */
const limitOf = ({ type }: Column, variable: string): string | undefined => {
  const { precision, scale = 0 } = type.digits
  switch (type.cell) {
    case 'integer':
      return `${variable} NOT BETWEEN -2147483648 AND 2147483647`
    case 'bigint':
      return `${variable} NOT BETWEEN -9223372036854775808 AND 9223372036854775807`
    case 'date':
      return `${variable} NOT BETWEEN '0001-01-01' AND '9999-12-31'`
    default:
      return precision === undefined ? undefined : `abs(${variable}) >= 1e${precision - scale}`
  }
}

// Keys have letters, digits and underscores only.
const quoted = (key: string): string => `'${key.replaceAll("'", "''")}'`
