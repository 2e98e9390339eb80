/** The tables that the definitions ask for. */
import { createHash } from 'node:crypto'
import { type Catalog, type Column, type Entity, indexesOf } from '../definitions/catalog.ts'
import { bound, toLiteralText } from '../database/sql.ts'
import type { ColumnSchema, Schema, TableSchema } from './schema.ts'

const longestName = 63

/** A table per entity. */
export const desiredSchema = (catalog: Catalog, timeZone: string): Schema =>
  new Map(
    [...catalog.entities.values()].map((entity) => [entity.key, tableOf(entity, timeZone)]),
  )

// No foreign keys on _created_by, _updated_by and _owned_by: every insert would lock the row of its
// user, and the service alone writes them, from users that it never deletes.
const tableOf = (entity: Entity, timeZone: string): TableSchema => ({
  name: entity.key,
  columns: [
    ...entity.columns.map((column) => columnOf(entity, column, timeZone)),
    // Not in the catalog: it carries the entity tag.
    { name: '_version', type: 'integer', isNotNull: true, default: '1', isIdentity: false },
  ],
  indexes: indexesOf(entity).map(({ columns, unique }) => ({
    name: nameOf(entity.key, columns, unique ? 'key' : 'idx'),
    columns,
    isUnique: unique,
  })),
  foreignKeys: entity.columns
    .filter((column) => !column.isSystem && column.target !== undefined)
    .map((column) => ({
      name: nameOf(entity.key, [column.name], 'fkey'),
      column: column.name,
      target: column.target ?? '',
    })),
})

const columnOf = (entity: Entity, column: Column, timeZone: string): ColumnSchema => ({
  name: column.name,
  type: column.type.sqlType(column.field as never),
  isNotNull: 'required' in column.field && column.field.required === true,
  default: column.isSystem ? systemDefault(entity, column) : declaredDefault(column, timeZone),
  isIdentity: column.name === 'id',
})

const systemDefault = (entity: Entity, { name }: Column): string | undefined => {
  switch (name) {
    case '_is_deleted':
      return 'false'
    case '_created_at':
    case '_updated_at':
      return 'now()'
    case '_step':
      return toLiteralText(bound(entity.definition.workflow?.initialStep ?? '', 'text'))
    default:
      return undefined
  }
}

/** The service fills defaults itself; the database needs them to fill rows that exist already. */
const declaredDefault = ({ field, type }: Column, timeZone: string): string | undefined => {
  const value = (field as { default?: unknown }).default
  if (value === undefined || value === null) return undefined
  const verdict = type.check(value, field as never, { timeZone })
  return 'value' in verdict ? toLiteralText(bound(verdict.value, type.cast)) : undefined
}

const nameOf = (table: string, columns: readonly string[], kind: string): string => {
  const full = [table, ...columns, kind].join('_')
  if (Buffer.byteLength(full) <= longestName) return full
  const hash = createHash('sha256').update(full).digest('hex').slice(0, 8)
  return `${full.slice(0, longestName - hash.length - kind.length - 2)}_${hash}_${kind}`
}
