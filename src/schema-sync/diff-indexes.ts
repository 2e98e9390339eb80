/** The indexes of one table; they hold no data, so that what is not wished for goes by itself. */
import { identifier, tableName } from '../database/sql.ts'
import { blocked, type Change, counted, safe } from './change.ts'
import type { Facts } from './facts.ts'
import { type IndexSchema, isSameIndex, type TableSchema } from './schema.ts'

/** Indexes of ours that the definition does not ask for any more. */
export const droppedIndexes = (wish: TableSchema, known: TableSchema): Change[] =>
  known.indexes
    .filter((index) => !wish.indexes.some((wished) => isSameIndex(wished, index)))
    .map(({ name, columns }) =>
      safe(`DROP INDEX ${tableName(name)}`, `${wish.name} needs no index on ${columns.join(', ')}`),
    )

/** Indexes that are missing; the table is locked against writing while one is built. */
export const addedIndexes = (
  wish: TableSchema,
  known: TableSchema | undefined,
  facts: Facts,
): Change[] =>
  wish.indexes
    .filter((wished) => !known?.indexes.some((index) => isSameIndex(wished, index)))
    .map((wished) => createIndex(wish.name, wished, facts))

// Not CONCURRENTLY: that runs outside a transaction and could leave half of a sync behind.
const createIndex = (table: string, index: IndexSchema, facts: Facts): Change => {
  const { name, columns, isUnique } = index
  const list = columns.join(', ')
  const on = `${identifier(name)} ON ${tableName(table)} (${columns.map(identifier).join(', ')})`
  if (!isUnique) return safe(`CREATE INDEX ${on}`, `${table} is searched by ${list}`)
  // A removed record frees its value.
  const sql = `CREATE UNIQUE INDEX ${on} WHERE NOT _is_deleted`
  const found = facts.duplicates(table, index)
  if (found === undefined) return safe(sql, `${list} of ${table} is unique now`)
  const values = counted(found.count, ['value stands', 'values stand'])
  return blocked(
    sql,
    `${list} of ${table} is unique now, but ${values} more than once, for example in the records ${found.ids.join(' and ')}`,
    'make the values unique',
  )
}
