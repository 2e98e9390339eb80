/** Compares the desired schema with the actual one, and orders the statements. */
import { tableName } from '../../database/sql.ts'
import { type Change, counted, kept, safe } from './change.ts'
import { columnSql, diffColumns, unknownColumns } from './diff-columns.ts'
import { addedForeignKeys, droppedForeignKeys } from './diff-foreign-keys.ts'
import { addedIndexes, droppedIndexes } from './diff-indexes.ts'
import { type Schema, storedTable, type TableSchema } from './schema.ts'
import type { TableStats } from './table-stats.ts'

type Pair = { readonly desired: TableSchema; readonly actual: TableSchema }

/**
 * Pure: data about rows comes in as tableStats. Drops old foreign keys and indexes first, then changes
 * tables and columns, then adds new indexes and foreign keys, because foreign keys may be circular.
 */
export const diffSchema = (desired: Schema, current: Schema, tableStats: TableStats): Change[] => {
  const pairs = [...desired.values()].map((desired) => ({
    desired,
    actual: current.get(desired.name),
  }))
  const standing = pairs.flatMap(({ desired, actual }) => (actual ? [{ desired, actual }] : []))
  const onStanding = (diff: (pair: Pair) => Change[]) =>
    standing.flatMap((pair) => diff(pair).map((change) => onTable(pair.actual, change)))
  return [
    ...onStanding(({ desired, actual }) => droppedForeignKeys(desired, actual)),
    ...onStanding(({ desired, actual }) => droppedIndexes(desired, actual)),
    ...onStanding(({ desired, actual }) => unknownColumns(desired, actual)),
    ...unknownTables(desired, current, tableStats),
    ...pairs.filter(({ actual }) => !actual).map(({ desired }) => createTable(desired)),
    ...onStanding(({ desired, actual }) => diffColumns(desired, actual, tableStats)),
    ...pairs
      .filter(({ actual }) => !actual)
      .flatMap(({ desired }) => addedIndexes(desired, undefined, tableStats)),
    ...onStanding(({ desired, actual }) => addedIndexes(desired, actual, tableStats)),
    ...pairs
      .filter(({ actual }) => !actual)
      .flatMap(({ desired }) => addedForeignKeys(desired, undefined, tableStats)),
    ...onStanding(({ desired, actual }) => addedForeignKeys(desired, actual, tableStats)),
  ]
}

// Phase `first` takes locks before anything is renamed.
const onTable = (actual: TableSchema, change: Change): Change => ({
  ...change,
  table: (change.phase ?? 'first') === 'first' ? storedTable(actual) : actual.name,
})

const createTable = (table: TableSchema): Change =>
  safe(
    `CREATE TABLE ${tableName(table.name)} (${table.columns.map(columnSql).join(', ')})`,
    `the entity ${table.name} is new`,
  )

/** One statement for all, because they may link to each other; it fails when other objects depend on them. */
const unknownTables = (desired: Schema, current: Schema, tableStats: TableStats): Change[] => {
  const names = [...current.keys()].filter((name) => !desired.has(name))
  if (names.length === 0) return []
  const losses = names.map(
    (name) => `${name} with ${counted(tableStats.rowCount(name), ['record', 'records'])}`,
  )
  return [
    kept(
      `DROP TABLE ${names.map(tableName).join(', ')}`,
      `no definition is left for ${losses.join(', ')}`,
    ),
  ]
}
