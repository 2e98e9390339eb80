/** Compares what is wished for with what is there: the statements between both, in their order. */
import { tableName } from '../../database/sql.ts'
import { type Change, counted, kept, safe } from './change.ts'
import { columnSql, diffColumns, unknownColumns } from './diff-columns.ts'
import { addedForeignKeys, droppedForeignKeys } from './diff-foreign-keys.ts'
import { addedIndexes, droppedIndexes } from './diff-indexes.ts'
import type { Facts } from './facts.ts'
import { type Schema, storedTable, type TableSchema } from './schema.ts'

type Pair = { readonly wish: TableSchema; readonly known: TableSchema }

/**
 * Pure: what the rows say comes in as facts. Old links and indexes go first, then tables and columns
 * change, then new indexes and links come, for links may go round in circles.
 */
export const diffSchema = (desired: Schema, current: Schema, facts: Facts): Change[] => {
  const pairs = [...desired.values()].map((wish) => ({ wish, known: current.get(wish.name) }))
  const standing = pairs.flatMap(({ wish, known }) => (known ? [{ wish, known }] : []))
  const onStanding = (diff: (pair: Pair) => Change[]) =>
    standing.flatMap((pair) => diff(pair).map((change) => onTable(pair.known, change)))
  return [
    ...onStanding(({ wish, known }) => droppedForeignKeys(wish, known)),
    ...onStanding(({ wish, known }) => droppedIndexes(wish, known)),
    ...onStanding(({ wish, known }) => unknownColumns(wish, known)),
    ...unknownTables(desired, current, facts),
    ...pairs.filter(({ known }) => !known).map(({ wish }) => createTable(wish)),
    ...onStanding(({ wish, known }) => diffColumns(wish, known, facts)),
    ...pairs
      .filter(({ known }) => !known)
      .flatMap(({ wish }) => addedIndexes(wish, undefined, facts)),
    ...onStanding(({ wish, known }) => addedIndexes(wish, known, facts)),
    ...pairs
      .filter(({ known }) => !known)
      .flatMap(({ wish }) => addedForeignKeys(wish, undefined, facts)),
    ...onStanding(({ wish, known }) => addedForeignKeys(wish, known, facts)),
  ]
}

// At first locks are taken before anything is renamed.
const onTable = (known: TableSchema, change: Change): Change => ({
  ...change,
  table: change.phase === 'last' ? known.name : storedTable(known),
})

const createTable = (table: TableSchema): Change =>
  safe(
    `CREATE TABLE ${tableName(table.name)} (${table.columns.map(columnSql).join(', ')})`,
    `the entity ${table.name} is new`,
  )

/** One statement for all, for they may link to each other; what a person built on them stops it. */
const unknownTables = (desired: Schema, current: Schema, facts: Facts): Change[] => {
  const names = [...current.keys()].filter((name) => !desired.has(name))
  if (names.length === 0) return []
  const losses = names.map(
    (name) => `${name} with ${counted(facts.rowCount(name), ['record', 'records'])}`,
  )
  return [
    kept(
      `DROP TABLE ${names.map(tableName).join(', ')}`,
      `no definition is left for ${losses.join(', ')}`,
    ),
  ]
}
