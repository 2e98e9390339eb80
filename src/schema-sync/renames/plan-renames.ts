/**
 * Plans renames of tables and columns with their indexes and foreign keys, so that the comparison sees
 * equal names.
 */
import { identifier, tableName } from '../../database/sql.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { earlierKeys } from '../../definitions/earlier-keys.ts'
import { alterTable, type Change, safe } from '../diff/change.ts'
import {
  type ColumnSchema,
  type nameEndings,
  nameOf,
  type Schema,
  storedColumn,
  storedTable,
  type TableSchema,
} from '../diff/schema.ts'
import { earlierColumns } from './earlier-columns.ts'
import { followEntity, followField } from './follow-renames.ts'
import { otherNames, type Rename, renamedHistory, type SyncHistory } from './sync-history.ts'

export type RenamePlan = {
  /** The actual schema with its future names. */
  readonly schema: Schema
  readonly changes: readonly Change[]
  /** To be stored with the changes. */
  readonly renames: readonly Rename[]
}

/** Pure. */
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
