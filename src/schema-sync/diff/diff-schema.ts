/** Compares the desired schema with the actual one: tables, foreign keys and indexes, and orders the statements. */
import { inLowerCase } from '../../database/compared-values.ts'
import { identifier, ref, tableName } from '../../database/sql.ts'
import { isUniqueKind } from '../../definitions/catalog.ts'
import type { IndexKind } from '../../definitions/field-types/field-type.ts'
import { shorten } from '../../issues.ts'
import {
  alterTable,
  blocked,
  type Change,
  counted,
  dropOfKept,
  during,
  printSql,
  safe,
} from './change.ts'
import { columnSql, diffColumns, unknownColumns } from './diff-columns.ts'
import {
  type Duplicates,
  type ForeignKeySchema,
  type IndexSchema,
  isSameForeignKey,
  isSameIndex,
  type Schema,
  storedTable,
  type TableSchema,
  type TableStats,
} from './schema.ts'

/**
 * Drops our foreign keys that would reject what the definition allows; they hold no data. The foreign key
 * of a column without a field stays, because nothing writes that column.
 */
const droppedForeignKeys = (desired: TableSchema, actual: TableSchema): Change[] =>
  actual.foreignKeys
    .filter((key) => !desired.foreignKeys.some((one) => isSameForeignKey(one, key)))
    .filter((key) => desired.columns.some(({ name }) => name === key.column))
    .map(({ name, column, target }) =>
      safe(
        alterTable(desired.name, `DROP CONSTRAINT ${identifier(name)}`),
        `${desired.name}.${column} does not link to ${target} any more`,
      ),
    )

/** Adds foreign keys that are missing, or were never validated. */
const addedForeignKeys = (
  desired: TableSchema,
  actual: TableSchema | undefined,
  tableStats: TableStats,
): Change[] =>
  desired.foreignKeys.flatMap((wanted) => {
    const found = actual?.foreignKeys.find((key) => isSameForeignKey(wanted, key))
    if (found === undefined) return addForeignKey(desired.name, wanted, tableStats)
    return found.isValid ? [] : [compared(desired.name, wanted)]
  })

const addForeignKey = (table: string, key: ForeignKeySchema, tableStats: TableStats): Change[] => {
  const { name, column, target } = key
  const isFilled = tableStats.isFilled(table)
  const sql = alterTable(
    table,
    `ADD CONSTRAINT ${identifier(name)} FOREIGN KEY (${identifier(column)}) REFERENCES ${tableName(target)} (id)${isFilled ? ' NOT VALID' : ''}`,
  )
  const orphans = tableStats.orphanCount(table, key)
  if (orphans > 0)
    return [
      blocked(
        sql,
        `${table}.${column} links to ${target} now, but ${counted(orphans, ['record names', 'records name'])} one that does not exist`,
        'correct or clear those links',
      ),
    ]
  const added = safe(sql, `${table}.${column} links to ${target}`)
  return isFilled ? [added, compared(table, key)] : [added]
}

/** Others read and write meanwhile. */
const compared = (table: string, { name, column, target }: ForeignKeySchema): Change =>
  during(
    'between',
    safe(
      alterTable(table, `VALIDATE CONSTRAINT ${identifier(name)}`),
      `the links of ${table}.${column} to ${target} are compared with the existing records`,
    ),
  )

/** What follows ON, and whether an index is dropped when no definition requires it. */
const indexKinds: Readonly<Record<IndexKind, IndexKindRow>> = {
  unique: { columnList: (columns) => `(${columns.join(', ')})`, isDropped: true },
  caseless: { columnList: (columns) => `(${columns.join(', ')})`, isDropped: true },
  series: { columnList: (columns) => `(${columns.join(', ')})`, isDropped: true },
  order: { columnList: (columns) => `(${columns.join(', ')})`, isDropped: false },
  // It would reject values of another type.
  containment: {
    columnList: (columns) => `USING gin ((${columns.join()}::jsonb) jsonb_path_ops)`,
    isDropped: true,
  },
}

const whateverCase = (kind: IndexKind): string => (kind === 'caseless' ? ', whatever the case' : '')

/** Why a unique index goes: the definition asks for none, or for another one. */
const notUnique = (
  { name, indexes }: TableSchema,
  { columns, kind }: Pick<IndexSchema, 'columns' | 'kind'>,
): string => {
  const list = columns.join(', ')
  const isOther = indexes.some(
    (one) => isUniqueKind(one.kind) && one.columns.join() === columns.join(),
  )
  return isOther
    ? `${list} of ${name} is unique in another way now`
    : `${list} of ${name} need not be unique${whateverCase(kind)}`
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
const droppedIndexes = (desired: TableSchema, actual: TableSchema): Change[] =>
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
      if (kind === 'series') return safe(sql, `${list} of ${desired.name} is no series any more`)
      if (isUniqueKind(kind)) return safe(sql, notUnique(desired, { columns, kind }))
      return indexKinds[kind].isDropped
        ? safe(sql, `no definition requires the index of what ${list} of ${desired.name} contains`)
        : dropOfKept(sql, `no definition requires the index on ${list} of ${desired.name}`)
    })

/** Adds missing indexes; on a filled table others read and write meanwhile. */
const addedIndexes = (
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
  { columns, kind }: IndexSchema,
  { count, examples, finds }: Duplicates,
  isNew: boolean,
): Change => {
  const values = counted(count, ['value occurs', 'values occur'])
  const shown = examples.map(
    (one) =>
      `${one.values.map((value) => JSON.stringify(value && shorten(value, 40))).join(', ')} in the records ${one.ids.join(' and ')}`,
  )
  return blocked(
    finds,
    `${columns.join(', ')} of ${table} is unique${isNew ? ' now' : ''}${whateverCase(kind)}, but ${values} more than once${isNew ? '' : ' after the other changes'}, for example ${shown.join('; ')}`,
    'make the values unique (this statement finds them)',
  )
}

const createIndex = (table: string, index: IndexSchema, tableStats: TableStats): Change => {
  const { name, columns, kind, nullsNotDistinct } = index
  const list = columns.join(', ')
  const isFilled = tableStats.isFilled(table)
  const build = (change: Change) => (isFilled ? during('between', change) : change)
  const create = `CREATE ${isUniqueKind(kind) ? 'UNIQUE ' : ''}INDEX ${isFilled ? 'CONCURRENTLY ' : ''}`
  const cells = columns.map((column) =>
    index.lowered.includes(column) ? `(${printSql(inLowerCase(ref(column)))})` : identifier(column),
  )
  const on = `${identifier(name)} ON ${tableName(table)} ${indexKinds[kind].columnList(cells)}`
  // The number of a removed record stays taken.
  if (kind === 'series') return build(safe(`${create}${on}`, `${list} of ${table} is a series`))
  if (!isUniqueKind(kind)) return build(safe(`${create}${on}`, `${table} is searched by ${list}`))
  // The value of a removed record may be used again.
  const which = `${nullsNotDistinct ? ' NULLS NOT DISTINCT' : ''} WHERE NOT _is_deleted`
  const reason = `${list} of ${table} is unique now${whateverCase(kind)}`
  return build(safe(`${create}${on}${which}`, reason))
}

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
    dropOfKept(
      `DROP TABLE ${names.map(tableName).join(', ')}`,
      `no definition is left for ${losses.join(', ')}`,
    ),
  ]
}
