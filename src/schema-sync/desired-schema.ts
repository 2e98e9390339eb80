/** The tables that the definitions require. */
import { bound, text, toLiteralText } from '../database/sql.ts'
import { type Catalog, type Column, type Entity, indexesOf } from '../definitions/catalog.ts'
import { defaultOf, isRequired } from '../definitions/values/field-defaults.ts'
import { calculationText } from './calculations/calculation-text.ts'
import { triggerBody } from './calculations/trigger-body.ts'
import {
  type ColumnSchema,
  nameOf,
  type Schema,
  type TableSchema,
  type TriggerSchema,
} from './diff/schema.ts'

/** A table per entity; default times without an offset are in `timeZone`. */
export const desiredSchema = (catalog: Catalog, timeZone: string): Schema =>
  new Map(
    [...catalog.entities.values()].map((entity) => [
      entity.key,
      tableOf(catalog, entity, timeZone),
    ]),
  )

const tableOf = (catalog: Catalog, entity: Entity, timeZone: string): TableSchema => ({
  name: entity.key,
  columns: [
    ...entity.columns.map((column) => ({
      ...columnOf(entity, column, timeZone),
      calculation: calculationText(catalog, { entity, column }),
    })),
    // Not in the catalog: it stores the entity tag.
    { name: '_version', type: 'integer', isNotNull: true, default: '1', isIdentity: false },
  ],
  indexes: indexesOf(entity).map(({ columns, kind }) => ({
    name: nameOf({ table: entity.key, columns, kind }),
    columns,
    kind,
    isValid: true,
  })),
  foreignKeys: foreignKeysOf(entity),
  checks: [],
  trigger: triggerOf(catalog, entity),
})

const triggerOf = (catalog: Catalog, entity: Entity): TriggerSchema | undefined => {
  const body = triggerBody(catalog, entity)
  const name = nameOf({ table: entity.key, columns: [], kind: 'calculation' })
  return body === undefined ? undefined : { name, functionName: name, body }
}

// No foreign keys on _created_by, _updated_by and _owned_by: every insert would lock the row of its user.
// Only the service writes these columns, and it never deletes users.
const foreignKeysOf = (entity: Entity) =>
  entity.columns.flatMap(({ name, target, isSystem }) =>
    isSystem || target === undefined
      ? []
      : [
          {
            name: nameOf({ table: entity.key, columns: [name], kind: 'foreignKey' }),
            column: name,
            target,
            isValid: true,
          },
        ],
  )

const columnOf = (entity: Entity, column: Column, timeZone: string): ColumnSchema => ({
  name: column.name,
  type: column.type.sqlType(),
  isNotNull: isRequired(column),
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
      return toLiteralText(text(entity.definition.workflow?.initialStep ?? ''))
    default:
      return undefined
  }
}

/** The service sets defaults itself; the database needs them for existing records. */
const declaredDefault = (column: Column, timeZone: string): string | undefined => {
  const value = defaultOf(column, timeZone)
  return value === null ? undefined : toLiteralText(bound(value, column.type.cast)).trim()
}
