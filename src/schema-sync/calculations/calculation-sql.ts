/**
 * SQL of calculated values: for rows `t` of the table that keeps them, the trigger that calculates them, and statements
 * that calculate them in all records.
 */
import { createHash } from 'node:crypto'
import {
  identifier,
  notDeleted,
  raw,
  ref,
  type Sql,
  sql,
  table,
  tableName,
  toLiteralText,
  where,
} from '../../database/sql.ts'
import {
  type Calculated,
  columnsReadBy,
  inOrderOfCalculation,
} from '../../definitions/calculations/calculation-order.ts'
import { formulaColumns, formulaOf, formulaSql } from '../../definitions/calculations/formulas.ts'
import { type Rollup, rollupFunctionOf, rollupsOf } from '../../definitions/calculations/rollups.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { isRequired } from '../../definitions/values/field-defaults.ts'
import { rollupConditions } from '../../query/conditions/rollup-condition.ts'

/** What decides how values are calculated; times without an offset are in `timeZone`. */
export type Calculating = { readonly catalog: Catalog; readonly timeZone: string }

/** A condition for rows whose stored value is not the calculated one. */
export const differsSql = (calculating: Calculating, { entity, column }: Calculated): string => {
  const value = formulaOf(column)
    ? `(${formulaSql(entity, column, (name) => `t.${identifier(name)}`)})`
    : rollupText(calculating, entity, column)
  return `t.${identifier(column.name)} IS DISTINCT FROM ${value}`
}

/** The result of a rollup for the record `t`. */
export const rollupSql = (calculating: Calculating, rollup: Rollup): Sql => {
  const { name, child, link, source } = rollup
  const value = raw(rollupFunctionOf(name).toSql(`c.${identifier(source?.name ?? 'id')}`))
  const counts = where([
    sql`${ref(link.name, 'c')} = t.id`,
    notDeleted('c'),
    ...rollupConditions(calculating, rollup, 'c'),
  ])
  return sql`(SELECT ${value} FROM ${table(child)} c${counts})`
}

const rollupText = (calculating: Calculating, entity: Entity, column: Column): string => {
  const rollup = rollupsOf(calculating.catalog, entity).find((one) => one.column === column)
  if (!rollup) throw new Error(`${entity.key}.${column.name} has no rollup.`)
  return toLiteralText(rollupSql(calculating, rollup))
}

const prefix = 'Calculated by Docket: '
const longestText = 200

/** While values are calculated again: no calculation has this text, so whatever the next start wants is calculated again. */
export const unfinishedText = `${prefix}some values are of an earlier calculation`

/** Begins with words for people, and ends with a digest of all that decides on the value; undefined: people enter it. */
export const calculationText = (calculating: Calculating, one: Calculated): string | undefined => {
  if (!one.column.isCalculated) return undefined
  const { timeZone } = calculating
  const cached = known.get(one.column)
  if (cached?.timeZone === timeZone) return cached.text
  const text = textOf(calculating, one)
  known.set(one.column, { timeZone, text })
  return text
}

// Several may read the same one.
const known = new WeakMap<Column, { readonly timeZone: string; readonly text: string }>()

const textOf = (calculating: Calculating, one: Calculated): string => {
  const { field } = one.column
  const words =
    'formula' in field && field.formula !== undefined
      ? field.formula
      : JSON.stringify('rollup' in field ? field.rollup : {})
  const digest = createHash('sha256').update(JSON.stringify(facts(calculating, one)))
  // A character that is cut in two would not be stored as it is compared.
  const shown = words.slice(0, longestText).toWellFormed().replace(/\s+/g, ' ')
  return `${prefix}${shown} [${digest.digest('hex').slice(0, 12)}]`
}

/** The expression, the types, and the same of all that it reads. */
const facts = (calculating: Calculating, one: Calculated): readonly unknown[] => {
  const { entity, column } = one
  const sql = formulaOf(column)
    ? formulaSql(entity, column, (name) => name)
    : rollupText(calculating, entity, column)
  return [
    sql,
    column.type.sqlType(),
    columnsReadBy(calculating.catalog, one).map((read) =>
      read.column.isCalculated && read.column !== column
        ? calculationText(calculating, read)
        : enteredFacts(read),
    ),
  ]
}

/** The type of an entered column, and what a sync of its table may write to it. */
const enteredFacts = ({ entity, column }: Calculated): unknown => {
  const { type, field } = column
  const filled = isRequired(column) && 'default' in field ? [field.default] : []
  const steps = column.name === '_step' ? (entity.definition.workflow?.steps ?? []) : []
  const renamed = [
    ...Object.entries(field.type === 'enum' ? (field.earlierValues ?? {}) : {}),
    ...steps.flatMap(({ key, was }) => (was === undefined ? [] : [[key, was]])),
  ]
  const written = [...filled, ...renamed, ...(type.isLowerCase ? ['lowercase'] : [])]
  return written.length === 0 ? type.sqlType() : [type.sqlType(), ...written]
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
const stepsOf = (calculating: Calculating, one: Calculated, which: string): string[] => {
  const { entity, column } = one
  const differing = `${which} AND ${differsSql(calculating, one)}`
  const records = `${tableName(entity.key)} t`
  const cell = identifier(column.name)
  const locked = (rows: string) =>
    `PERFORM FROM ${records} WHERE ${rows} ORDER BY t.id FOR NO KEY UPDATE`
  // The trigger sets the value.
  if (formulaOf(column)) {
    return [locked(differing), `UPDATE ${records} SET ${cell} = t.${cell} WHERE ${differing}`]
  }
  const value = rollupText(calculating, entity, column)
  return [locked(which), `UPDATE ${records} SET ${cell} = ${value} WHERE ${differing}`]
}

const mostTries = 50

/**
 * A block that commits after each part: it can be interrupted, and run again. A part that ends in a deadlock with writers, such as
 * those of an earlier version, is tried again.
 */
export const recalculateSql = (calculating: Calculating, one: Calculated): string => {
  const part = `t.id BETWEEN "first id" AND "first id" + ${recordsAtOnce - 1}`
  return `DO ${quotedBody(`
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
${stepsOf(calculating, one, part)
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
END `)}`
}

/** Code between dollar quotes that do not occur in it. */
export const quotedBody = (body: string, tag = '$body$'): string =>
  body.includes(tag) ? quotedBody(body, `${tag.slice(0, -1)}_$`) : `${tag}${body}${tag}`

/** Blocks that calculate all rollups as a part of a transaction, in their order. */
export const rollupBlocks = (calculating: Calculating): readonly Sql[] =>
  inOrderOfCalculation(calculating.catalog)
    .filter(({ column }) => !formulaOf(column))
    .map((one) => {
      const steps = stepsOf(calculating, one, 'true').map((step) => `${step};`)
      return raw(`DO ${quotedBody(` BEGIN ${steps.join(' ')} END `)}`)
    })
