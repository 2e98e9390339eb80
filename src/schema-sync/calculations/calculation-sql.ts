/**
 * SQL of calculated values: for rows `t` of the table that keeps them, the trigger that calculates them, and statements
 * that calculate them in all records.
 */
import { createHash } from 'node:crypto'
import { identifier, raw, type Sql, tableName } from '../../database/sql.ts'
import {
  type Calculated,
  columnsReadBy,
  inOrderOfCalculation,
} from '../../definitions/calculations/calculation-order.ts'
import { formulaColumns, formulaOf, formulaSql } from '../../definitions/calculations/formulas.ts'
import { type Rollup, rollupFunctionOf, rollupsOf } from '../../definitions/calculations/rollups.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'

/** A condition for rows whose stored value is not the calculated one. */
export const differsSql = (catalog: Catalog, { entity, column }: Calculated): string => {
  const value = formulaOf(column)
    ? `(${formulaSql(entity, column, (name) => `t.${identifier(name)}`)})`
    : rollupSql(rollupOf(catalog, entity, column))
  return `t.${identifier(column.name)} IS DISTINCT FROM ${value}`
}

export const rollupSql = ({ name, child, link, source }: Rollup): string => {
  const value = rollupFunctionOf(name).toSql(`c.${identifier(source?.name ?? 'id')}`)
  const isPart = `c.${identifier(link.name)} = t.id AND NOT c._is_deleted`
  return `(SELECT ${value} FROM ${tableName(child.key)} c WHERE ${isPart})`
}

const rollupOf = (catalog: Catalog, entity: Entity, column: Column): Rollup => {
  const rollup = rollupsOf(catalog, entity).find((one) => one.column === column)
  if (!rollup) throw new Error(`${entity.key}.${column.name} has no rollup.`)
  return rollup
}

const prefix = 'Calculated by Docket: '
const longestText = 200

/** While values are calculated again: no calculation has this text, so whatever the next start wants is calculated again. */
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
