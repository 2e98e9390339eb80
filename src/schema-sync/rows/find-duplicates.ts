/** Values that a unique index forbids and that records would hold after all other changes. */
import { type Queryable, queryRows } from '../../database/pool.ts'
import {
  identifier,
  raw,
  type Sql,
  sql,
  tableName,
  text,
  toLiteralText,
} from '../../database/sql.ts'
import {
  type IndexSchema,
  isSameIndex,
  storedColumn,
  storedTable,
  type TableSchema,
} from '../diff/schema.ts'
import type { Duplicates } from '../diff/table-stats.ts'
import { fittingSql, isLossless } from '../diff/type-change.ts'
import { tellsInputs } from './read-lossy-values.ts'

type Pair = { readonly desired: TableSchema; readonly actual: TableSchema }

/** The words of a column that become others, by the earlier one. */
export type MovedWords = (table: string, column: string) => ReadonlyMap<string, string>

type Options = {
  readonly timeZone: string
  readonly movedWords: MovedWords
}

const maxExamples = 3

/** By the name of the index. An index that is there already is only read for if values of its columns change. */
export const findDuplicates = async (
  database: Queryable,
  pairs: readonly Pair[],
  options: Options,
): Promise<ReadonlyMap<string, Duplicates>> => {
  const found = new Map<string, Duplicates>()
  const asked = pairs.flatMap((pair) =>
    pair.desired.indexes
      .filter((index) => index.kind === 'unique' && mayRepeat(pair, index, options.movedWords))
      .map((index) => ({ pair, index })),
  )
  const tells = asked.length > 0 && (await tellsInputs(database))
  for (const { pair, index } of asked) {
    const statement = repeatedValues(pair, index, { ...options, tells })
    type Row = Duplicates['examples'][number] & { readonly count: number }
    const rows = await queryRows<Row>(
      database,
      sql`SELECT d.*, count(*) OVER () AS count FROM (${statement}) d ORDER BY ids LIMIT ${raw(String(maxExamples))}`,
    )
    const [first] = rows
    if (first)
      found.set(index.name, {
        count: first.count,
        examples: rows,
        finds: toLiteralText(statement)
          .replaceAll(/\s*\n\s*/g, ' ')
          .trim(),
      })
  }
  return found
}

const columnOf = ({ columns }: TableSchema, name: string) =>
  columns.find((column) => column.name === name)

const mayRepeat = ({ desired, actual }: Pair, index: IndexSchema, movedWords: MovedWords) =>
  !actual.indexes.some((one) => one.isValid && isSameIndex(one, index)) ||
  index.columns.some((name) => {
    const [now, then] = [columnOf(actual, name), columnOf(desired, name)]
    if (!now || !then) return true
    return (
      !isLossless(now.type, then.type) ||
      (then.isNotNull && !now.isNotNull && then.default !== undefined) ||
      movedWords(desired.name, name).size > 0
    )
  })

type Future = Options & { readonly tells: boolean }

/** The values of each place of the index as text, and the first two records. */
const repeatedValues = (
  { desired, actual }: Pair,
  { columns }: IndexSchema,
  future: Future,
): Sql => {
  const values = columns.map(
    (name, place) => sql`${futureValue({ desired, actual }, name, future)} AS ${raw(`v${place}`)}`,
  )
  const names = columns.map((_, place) => `v${place}`)
  const isRemoved = columnOf(actual, '_is_deleted') ? '_is_deleted' : 'false'
  return sql`
    SELECT ARRAY[${raw(names.map((name) => `${name}::text`).join(', '))}] AS values,
      (array_agg(id ORDER BY id))[1:2] AS ids
    FROM (SELECT id, ${joined(values)} FROM ${raw(tableName(storedTable(actual)))} WHERE NOT ${raw(isRemoved)}) r
    WHERE ${raw(names.map((name) => `${name} IS NOT NULL`).join(' AND '))}
    GROUP BY ${raw(names.join(', '))} HAVING count(*) > 1`
}

const joined = (parts: readonly Sql[]): Sql => parts.reduce((all, part) => sql`${all}, ${part}`)

/** A new column, or one to be filled, has its default. */
const futureValue = ({ desired, actual }: Pair, name: string, future: Future): Sql => {
  const now = columnOf(actual, name)
  const then = columnOf(desired, name)
  const filled = raw(then?.default ?? 'NULL')
  if (!now || !then) return filled
  const { timeZone, tells, movedWords } = future
  const stored = raw(identifier(storedColumn(actual, name)))
  const converted = fittingSql({ from: now.type, to: then.type, timeZone }, stored, tells)
  const moved = [...movedWords(desired.name, name)].reduce(
    (cases, [earlier, later]) => sql`${cases} WHEN ${text(earlier)} THEN ${text(later)}`,
    sql`CASE ${converted}`,
  )
  const word =
    movedWords(desired.name, name).size > 0 ? sql`${moved} ELSE ${converted} END` : converted
  return then.isNotNull ? sql`coalesce(${word}, ${filled})` : word
}
