/**
 * Changes of the columns of one table: new ones and how they are filled, other types, and those whose type does not
 * fit every value.
 */
import { identifier, tableName } from '../../database/sql.ts'
import {
  alterTable,
  blocked,
  type Change,
  counted,
  destructive,
  dropOfKept,
  during,
  safe,
} from './change.ts'
import {
  type ColumnSchema,
  type LossyValues,
  nameOf,
  type TableSchema,
  type TableStats,
} from './schema.ts'
import { convertedSql, isLossless, lossyValuesSql } from './type-change.ts'

const recordsAtOnce = 5_000

/** A block that commits after each part: it can be interrupted, and run again. The value is an expression. */
export const fillSql = (table: string, column: string, value: string): string => {
  const name = identifier(column)
  const tag = tagOutside(value)
  return `DO ${tag}
#variable_conflict use_column
DECLARE "first id" bigint;
BEGIN
  FOR "first id" IN
    SELECT generate_series(min(id)::bigint, max(id)::bigint, ${recordsAtOnce})
    FROM ${tableName(table)} WHERE ${name} IS NULL
  LOOP
    UPDATE ${tableName(table)} SET ${name} = ${value}
    WHERE id BETWEEN "first id" AND "first id" + ${recordsAtOnce - 1} AND ${name} IS NULL;
    COMMIT;
  END LOOP;
END ${tag}`
}

/** A dollar quote that the text does not contain. */
export const tagOutside = (text: string, tag = '$fill$'): string =>
  text.includes(tag) ? tagOutside(text, `${tag.slice(0, -1)}_$`) : tag

/** A value that others wrote since then is looked for under the lock: a value that does not fit fails by itself. */
const whileFitting = (change: Change, { finds }: Lossy): Change => ({
  ...change,
  unless: {
    finds,
    refused: destructive(
      change.sql,
      `${change.reason.replace(/: every value fits$/, '')}: a value that was written meanwhile would be rounded or cut`,
    ),
  },
})

type Lossy = {
  readonly values: LossyValues | undefined
  /** Finds a value that would be rounded or cut. */
  readonly finds: string
}

/** The change of a type that may round, cut or reject values: what becomes of it depends on those that are there. */
const lossyType = (sql: string, reason: string, lossy: Lossy): Change => {
  const { values } = lossy
  if (!values) return destructive(sql, `${reason}: values could be cut or rejected`)
  const { cut, refused, ids } = values
  const example =
    ids.length === 0
      ? ''
      : `, for example in ${ids.length === 1 ? 'the record' : 'the records'} ${ids.join(' and ')}`
  if (refused > 0)
    return blocked(
      sql,
      `${reason}, but ${counted(refused, ['value does', 'values do'])} not fit${example}`,
      'make the values fit',
    )
  if (cut === 0) return whileFitting(safe(sql, `${reason}: every value fits`), lossy)
  return destructive(
    sql,
    `${reason}: ${counted(cut, ['value', 'values'])} would be rounded or cut${example}`,
  )
}

/** The statements from the actual columns to the desired ones. */
export const diffColumns = (
  desired: TableSchema,
  actual: TableSchema,
  tableStats: TableStats,
): Change[] => [
  ...leftChecks(desired, actual),
  ...desired.columns.flatMap((column) => {
    const old = actual.columns.find(({ name }) => name === column.name)
    return old
      ? changedColumn(desired.name, column, old, tableStats)
      : addedColumn(desired.name, column, tableStats)
  }),
]

/** Columns without a field are kept, but no longer constrain records. */
export const unknownColumns = (desired: TableSchema, actual: TableSchema): Change[] =>
  actual.columns
    .filter(({ name }) => !desired.columns.some((column) => column.name === name))
    .flatMap((column) => [
      ...(column.isNotNull && column.default === undefined ? [emptied(desired.name, column)] : []),
      keptColumn(desired.name, column),
    ])

/** A version that does not know the column writes no value. */
const emptied = (table: string, column: ColumnSchema): Change => ({
  ...safe(
    alterColumn(table, column, 'DROP NOT NULL'),
    `no field fills ${table}.${column.name} any more`,
  ),
  kind: 'whileKept',
})

const dropReasons: Record<string, string> = {
  _owned_by: 'records have no owner any more',
  _step: 'records have no workflow any more',
}

const keptColumn = (table: string, { name }: ColumnSchema): Change =>
  dropOfKept(
    alterTable(table, `DROP COLUMN ${identifier(name)}`),
    `${dropReasons[name] ?? 'no field is left for it'}: ${table}.${name} with its values`,
  )

/** An interrupted sync leaves a check; unneeded ones are dropped. */
const leftChecks = (desired: TableSchema, actual: TableSchema): Change[] =>
  actual.checks
    .filter(({ column }) => {
      const is = (table: TableSchema) =>
        table.columns.find(({ name }) => name === column)?.isNotNull
      return !(is(desired) && is(actual) === false)
    })
    .map(({ name, column }) =>
      safe(
        alterTable(desired.name, `DROP CONSTRAINT ${identifier(name)}`),
        `${desired.name}.${column} needs no check`,
      ),
    )

/** A column as in CREATE TABLE and ADD COLUMN. */
export const columnSql = (column: ColumnSchema): string =>
  [
    identifier(column.name),
    column.type,
    ...(column.isIdentity ? ['GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY'] : []),
    ...(column.isNotNull && !column.isIdentity ? ['NOT NULL'] : []),
    ...(column.default === undefined ? [] : [`DEFAULT ${column.default}`]),
  ].join(' ')

const addedColumn = (table: string, desired: ColumnSchema, tableStats: TableStats): Change[] => {
  const sql = alterTable(table, `ADD COLUMN ${columnSql(desired)}`)
  const isFilled = !desired.isNotNull || desired.default !== undefined || desired.isIdentity
  const count = isFilled ? 0 : tableStats.rowCount(table)
  if (count === 0) return [safe(sql, `${table}.${desired.name} is new`)]
  if (desired.isNumbered) {
    const empty = alterTable(table, `ADD COLUMN ${columnSql({ ...desired, isNotNull: false })}`)
    return [safe(empty, `${table}.${desired.name} is new`), ...onceNumbered(table, desired)]
  }
  return [
    blocked(
      sql,
      `${table}.${desired.name} is new, required and without a default, but ${counted(count, ['record exists', 'records exist'])} already`,
      'give the field a default that stays the same, or make it required once it is filled',
    ),
  ]
}

const changedColumn = (
  table: string,
  desired: ColumnSchema,
  actual: ColumnSchema,
  tableStats: TableStats,
): Change[] => [
  ...(desired.type === actual.type
    ? changedDefault(table, desired, actual, tableStats)
    : changedType(table, desired, actual, tableStats)),
  ...changedRequirement(table, desired, actual, tableStats),
]

const alterColumn = (table: string, { name }: ColumnSchema, what: string): string =>
  alterTable(table, `ALTER COLUMN ${identifier(name)} ${what}`)

const changedType = (
  table: string,
  desired: ColumnSchema,
  actual: ColumnSchema,
  tableStats: TableStats,
): Change[] => {
  const types = { from: actual.type, to: desired.type }
  const cell = identifier(desired.name)
  const conditions = lossyValuesSql({ ...types, cell, timeZone: tableStats.timeZone }, true)
  const retype = alterColumn(
    table,
    desired,
    `TYPE ${desired.type} USING ${convertedSql({ ...types, cell, timeZone: tableStats.timeZone })}`,
  )
  const reason = `${table}.${desired.name} changes from ${actual.type} to ${desired.type}`
  return [
    // A default of the old type may be invalid for the new one.
    ...(actual.default === undefined
      ? []
      : [safe(alterColumn(table, desired, 'DROP DEFAULT'), reason)]),
    isLossless(actual.type, desired.type)
      ? safe(retype, reason)
      : lossyType(retype, reason, {
          values: tableStats.lossyValues(table, desired.name),
          finds: `SELECT FROM ${tableName(table)} WHERE ${conditions?.cut ?? 'false'} LIMIT 1`,
        }),
    ...(desired.default === undefined ? [] : [setDefault(table, desired)]),
  ]
}

const changedDefault = (
  table: string,
  desired: ColumnSchema,
  actual: ColumnSchema,
  tableStats: TableStats,
): Change[] => {
  if (desired.isIdentity || tableStats.isSameDefault(table, desired, actual)) return []
  if (desired.default !== undefined) return [setDefault(table, desired)]
  return [
    safe(
      alterColumn(table, desired, 'DROP DEFAULT'),
      `${table}.${desired.name} no longer has a default`,
    ),
  ]
}

const setDefault = (table: string, desired: ColumnSchema): Change =>
  safe(
    alterColumn(table, desired, `SET DEFAULT ${desired.default}`),
    `${table}.${desired.name} has another default`,
  )

const changedRequirement = (
  table: string,
  desired: ColumnSchema,
  actual: ColumnSchema,
  tableStats: TableStats,
): Change[] => {
  if (desired.isNotNull === actual.isNotNull) return []
  const dropNotNull = alterColumn(table, desired, 'DROP NOT NULL')
  return desired.isNotNull
    ? requiredNow(table, desired, tableStats)
    : [safe(dropNotNull, `${table}.${desired.name} is optional now`)]
}

const requiredNow = (table: string, desired: ColumnSchema, tableStats: TableStats): Change[] => {
  const nulls = tableStats.nullCount(table, desired.name)
  const setNotNull = alterColumn(table, desired, 'SET NOT NULL')
  const what = `${table}.${desired.name} is required now`
  if (nulls === 0)
    return tableStats.isFilled(table)
      ? comparedFirst(table, desired, what)
      : [safe(setNotNull, what)]
  if (desired.isNumbered) return onceNumbered(table, desired)
  const reason = `${what}, but ${counted(nulls, ['record has', 'records have'])} no value`
  if (desired.default === undefined)
    return [blocked(setNotNull, reason, 'fill the records, or give the field a default')]
  const fill = fillSql(table, desired.name, desired.default)
  return [
    during('fill', destructive(fill, `${reason}; the default would be used`)),
    // Not before: it would reject changes of records without a value.
    ...comparedFirst(table, desired, `${table}.${desired.name} is required after that`).map(
      ({ phase = 'filled', ...change }): Change => ({ ...change, phase, kind: 'destructive' }),
    ),
  ]
}

/** After the records have numbers (rows/number-records.ts). */
const onceNumbered = (table: string, desired: ColumnSchema): Change[] =>
  comparedFirst(table, desired, `${table}.${desired.name} is required once all have a number`).map(
    ({ phase = 'filled', ...change }) => ({ ...change, phase }),
  )

/** The check reads the rows while others write; NOT NULL then relies on the check and reads none. */
const comparedFirst = (table: string, { name }: ColumnSchema, what: string): Change[] => {
  const check = identifier(nameOf({ table, columns: [name], kind: 'check' }))
  const column = identifier(name)
  return [
    safe(
      alterTable(
        table,
        `DROP CONSTRAINT IF EXISTS ${check}, ADD CONSTRAINT ${check} CHECK (${column} IS NOT NULL) NOT VALID`,
      ),
      what,
    ),
    during('between', safe(alterTable(table, `VALIDATE CONSTRAINT ${check}`), what)),
    during('last', safe(alterTable(table, `ALTER COLUMN ${column} SET NOT NULL`), what)),
    during('last', safe(alterTable(table, `DROP CONSTRAINT ${check}`), what)),
  ]
}
