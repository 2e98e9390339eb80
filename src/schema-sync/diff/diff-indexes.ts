/** The indexes of one table. */
import { identifier, tableName } from '../../database/sql.ts'
import { blocked, type Change, counted, during, kept, safe } from './change.ts'
import type { Facts } from './facts.ts'
import { type IndexSchema, isSameIndex, type TableSchema } from './schema.ts'

/**
 * Indexes of ours that the definition does not ask for. A unique one goes by itself, since it would
 * refuse what the definition allows; one that only makes searches faster is kept.
 */
export const droppedIndexes = (wish: TableSchema, known: TableSchema): Change[] =>
  known.indexes
    .filter((index) => !index.isValid || !wish.indexes.some((one) => isSameIndex(one, index)))
    // The plain index of a kept column goes with it.
    .filter(
      ({ columns, isUnique, isValid }) =>
        isUnique ||
        !isValid ||
        columns.every((name) => wish.columns.some((one) => one.name === name)),
    )
    .map(({ name, columns, isUnique, isValid }) => {
      const sql = `DROP INDEX ${tableName(name)}`
      const list = columns.join(', ')
      if (!isValid) return safe(sql, `an index on ${list} of ${wish.name} was never finished`)
      return isUnique
        ? safe(sql, `${list} of ${wish.name} need not be unique`)
        : kept(sql, `no definition asks for the index on ${list} of ${wish.name}`)
    })

/** Indexes that are missing; on a filled table others read and write while one is built. */
export const addedIndexes = (
  wish: TableSchema,
  known: TableSchema | undefined,
  facts: Facts,
): Change[] =>
  wish.indexes
    .filter((wished) => !known?.indexes.some((one) => one.isValid && isSameIndex(wished, one)))
    .map((wished) => createIndex(wish.name, wished, facts))

const createIndex = (table: string, index: IndexSchema, facts: Facts): Change => {
  const { name, columns, isUnique } = index
  const list = columns.join(', ')
  const isFilled = facts.isFilled(table)
  const build = (change: Change) => (isFilled ? during('between', change) : change)
  const create = `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${isFilled ? 'CONCURRENTLY ' : ''}`
  const on = `${identifier(name)} ON ${tableName(table)} (${columns.map(identifier).join(', ')})`
  if (!isUnique) return build(safe(`${create}${on}`, `${table} is searched by ${list}`))
  // A removed record frees its value.
  const sql = `${create}${on} WHERE NOT _is_deleted`
  const found = facts.duplicates(table, index)
  if (found === undefined) return build(safe(sql, `${list} of ${table} is unique now`))
  const values = counted(found.count, ['value stands', 'values stand'])
  return blocked(
    sql,
    `${list} of ${table} is unique now, but ${values} more than once, for example in the records ${found.ids.join(' and ')}`,
    'make the values unique',
  )
}
