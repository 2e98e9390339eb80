/**
 * Values that a change of the schema meets in the rows: those that a unique index forbids after all other changes, and
 * those that a new type would change.
 */
import { indexedValue } from '../../database/compared-values.ts'
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
import { isUniqueKind } from '../../definitions/catalog.ts'
import {
  type Duplicates,
  type IndexSchema,
  isSameIndex,
  type LossyValues,
  storedColumn,
  storedTable,
  type TableSchema,
} from '../diff/schema.ts'
import { fittingSql, isLossless, lossyValuesSql } from '../diff/type-change.ts'

type Pair = { readonly desired: TableSchema; readonly actual: TableSchema }

const firstShown = 160_000

/** Keyed by `<table> column <column>`; one scan of a table for each lossy column. */
export const readLossyValues = async (
  database: Queryable,
  pairs: readonly Pair[],
  timeZone: string,
): Promise<ReadonlyMap<string, LossyValues>> => {
  const found = new Map<string, LossyValues>()
  for (const { desired, actual } of pairs)
    for (const { name, type } of desired.columns) {
      const from = actual.columns.find((column) => column.name === name)?.type
      if (from === undefined || isLossless(from, type)) continue
      const cell = identifier(storedColumn(actual, name))
      const conditions = lossyValuesSql(
        { from, to: type, cell, timeZone },
        await tellsInputs(database),
      )
      if (conditions)
        found.set(`${desired.name} column ${name}`, await count(database, actual, conditions))
    }
  return found
}

const count = async (
  database: Queryable,
  actual: TableSchema,
  { cut, refused }: { readonly cut: string; readonly refused: string },
): Promise<LossyValues> => {
  const { rows } = await database.query<
    Record<'cut' | 'refused' | 'first' | 'last', number | null>
  >(
    `SELECT count(*) FILTER (WHERE cut AND NOT refused) AS cut, count(*) FILTER (WHERE refused) AS refused,
       coalesce(min(id) FILTER (WHERE refused), min(id) FILTER (WHERE cut)) AS first,
       coalesce(max(id) FILTER (WHERE refused), max(id) FILTER (WHERE cut)) AS last
     FROM (SELECT id, coalesce(${cut}, false) AS cut, coalesce(${refused}, false) AS refused
       FROM ${tableName(storedTable(actual))}) r`,
  )
  const [row] = rows
  const ids = [row?.first, row?.last].filter((id) => typeof id === 'number')
  return { cut: row?.cut ?? 0, refused: row?.refused ?? 0, ids: [...new Set(ids)] }
}

/** Whether the server can say that a text is no value of a type. */
export const tellsInputs = async (database: Queryable): Promise<boolean> => {
  const { rows } = await database.query<{ version: string }>(
    `SELECT current_setting('server_version_num') AS version`,
  )
  return Number(rows[0]?.version) >= firstShown
}

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
      .filter((index) => isUniqueKind(index.kind) && mayRepeat(pair, index, options.movedWords))
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
const repeatedValues = ({ desired, actual }: Pair, index: IndexSchema, future: Future): Sql => {
  const { columns, nullsNotDistinct } = index
  const values = columns.map((name, place) => {
    const value = futureValue({ desired, actual }, name, future)
    return sql`${indexedValue(index, name, value)} AS ${raw(`v${place}`)}`
  })
  const names = columns.map((_, place) => `v${place}`)
  const isOfAll = index.kind === 'series' || !columnOf(actual, '_is_deleted')
  const isRemoved = isOfAll ? 'false' : '_is_deleted'
  return sql`
    SELECT ARRAY[${raw(names.map((name) => `${name}::text`).join(', '))}] AS values,
      (array_agg(id ORDER BY id))[1:2] AS ids
    FROM (SELECT id, ${joined(values)} FROM ${raw(tableName(storedTable(actual)))} WHERE NOT ${raw(isRemoved)}) r
    WHERE ${raw(nullsNotDistinct ? 'true' : names.map((name) => `${name} IS NOT NULL`).join(' AND '))}
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
