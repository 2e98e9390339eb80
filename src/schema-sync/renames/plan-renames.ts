/**
 * Plans renames of tables and columns with their indexes and foreign keys, so that the comparison sees equal names;
 * and finds those that exist under both names.
 */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import type { Catalog, Column, Entity } from '../../definitions/catalog.ts'
import { earlierKeys } from '../../definitions/earlier-keys.ts'
import { alterTable, blocked, type Change, safe } from '../diff/change.ts'
import {
  type ColumnSchema,
  type nameEndings,
  nameOf,
  type Schema,
  storedColumn,
  storedTable,
  type TableSchema,
} from '../diff/schema.ts'
import { followEntity, followField } from './follow-renames.ts'
import { otherNames, type Rename, renamedHistory, type SyncHistory } from './sync-history.ts'

/** Latest first; a many-to-one had `<key>_id`. */
export const earlierColumns = ({ field }: Column): readonly string[] =>
  field.type === 'oneToMany'
    ? []
    : earlierKeys(field.was).map((key) => (field.type === 'manyToOne' ? `${key}_id` : key))

type RenamePlan = {
  /** The actual schema with its future names. */
  readonly schema: Schema
  readonly changes: readonly Change[]
  /** To be stored with the changes. */
  readonly renames: readonly Rename[]
}

export const planRenames = (
  catalog: Catalog,
  current: Schema,
  history: SyncHistory,
): RenamePlan => {
  const tables = renamedTables(catalog, current, history)
  const newNames = new Map(tables.map(({ later, earlier }) => [earlier, later]))
  const named = new Map(
    [...current.values()].map((table) => {
      const name = newNames.get(table.name) ?? table.name
      const foreignKeys = table.foreignKeys.map((key) => ({
        ...key,
        target: newNames.get(key.target) ?? key.target,
      }))
      return [name, { ...table, name, foreignKeys, storedAs: table.storedAs ?? table.name }]
    }),
  )
  const renamed = renamedHistory(history, tables)
  const columns = [...catalog.entities.values()].flatMap((entity) => {
    const table = named.get(entity.key)
    return table ? renamedColumns(entity, table, renamed) : []
  })
  const schema = new Map(
    [...named].map(([name, table]) => [
      name,
      withColumns(
        table,
        columns.filter(({ entityKey }) => entityKey === name),
      ),
    ]),
  )
  const unfollowed = history.renames.filter(({ isFollowed }) => !isFollowed).toReversed()
  const followed = [...unfollowed, ...tables, ...columns]
  return {
    schema: withOwnNames(schema),
    changes: [
      ...tables.map(renameTable),
      ...columns.map((one) => renameColumn(one, schema)),
      ...[...schema.values()].flatMap(renamedObjects),
      ...followed.flatMap((one) =>
        one.kind === 'entity' ? followEntity(one, current) : followField(one),
      ),
    ],
    renames: [...tables, ...columns],
  }
}

const renamedTables = (catalog: Catalog, current: Schema, history: SyncHistory): Rename[] => {
  const taken = new Set<string>()
  return [...catalog.entities.values()].flatMap(({ key, definition }) => {
    if (current.has(key)) return []
    const asked = { kind: 'entity', entityKey: key, columnName: '' } as const
    const earlier = otherNames(history, asked, key, earlierKeys(definition.was)).find(
      (name) => current.has(name) && !catalog.entities.has(name) && !taken.has(name),
    )
    if (earlier === undefined) return []
    taken.add(earlier)
    return [{ ...asked, earlier, later: key, isFollowed: false }]
  })
}

const renamedColumns = (entity: Entity, table: TableSchema, history: SyncHistory): Rename[] => {
  const isThere = (name: string) => table.columns.some((column) => column.name === name)
  const taken = new Set<string>()
  return entity.columns.flatMap((column) => {
    if (column.isSystem || isThere(column.name)) return []
    const asked = { kind: 'field', entityKey: entity.key, columnName: '' } as const
    const earlier = otherNames(history, asked, column.name, earlierColumns(column)).find(
      (name) => isThere(name) && !entity.columnsByName.has(name) && !taken.has(name),
    )
    if (earlier === undefined) return []
    taken.add(earlier)
    return [{ ...asked, earlier, later: column.name, isFollowed: false }]
  })
}

const withColumns = (table: TableSchema, renames: readonly Rename[]): TableSchema => {
  const later = (name: string) => renames.find(({ earlier }) => earlier === name)?.later ?? name
  return {
    ...table,
    columns: table.columns.map(
      (column): ColumnSchema => ({ ...column, name: later(column.name), storedAs: column.name }),
    ),
    indexes: table.indexes.map((index) => ({ ...index, columns: index.columns.map(later) })),
    foreignKeys: table.foreignKeys.map((key) => ({ ...key, column: later(key.column) })),
    checks: table.checks.map((check) => ({ ...check, column: later(check.column) })),
  }
}

const onStored = (table: string | undefined, change: Change): Change =>
  table === undefined ? change : { ...change, table }

const renameTable = ({ earlier, later }: Rename): Change =>
  onStored(
    earlier,
    safe(alterTable(earlier, `RENAME TO ${identifier(later)}`), `${later} was ${earlier}`),
  )

const renameColumn = ({ entityKey, earlier, later }: Rename, schema: Schema): Change =>
  onStored(
    schema.get(entityKey)?.storedAs,
    safe(
      alterTable(entityKey, `RENAME COLUMN ${identifier(earlier)} TO ${identifier(later)}`),
      `${entityKey}.${later} was ${earlier}`,
    ),
  )

type Namable = { readonly kind: keyof typeof nameEndings; readonly name: string }

/** Our indexes, foreign keys and checks whose names contain an old name. */
const misnamed = (table: TableSchema): (Namable & { readonly later: string })[] =>
  [
    ...table.indexes,
    ...table.foreignKeys.map((one) => ({
      ...one,
      kind: 'foreignKey' as const,
      columns: [one.column],
    })),
    ...table.checks.map((one) => ({ ...one, kind: 'check' as const, columns: [one.column] })),
  ].flatMap(({ kind, name, columns }) => {
    const later = nameOf({ table: table.name, columns, kind })
    const earlier = nameOf({
      table: storedTable(table),
      columns: columns.map((column) => storedColumn(table, column)),
      kind,
    })
    return name === earlier && earlier !== later ? [{ kind, name, later }] : []
  })

const renamedObjects = (table: TableSchema): Change[] =>
  misnamed(table).map(({ kind, name, later }) => {
    const to = `RENAME TO ${identifier(later)}`
    const sql =
      kind === 'foreignKey' || kind === 'check'
        ? alterTable(table.name, `RENAME CONSTRAINT ${identifier(name)} TO ${identifier(later)}`)
        : `ALTER INDEX ${tableName(name)} ${to}`
    return onStored(
      table.storedAs,
      safe(sql, `its name follows the name that ${table.name} has now`),
    )
  })

const withOwnNames = (schema: Schema): Schema =>
  new Map(
    [...schema].map(([key, table]) => {
      const names = new Map(misnamed(table).map(({ name, later }) => [name, later]))
      const named = <T extends { readonly name: string }>(one: T): T => ({
        ...one,
        name: names.get(one.name) ?? one.name,
      })
      return [
        key,
        {
          ...table,
          indexes: table.indexes.map(named),
          foreignKeys: table.foreignKeys.map(named),
          checks: table.checks.map(named),
        },
      ]
    }),
  )

type Resolved = {
  readonly changes: readonly Change[]
  /** The schema without the columns to drop. */
  readonly schema: Schema
}

/**
 * An empty later column is dropped, for example when `was` was added afterwards; when both hold values, a
 * person must decide.
 */
export const resolveNameConflicts = async (
  database: Queryable,
  catalog: Catalog,
  current: Schema,
): Promise<Resolved> => {
  const changes: Change[] = []
  const schema = new Map(current)
  for (const entity of catalog.entities.values()) {
    const table = schema.get(entity.key)
    if (!table) continue
    const { key, definition } = entity
    const earlierTable = earlierKeys(definition.was).find(
      (name) => current.has(name) && !catalog.entities.has(name),
    )
    if (earlierTable !== undefined) changes.push(twoTables(key, earlierTable))
    for (const column of entity.columns) {
      const isThere = (name: string) => table.columns.some((one) => one.name === name)
      const earlier = earlierColumns(column).find(
        (name) => isThere(name) && !entity.columnsByName.has(name),
      )
      if (!isThere(column.name) || earlier === undefined) continue
      if (await isEmpty(database, key, column.name)) {
        changes.push(isDropped(key, column.name, earlier))
        schema.set(key, without(schema.get(key) ?? table, column.name))
      } else changes.push(twoColumns(key, column.name, earlier))
    }
  }
  return { changes, schema }
}

const findsValue = (table: string, column: string): string =>
  `SELECT FROM ${tableName(table)} WHERE ${identifier(column)} IS NOT NULL LIMIT 1`

const isEmpty = async (database: Queryable, table: string, column: string): Promise<boolean> =>
  (await database.query(findsValue(table, column))).rowCount === 0

const twoTables = (later: string, earlier: string): Change =>
  blocked(
    [
      `SELECT (SELECT count(*) FROM ${tableName(later)}) AS later`,
      `(SELECT count(*) FROM ${tableName(earlier)}) AS earlier`,
    ].join(', '),
    `${later} was ${earlier}, but both tables exist`,
    `merge the records and drop one of the tables (this statement counts both), or remove "was", and do that`,
  )

const isDropped = (table: string, later: string, earlier: string): Change => ({
  ...safe(
    alterTable(table, `DROP COLUMN ${identifier(later)}`),
    `${table}.${later} is empty and is dropped for ${earlier}`,
  ),
  table,
  // Others may fill it while the sync waits for the lock.
  unless: { finds: findsValue(table, later), refused: twoColumns(table, later, earlier) },
})

const twoColumns = (table: string, later: string, earlier: string): Change => {
  const [a, b] = [identifier(later), identifier(earlier)]
  return blocked(
    [
      `UPDATE ${tableName(table)} SET ${a} = ${b}, _version = _version + 1 WHERE ${a} IS NULL AND ${b} IS NOT NULL`,
      `ALTER TABLE ${tableName(table)} DROP COLUMN ${b}`,
    ].join('; '),
    `${table}.${later} was ${earlier}, but both columns hold values`,
    `remove "was", or merge the values, for example with these statements, and do that`,
  )
}

const without = (table: TableSchema, column: string): TableSchema => ({
  ...table,
  columns: table.columns.filter(({ name }) => name !== column),
  indexes: table.indexes.filter(({ columns }) => !columns.includes(column)),
  foreignKeys: table.foreignKeys.filter((key) => key.column !== column),
  checks: table.checks.filter((check) => check.column !== column),
})
