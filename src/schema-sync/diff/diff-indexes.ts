/** The indexes of one table. */
import { identifier, tableName } from '../../database/sql.ts'
import { blocked, type Change, counted, during, kept, safe } from './change.ts'
import { type IndexSchema, isSameIndex, type TableSchema } from './schema.ts'
import type { TableStats } from './table-stats.ts'

/**
 * Our indexes that the definition does not require. A unique one is dropped, because it would reject what
 * the definition allows; one that only speeds up searches is kept.
 */
export const droppedIndexes = (desired: TableSchema, actual: TableSchema): Change[] =>
  actual.indexes
    .filter((index) => !index.isValid || !desired.indexes.some((one) => isSameIndex(one, index)))
    // The plain index of a kept column is kept too.
    .filter(
      ({ columns, isUnique, isValid }) =>
        isUnique ||
        !isValid ||
        columns.every((name) => desired.columns.some((one) => one.name === name)),
    )
    .map(({ name, columns, isUnique, isValid }) => {
      const sql = `DROP INDEX ${tableName(name)}`
      const list = columns.join(', ')
      if (!isValid) return safe(sql, `an index on ${list} of ${desired.name} was never finished`)
      return isUnique
        ? safe(sql, `${list} of ${desired.name} need not be unique`)
        : kept(sql, `no definition requires the index on ${list} of ${desired.name}`)
    })

/** Adds missing indexes; on a filled table others read and write meanwhile. */
export const addedIndexes = (
  desired: TableSchema,
  actual: TableSchema | undefined,
  tableStats: TableStats,
): Change[] =>
  desired.indexes
    .filter((wanted) => !actual?.indexes.some((one) => one.isValid && isSameIndex(wanted, one)))
    .map((wanted) => createIndex(desired.name, wanted, tableStats))

const createIndex = (table: string, index: IndexSchema, tableStats: TableStats): Change => {
  const { name, columns, isUnique } = index
  const list = columns.join(', ')
  const isFilled = tableStats.isFilled(table)
  const build = (change: Change) => (isFilled ? during('between', change) : change)
  const create = `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${isFilled ? 'CONCURRENTLY ' : ''}`
  const on = `${identifier(name)} ON ${tableName(table)} (${columns.map(identifier).join(', ')})`
  if (!isUnique) return build(safe(`${create}${on}`, `${table} is searched by ${list}`))
  // The value of a removed record may be used again.
  const sql = `${create}${on} WHERE NOT _is_deleted`
  const found = tableStats.duplicates(table, index)
  if (found === undefined) return build(safe(sql, `${list} of ${table} is unique now`))
  const values = counted(found.count, ['value stands', 'values stand'])
  return blocked(
    sql,
    `${list} of ${table} is unique now, but ${values} more than once, for example in the records ${found.ids.join(' and ')}`,
    'make the values unique',
  )
}
