/** What the rows themselves say about a wished change: how many there are, which stand in its way. */
import type { Queryable } from '../database/pool.ts'
import { identifier, tableName } from '../database/sql.ts'
import type { ColumnSchema, ForeignKeySchema, Schema } from './schema.ts'

export type Facts = {
  readonly rowCount: (table: string) => number
  readonly nullCount: (table: string, column: string) => number
  /** Values that stand more than once, with the ids of one pair; undefined when there are none. */
  readonly duplicates: (
    table: string,
    columns: readonly string[],
  ) => { readonly count: number; readonly ids: readonly number[] } | undefined
  readonly orphanCount: (table: string, key: ForeignKeySchema) => number
  readonly sameDefault: (table: string, wish: ColumnSchema, known: ColumnSchema) => boolean
}

/** Asks only what the difference of the two schemas needs; a table that is not there has no rows. */
export const readFacts = async (
  connection: Queryable,
  desired: Schema,
  current: Schema,
): Promise<Facts> => {
  const answers = new Map<string, unknown>()
  const ask = async (key: string, text: string) => {
    answers.set(key, (await connection.query(text)).rows[0])
  }
  for (const name of current.keys())
    await ask(`rows ${name}`, `SELECT count(*) AS count FROM ${tableName(name)}`)
  for (const table of desired.values()) {
    const known = current.get(table.name)
    if (!known) continue
    const has = (name: string) => known.columns.some((column) => column.name === name)
    for (const { name, isNotNull } of table.columns)
      if (isNotNull && has(name) && !known.columns.find((column) => column.name === name)?.isNotNull)
        await ask(`nulls ${table.name} ${name}`, `SELECT count(*) AS count FROM ${tableName(table.name)} WHERE ${identifier(name)} IS NULL`)
    for (const index of table.indexes)
      if (index.isUnique && index.columns.every(has) && !known.indexes.some(({ name }) => name === index.name))
        await ask(`duplicates ${table.name} ${index.columns.join()}`, duplicateQuery(table.name, index.columns))
    for (const key of table.foreignKeys)
      if (has(key.column) && !known.foreignKeys.some(({ name, target }) => name === key.name && target === key.target))
        await ask(`orphans ${table.name} ${key.name}`, orphanQuery(table.name, key, current.has(key.target)))
    for (const wish of table.columns) {
      const column = known.columns.find(({ name }) => name === wish.name)
      if (column && wish.default !== undefined && column.default !== undefined)
        await ask(`default ${table.name} ${wish.name}`, sameDefaultQuery(wish, column))
    }
  }
  const count = (key: string) => (answers.get(key) as { count: number } | undefined)?.count ?? 0
  return {
    rowCount: (table) => count(`rows ${table}`),
    nullCount: (table, column) => count(`nulls ${table} ${column}`),
    orphanCount: (table, key) => count(`orphans ${table} ${key.name}`),
    duplicates: (table, columns) => {
      const found = answers.get(`duplicates ${table} ${columns.join()}`) as
        | { count: number; ids: string }
        | undefined
      return found && found.count > 0
        ? { count: found.count, ids: JSON.parse(found.ids) }
        : undefined
    },
    sameDefault: (table, wish, known) => {
      if (wish.default === undefined || known.default === undefined || wish.isIdentity)
        return wish.default === known.default
      return (answers.get(`default ${table} ${wish.name}`) as { same: boolean }).same
    },
  }
}

const duplicateQuery = (table: string, columns: readonly string[]): string => {
  const names = columns.map(identifier).join(', ')
  const present = columns.map((name) => `${identifier(name)} IS NOT NULL`).join(' AND ')
  return `SELECT count(*) AS count, (json_agg(ids)->0)::text AS ids FROM (SELECT (json_agg(id ORDER BY id)) AS ids FROM ${tableName(table)} WHERE NOT _is_deleted AND ${present} GROUP BY ${names} HAVING count(*) > 1) d`
}

const orphanQuery = (table: string, { column, target }: ForeignKeySchema, exists: boolean) => {
  const name = identifier(column)
  const found = exists
    ? ` AND NOT EXISTS (SELECT FROM ${tableName(target)} f WHERE f.id = t.${name})`
    : ''
  return `SELECT count(*) AS count FROM ${tableName(table)} t WHERE t.${name} IS NOT NULL${found}`
}

/** Two spellings of a default are alike when they give the same text; `now()` stands for itself. */
const sameDefaultQuery = (wish: ColumnSchema, known: ColumnSchema) =>
  `SELECT (${wish.default})::${wish.type}::text = (${known.default})::${known.type}::text AS same`
