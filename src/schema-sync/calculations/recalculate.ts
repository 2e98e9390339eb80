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
 * The steps for some records `t`, which write only where the stored value is another one. They lock the records first, in the
 * order of all writers and in a statement of its own: the next one then sees all that was committed before.
 */
const stepsOf = (catalog: Catalog, one: Calculated, which: string): string[] => {
  const { entity, column } = one
  const where = `${which} AND ${differsSql(catalog, one)}`
  const table = `${tableName(entity.key)} t`
  const cell = identifier(column.name)
  const locked = (rows: string) =>
    `PERFORM FROM ${table} WHERE ${rows} ORDER BY t.id FOR NO KEY UPDATE`
  // The trigger sets the value.
  if (formulaOf(column)) {
    return [locked(where), `UPDATE ${table} SET ${cell} = t.${cell} WHERE ${where}`]
  }
  const value = rollupSql(rollupOf(catalog, entity, column))
  return [locked(which), `UPDATE ${table} SET ${cell} = ${value} WHERE ${where}`]
}

const mostTries = 50

/**
 * A block that commits after each part: it can be interrupted, and run again. A part that ends in a deadlock with writers, such as
 * those of an earlier version, is tried again.
 */
export const recalculateSql = (catalog: Catalog, one: Calculated): string => {
  const part = `t.id BETWEEN "first id" AND "first id" + ${recordsAtOnce - 1}`
  return `DO $recalculate$
DECLARE
  "first id" bigint;
  "tries" integer;
BEGIN
  FOR "first id" IN
    SELECT generate_series(min(id)::bigint, max(id)::bigint, ${recordsAtOnce})
    FROM ${tableName(one.entity.key)}
  LOOP
    "tries" := ${mostTries};
    WHILE "tries" > 0 LOOP
      BEGIN
${stepsOf(catalog, one, part)
  .map((step) => `        ${step};`)
  .join('\n')}
        "tries" := 0;
      EXCEPTION WHEN deadlock_detected THEN
        "tries" := "tries" - 1;
        IF "tries" = 0 THEN RAISE; END IF;
      END;
      COMMIT;
    END LOOP;
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
