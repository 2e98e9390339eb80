/** Reads the data about rows that the comparison of two schemas needs; nothing when the schemas are equal. */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import { maxCounted } from '../diff/change.ts'
import {
  type ColumnSchema,
  type ForeignKeySchema,
  isSameForeignKey,
  isSameIndex,
  type Schema,
  storedColumn,
  storedTable,
  type TableSchema,
  type TableStats,
} from '../diff/schema.ts'
import { findDuplicates, type MovedWords, readLossyValues } from './find-duplicates.ts'

type Pair = { readonly desired: TableSchema; readonly actual: TableSchema }

/** Filled tables are only read when a change depends on it. */
export const readTableStats = async (
  connection: Queryable,
  desired: Schema,
  current: Schema,
  options: { readonly timeZone: string; readonly movedWords: MovedWords },
): Promise<TableStats> => {
  const counts = new Map<string, number>()
  const pairs = [...desired.values()].flatMap((desired) => {
    const actual = current.get(desired.name)
    return actual ? [{ desired, actual }] : []
  })
  const questions = [
    ...[...current.values()].filter(({ name }) => !desired.has(name)).map(rowQuestion),
    ...pairs.flatMap((pair) => [
      ...rowQuestions(pair),
      ...filledQuestions(pair),
      ...nullQuestions(pair),
      ...orphanQuestions(pair, current),
    ]),
  ]
  for (const { key, text } of questions) {
    const { rows } = await connection.query<{ count: string | number }>(text)
    counts.set(key, Number(rows[0]?.count ?? 0))
  }
  const alike = await alikeDefaults(connection, pairs)
  const { timeZone } = options
  const duplicates = await findDuplicates(connection, pairs, options)
  const lossyValues = await readLossyValues(connection, pairs, timeZone)
  const count = (key: string) => counts.get(key) ?? 0
  return {
    timeZone,
    lossyValues: (table, column) => lossyValues.get(nullKey(table, column)),
    rowCount: (table) => count(rowKey(table)),
    isFilled: (table) => count(filledKey(table)) > 0,
    nullCount: (table, column) => count(nullKey(table, column)),
    orphanCount: (table, { name }) => count(nameKey(table, name)),
    duplicates: ({ name }) => duplicates.get(name),
    isSameDefault: (table, desired, actual) =>
      desired.default === actual.default || alike.has(nullKey(table, desired.name)),
  }
}

const rowKey = (table: string) => table
const filledKey = (table: string) => `${table} filled`
const nullKey = (table: string, column: string) => `${table} column ${column}`
const nameKey = (table: string, name: string) => `${table} ${name}`

type Question = { readonly key: string; readonly text: string }

/** Reads rows before anything is renamed. */
const stored = (table: TableSchema): string => tableName(storedTable(table))

const rowQuestion = (table: TableSchema): Question => ({
  key: rowKey(table.name),
  text: `SELECT count(*) AS count FROM (SELECT FROM ${stored(table)} LIMIT ${maxCounted + 1}) r`,
})

/** For new indexes, foreign keys or requirements, which take long on a filled table. */
const filledQuestions = ({ desired, actual }: Pair): Question[] => {
  const isSlow =
    desired.indexes.some((index) => !actual.indexes.some((one) => isSameIndex(one, index))) ||
    desired.foreignKeys.some(
      (key) => !actual.foreignKeys.some((one) => isSameForeignKey(one, key)),
    ) ||
    desired.columns.some(
      ({ name, isNotNull }) => isNotNull && !columnOf(actual, name)?.isNotNull,
    ) ||
    actual.indexes.some(({ isValid }) => !isValid)
  return isSlow
    ? [
        {
          key: filledKey(desired.name),
          text: `SELECT count(*) AS count FROM (SELECT FROM ${stored(actual)} LIMIT 1) r`,
        },
      ]
    : []
}

const columnOf = (table: TableSchema, name: string): ColumnSchema | undefined =>
  table.columns.find((column) => column.name === name)

const rowQuestions = ({ desired, actual }: Pair): Question[] => {
  const needsEmpty = desired.columns.some(
    ({ name, isNotNull, ...column }) =>
      isNotNull && column.default === undefined && columnOf(actual, name) === undefined,
  )
  return needsEmpty ? [rowQuestion(actual)] : []
}

const nullQuestions = ({ desired, actual }: Pair): Question[] =>
  desired.columns
    .filter(({ name, isNotNull }) => isNotNull && columnOf(actual, name)?.isNotNull === false)
    .map(({ name }) => ({
      key: nullKey(desired.name, name),
      text: `SELECT count(*) AS count FROM ${stored(actual)} WHERE ${identifier(storedColumn(actual, name))} IS NULL`,
    }))

const orphanQuestions = ({ desired, actual }: Pair, current: Schema): Question[] =>
  desired.foreignKeys
    .filter((key) => columnOf(actual, key.column)?.type === 'integer')
    .filter((key) => !actual.foreignKeys.some((one) => isSameForeignKey(one, key)))
    .map((key) => ({
      key: nameKey(desired.name, key.name),
      text: orphanText(actual, key, current.get(key.target)),
    }))

const orphanText = (
  table: TableSchema,
  { column }: ForeignKeySchema,
  target: TableSchema | undefined,
) => {
  const name = `t.${identifier(storedColumn(table, column))}`
  const found = target
    ? ` AND NOT EXISTS (SELECT FROM ${stored(target)} f WHERE f.id = ${name})`
    : ''
  return `SELECT count(*) AS count FROM ${stored(table)} t WHERE ${name} IS NOT NULL${found}`
}

/** PostgreSQL rewrites defaults: when the texts differ, both values are computed and compared. */
const alikeDefaults = async (
  connection: Queryable,
  pairs: readonly Pair[],
): Promise<ReadonlySet<string>> => {
  const questions = pairs.flatMap(({ desired, actual }) =>
    desired.columns.flatMap(({ name, type, default: value }) => {
      const old = columnOf(actual, name)
      if (value === undefined || old?.default === undefined) return []
      if (old.type !== type || old.default === value) return []
      return [
        {
          key: nullKey(desired.name, name),
          same: `(${value})::${type}::text = (${old.default})::${type}::text`,
        },
      ]
    }),
  )
  if (questions.length === 0) return new Set()
  const text = questions.map(({ same }, place) => `SELECT ${place} AS place WHERE ${same}`)
  const { rows } = await connection.query<{ place: number }>(text.join(' UNION ALL '))
  const places = new Set(rows.map(({ place }) => Number(place)))
  return new Set(questions.filter((_, place) => places.has(place)).map(({ key }) => key))
}
