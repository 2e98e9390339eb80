/** Statements that calculate the values of a field in all records. */
import { identifier, raw, type Sql, tableName } from '../../database/sql.ts'
import {
  type Calculated,
  inOrderOfCalculation,
} from '../../definitions/calculations/calculation-order.ts'
import { formulaOf } from '../../definitions/calculations/formulas.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { differsSql, rollupOf, rollupSql } from './calculation-sql.ts'

const recordsAtOnce = 5_000

/**
 * The steps for some records `t`, which write only where the stored value is another one. Rollups lock the records first, in a
 * statement of their own: the next one then sees all that was committed before.
 */
const stepsOf = (catalog: Catalog, { entity, column }: Calculated, which: string): string[] => {
  const table = `${tableName(entity.key)} t`
  const cell = identifier(column.name)
  // The trigger sets the value.
  if (formulaOf(column))
    return [
      `UPDATE ${table} SET ${cell} = t.${cell} WHERE ${which} AND ${differsSql(entity, column)}`,
    ]
  const value = rollupSql(rollupOf(catalog, entity, column))
  return [
    `PERFORM FROM ${table} WHERE ${which} FOR NO KEY UPDATE`,
    `UPDATE ${table} SET ${cell} = ${value} WHERE ${which} AND t.${cell} IS DISTINCT FROM ${value}`,
  ]
}

/** A block that commits after each part: it can be interrupted, and run again. */
export const recalculateSql = (catalog: Catalog, one: Calculated): string => {
  const part = `t.id BETWEEN "first id" AND "first id" + ${recordsAtOnce - 1}`
  return `DO $recalculate$
DECLARE "first id" bigint;
BEGIN
  FOR "first id" IN
    SELECT generate_series(min(id)::bigint, max(id)::bigint, ${recordsAtOnce})
    FROM ${tableName(one.entity.key)}
  LOOP
${stepsOf(catalog, one, part)
  .map((step) => `    ${step};`)
  .join('\n')}
    COMMIT;
  END LOOP;
END $recalculate$`
}

/** Blocks that calculate all rollups as a part of a transaction, in their order. */
export const rollupBlocks = (catalog: Catalog): readonly Sql[] =>
  inOrderOfCalculation(catalog)
    .filter(({ column }) => !formulaOf(column))
    .map((one) =>
      raw(
        `DO $recalculate$ BEGIN ${stepsOf(catalog, one, 'true')
          .map((step) => `${step};`)
          .join(' ')} END $recalculate$`,
      ),
    )
