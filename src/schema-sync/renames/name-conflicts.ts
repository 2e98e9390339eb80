/** Renamed tables and columns that exist in the database under both names. */
import type { Queryable } from '../../database/pool.ts'
import { identifier, tableName } from '../../database/sql.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { earlierKeys } from '../../definitions/earlier-keys.ts'
import { alterTable, blocked, type Change, safe } from '../diff/change.ts'
import type { Schema, TableSchema } from '../diff/schema.ts'
import { earlierColumns } from './earlier-columns.ts'

type Resolved = {
  readonly changes: readonly Change[]
  /** The schema without the columns to drop. */
  readonly schema: Schema
}

/**
 * An empty later column is dropped, for example when `was` was added late; when both hold values, a
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
