/** How a column is calculated, as the comment of the column says it: another text means another calculation. */
import { createHash } from 'node:crypto'
import { type Calculated, columnsReadBy } from '../../definitions/calculations/calculation-order.ts'
import { formulaOf, formulaSql } from '../../definitions/calculations/formulas.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { rollupOf, rollupSql } from './calculation-sql.ts'

const prefix = 'Calculated by Docket: '
const longestText = 200

/** While values are calculated anew: no calculation has this text, so whatever the next start wants is calculated again. */
export const unfinishedText = `${prefix}some values are of an earlier calculation`

/** Begins with words for people, and ends with a digest of all that decides on the value; undefined: people enter it. */
export const calculationText = (catalog: Catalog, one: Calculated): string | undefined => {
  if (!one.column.isCalculated) return undefined
  const text = known.get(one.column) ?? textOf(catalog, one)
  known.set(one.column, text)
  return text
}

// Several may read the same one.
const known = new WeakMap<Calculated['column'], string>()

const textOf = (catalog: Catalog, one: Calculated): string => {
  const { field } = one.column
  const words =
    'formula' in field && field.formula !== undefined
      ? field.formula
      : JSON.stringify('rollup' in field ? field.rollup : {})
  const digest = createHash('sha256').update(JSON.stringify(facts(catalog, one)))
  return `${prefix}${words.slice(0, longestText).replace(/\s+/g, ' ')} [${digest.digest('hex').slice(0, 12)}]`
}

/** The expression, the types, and the same of all that it reads. */
const facts = (catalog: Catalog, one: Calculated): readonly unknown[] => {
  const { entity, column } = one
  const sql = formulaOf(column)
    ? formulaSql(entity, column, (name) => name)
    : rollupSql(rollupOf(catalog, entity, column))
  return [
    sql,
    column.type.sqlType(),
    columnsReadBy(catalog, one).map((read) =>
      read.column.isCalculated && read.column !== column
        ? calculationText(catalog, read)
        : read.column.type.sqlType(),
    ),
  ]
}
