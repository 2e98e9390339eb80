/** Asks the rows what the comparison of two schemas has to know, and nothing where nothing differs. */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import { maxCounted } from '../diff/change.ts'
import type { Duplicates, Facts } from '../diff/facts.ts'
import {
  type ColumnSchema,
  type ForeignKeySchema,
  type IndexSchema,
  isSameForeignKey,
  isSameIndex,
  type Schema,
  storedColumn,
  storedTable,
  type TableSchema,
} from '../diff/schema.ts'
import { readSuffering } from './read-suffering.ts'

type Pair = { readonly wish: TableSchema; readonly known: TableSchema }

/** Full tables are read only for a change that depends on it. */
export const readFacts = async (
  connection: Queryable,
  desired: Schema,
  current: Schema,
  timeZone: string,
): Promise<Facts> => {
  const counts = new Map<string, number>()
  const examples = new Map<string, readonly number[]>()
  const pairs = [...desired.values()].flatMap((wish) => {
    const known = current.get(wish.name)
    return known ? [{ wish, known }] : []
  })
  const questions = [
    ...[...current.values()].filter(({ name }) => !desired.has(name)).map(rowQuestion),
    ...pairs.flatMap((pair) => [
      ...rowQuestions(pair),
      ...filledQuestions(pair),
      ...nullQuestions(pair),
      ...duplicateQuestions(pair),
      ...orphanQuestions(pair, current),
    ]),
  ]
  for (const { key, text } of questions) {
    const { rows } = await connection.query<{ count: string | number; ids?: string }>(text)
    counts.set(key, Number(rows[0]?.count ?? 0))
    if (rows[0]?.ids) examples.set(key, JSON.parse(rows[0].ids))
  }
  const alike = await alikeDefaults(connection, pairs)
  const suffering = await readSuffering(connection, pairs, timeZone)
  const count = (key: string) => counts.get(key) ?? 0
  return {
    timeZone,
    suffering: (table, column) => suffering.get(nullKey(table, column)),
    rowCount: (table) => count(rowKey(table)),
    isFilled: (table) => count(filledKey(table)) > 0,
    nullCount: (table, column) => count(nullKey(table, column)),
    orphanCount: (table, { name }) => count(nameKey(table, name)),
    duplicates: (table, { name }) =>
      duplicatesOf(count(nameKey(table, name)), examples.get(nameKey(table, name))),
    isSameDefault: (table, wish, known) =>
      wish.default === known.default || alike.has(nullKey(table, wish.name)),
  }
}

const duplicatesOf = (count: number, ids: readonly number[] = []): Duplicates | undefined =>
  count === 0 ? undefined : { count, ids }

const rowKey = (table: string) => table
const filledKey = (table: string) => `${table} filled`
const nullKey = (table: string, column: string) => `${table} column ${column}`
const nameKey = (table: string, name: string) => `${table} ${name}`

type Question = { readonly key: string; readonly text: string }

/** Rows are asked before anything is renamed. */
const stored = (table: TableSchema): string => tableName(storedTable(table))

const rowQuestion = (table: TableSchema): Question => ({
  key: rowKey(table.name),
  text: `SELECT count(*) AS count FROM (SELECT FROM ${stored(table)} LIMIT ${maxCounted + 1}) r`,
})

/** Asked where an index, a link or a requirement is to come, which takes long on a filled table. */
const filledQuestions = ({ wish, known }: Pair): Question[] => {
  const isSlow =
    wish.indexes.some((index) => !known.indexes.some((one) => isSameIndex(one, index))) ||
    wish.foreignKeys.some((key) => !known.foreignKeys.some((one) => isSameForeignKey(one, key))) ||
    wish.columns.some(({ name, isNotNull }) => isNotNull && !columnOf(known, name)?.isNotNull) ||
    known.indexes.some(({ isValid }) => !isValid)
  return isSlow
    ? [
        {
          key: filledKey(wish.name),
          text: `SELECT count(*) AS count FROM (SELECT FROM ${stored(known)} LIMIT 1) r`,
        },
      ]
    : []
}

const columnOf = (table: TableSchema, name: string): ColumnSchema | undefined =>
  table.columns.find((column) => column.name === name)

const rowQuestions = ({ wish, known }: Pair): Question[] => {
  const needsEmpty = wish.columns.some(
    ({ name, isNotNull, ...column }) =>
      isNotNull && column.default === undefined && columnOf(known, name) === undefined,
  )
  return needsEmpty ? [rowQuestion(known)] : []
}

const nullQuestions = ({ wish, known }: Pair): Question[] =>
  wish.columns
    .filter(({ name, isNotNull }) => isNotNull && columnOf(known, name)?.isNotNull === false)
    .map(({ name }) => ({
      key: nullKey(wish.name, name),
      text: `SELECT count(*) AS count FROM ${stored(known)} WHERE ${identifier(storedColumn(known, name))} IS NULL`,
    }))

const duplicateQuestions = (pair: Pair): Question[] =>
  pair.wish.indexes
    .filter(
      (index) =>
        index.isUnique && !pair.known.indexes.some((one) => one.isValid && isSameIndex(one, index)),
    )
    .map((index) => ({
      key: nameKey(pair.wish.name, index.name),
      text: duplicateText(pair, index),
    }))

/** Counts over the values as they will be: a new column, or one to be filled, has its default. */
const duplicateText = ({ wish, known }: Pair, { columns }: IndexSchema): string => {
  const values = columns.map((name, place) => `${futureValue(wish, known, name)} AS v${place}`)
  const names = columns.map((_, place) => `v${place}`)
  const isRemoved = columnOf(known, '_is_deleted') ? '_is_deleted' : 'false'
  return `
    SELECT count(*) AS count, (json_agg(ids)->0)::text AS ids FROM (
      SELECT (array_agg(id ORDER BY id))[1:2] AS ids
      FROM (SELECT id, ${values.join(', ')} FROM ${stored(known)} WHERE NOT ${isRemoved}) r
      WHERE ${names.map((name) => `${name} IS NOT NULL`).join(' AND ')}
      GROUP BY ${names.join(', ')} HAVING count(*) > 1 ORDER BY 1) d`
}

const futureValue = (wish: TableSchema, known: TableSchema, name: string): string => {
  const now = columnOf(known, name)
  const then = columnOf(wish, name)
  const filled = then?.default ?? 'NULL'
  if (now === undefined) return filled
  // Not every type compares (json does not); text does, and is what most types change into.
  const value = identifier(storedColumn(known, name))
  if (now.type !== then?.type) return `${value}::text`
  return then.isNotNull ? `coalesce(${value}, ${filled})` : value
}

const orphanQuestions = ({ wish, known }: Pair, current: Schema): Question[] =>
  wish.foreignKeys
    .filter((key) => columnOf(known, key.column)?.type === 'integer')
    .filter((key) => !known.foreignKeys.some((one) => isSameForeignKey(one, key)))
    .map((key) => ({
      key: nameKey(wish.name, key.name),
      text: orphanText(known, key, current.get(key.target)),
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

/** PostgreSQL spells defaults its own way: where the text differs, both are worked out and compared. */
const alikeDefaults = async (
  connection: Queryable,
  pairs: readonly Pair[],
): Promise<ReadonlySet<string>> => {
  const questions = pairs.flatMap(({ wish, known }) =>
    wish.columns.flatMap(({ name, type, default: wished }) => {
      const old = columnOf(known, name)
      if (wished === undefined || old?.default === undefined) return []
      if (old.type !== type || old.default === wished) return []
      return [
        {
          key: nullKey(wish.name, name),
          same: `(${wished})::${type}::text = (${old.default})::${type}::text`,
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
