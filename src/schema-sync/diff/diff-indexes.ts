/** The indexes of one table. */
import { identifier, tableName } from '../../database/sql.ts'
import type { IndexKind } from '../../definitions/field-types/field-type.ts'
import { shorten } from '../../issues.ts'
import { blocked, type Change, counted, during, kept, safe } from './change.ts'
import { type IndexSchema, isSameIndex, type TableSchema } from './schema.ts'
import type { Duplicates, TableStats } from './table-stats.ts'

/** What follows ON, and whether an index is dropped when no definition requires it. */
const indexKinds: Readonly<Record<IndexKind, IndexKindRow>> = {
  unique: { columnList: (columns) => `(${columns.join(', ')})`, isDropped: true },
  order: { columnList: (columns) => `(${columns.join(', ')})`, isDropped: false },
  // It would reject values of another type.
  containment: {
    columnList: (columns) => `USING gin ((${columns.join()}::jsonb) jsonb_path_ops)`,
    isDropped: true,
  },
}

type IndexKindRow = {
  /** The columns, which are identifiers. */
  readonly columnList: (columns: readonly string[]) => string
  /** Whether it is dropped when no definition requires it; one that only speeds up searches is kept. */
  readonly isDropped: boolean
}

/**
 * Our indexes that the definition does not require. A unique one is dropped, because it would reject what
 * the definition allows; one that only speeds up searches is kept.
 */
export const droppedIndexes = (desired: TableSchema, actual: TableSchema): Change[] =>
  actual.indexes
    .filter((index) => !index.isValid || !desired.indexes.some((one) => isSameIndex(one, index)))
    // The plain index of a kept column is kept too.
    .filter(
      ({ columns, kind, isValid }) =>
        indexKinds[kind].isDropped ||
        !isValid ||
        columns.every((name) => desired.columns.some((one) => one.name === name)),
    )
    .map(({ name, columns, kind, isValid }) => {
      const sql = `DROP INDEX ${tableName(name)}`
      const list = columns.join(', ')
      if (!isValid) return safe(sql, `an index on ${list} of ${desired.name} was never finished`)
      if (kind === 'unique') return safe(sql, `${list} of ${desired.name} need not be unique`)
      return indexKinds[kind].isDropped
        ? safe(sql, `no definition requires the index of what ${list} of ${desired.name} contains`)
        : kept(sql, `no definition requires the index on ${list} of ${desired.name}`)
    })

/** Adds missing indexes; on a filled table others read and write meanwhile. */
export const addedIndexes = (
  desired: TableSchema,
  actual: TableSchema | undefined,
  tableStats: TableStats,
): Change[] =>
  desired.indexes.flatMap((wanted) => {
    const isNew = !actual?.indexes.some((one) => one.isValid && isSameIndex(wanted, one))
    const found = tableStats.duplicates(wanted)
    if (found) return [repeated(desired.name, wanted, found, isNew)]
    return isNew ? [createIndex(desired.name, wanted, tableStats)] : []
  })

/** Records that a unique index would reject, also one that is there: its columns may change so that values become equal. */
const repeated = (
  table: string,
  { columns }: IndexSchema,
  { count, examples, finds }: Duplicates,
  isNew: boolean,
): Change => {
  const values = counted(count, ['value occurs', 'values occur'])
  const shown = examples.map(
    (one) =>
      `${one.values.map((value) => JSON.stringify(shorten(value, 40))).join(', ')} in the records ${one.ids.join(' and ')}`,
  )
  return blocked(
    finds,
    `${columns.join(', ')} of ${table} is unique${isNew ? ' now' : ''}, but ${values} more than once${isNew ? '' : ' after the other changes'}, for example ${shown.join('; ')}`,
    'make the values unique (this statement finds them)',
  )
}

const createIndex = (table: string, index: IndexSchema, tableStats: TableStats): Change => {
  const { name, columns, kind } = index
  const list = columns.join(', ')
  const isFilled = tableStats.isFilled(table)
  const build = (change: Change) => (isFilled ? during('between', change) : change)
  const create = `CREATE ${kind === 'unique' ? 'UNIQUE ' : ''}INDEX ${isFilled ? 'CONCURRENTLY ' : ''}`
  const on = `${identifier(name)} ON ${tableName(table)} ${indexKinds[kind].columnList(columns.map(identifier))}`
  if (kind !== 'unique') return build(safe(`${create}${on}`, `${table} is searched by ${list}`))
  // The value of a removed record may be used again.
  return build(safe(`${create}${on} WHERE NOT _is_deleted`, `${list} of ${table} is unique now`))
}
