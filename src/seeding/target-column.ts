/** Resolves a name in a seed file to its target column, filled by a value or by a linked record. */
import {
  type Catalog,
  type Column,
  type Entity,
  systemFieldKeys,
  uniqueIndexes,
} from '../definitions/catalog.ts'
import { didYouMean } from '../did-you-mean.ts'

export type TargetColumn = {
  readonly column: Column
  /** The unique column of the linked entity that identifies the record; undefined for plain values. */
  readonly by: Column | undefined
}

type Name = {
  readonly entity: Entity
  /** `code`, `supplier_id`, `_step`; or the association of `supplier.code`. */
  readonly key: string
  /** The `code` of `supplier.code`. */
  readonly field?: string | undefined
}

/** Finds the target column of a name, or returns an issue. */
export const resolveTarget = (
  catalog: Catalog,
  { entity, key, field }: Name,
): TargetColumn | { readonly message: string } => {
  if (field !== undefined) return associationTarget(catalog, entity, key, field)
  const column = entity.columnsByName.get(key)
  if (!column) return { message: unknownName(entity, key) }
  if (column.isCalculated) return { message: 'is calculated by the service; leave it out' }
  return { column, by: catalog.entities.get(column.target ?? '')?.columnsByName.get('id') }
}

const associationTarget = (catalog: Catalog, entity: Entity, key: string, field: string) => {
  const column = entity.associations.get(key)
  const target = catalog.entities.get(column?.target ?? '')
  if (!column || !target) return { message: unknownAssociation(entity, key) }
  const unique = uniqueColumns(target)
  const by = unique.find(({ name }) => name === field)
  if (by) return { column, by }
  const names = unique.map(({ name }) => name)
  return {
    message: `"${field}" is not a unique field of ${target.key}; its records are identified by ${names.join(' or ')}${didYouMean(field, names)}`,
  }
}

/** Columns with a value that identifies a record. */
export const uniqueColumns = (entity: Entity): readonly Column[] =>
  ['id', ...uniqueIndexes(entity).flatMap(({ columns }) => (columns.length === 1 ? columns : []))]
    .map((name) => entity.columnsByName.get(name))
    .filter((column) => column !== undefined)

const unknownName = (entity: Entity, key: string): string => {
  const association = entity.associations.get(key)
  if (association)
    return `is an association; identify a ${association.target} by one of its unique fields, or give "${association.name}"`
  if (entity.oneToMany.has(key))
    return `is a one-to-many field; set the link on the ${entity.oneToMany.get(key)?.entity} records`
  if (key === '_step') return `needs a workflow on ${entity.key}`
  if (key === '_owned_by') return `needs "ownership": true on ${entity.key}`
  return `is not a field of ${entity.key}${didYouMean(key, knownNames(entity))}`
}

const unknownAssociation = (entity: Entity, key: string): string =>
  entity.columnsByName.has(key) || systemFieldKeys.includes(key)
    ? `"${key}" is not an association of ${entity.key}`
    : `"${key}" is not an association of ${entity.key}${didYouMean(key, entity.associations.keys())}`

const knownNames = (entity: Entity) => [
  ...entity.columnsByName.keys(),
  ...entity.associations.keys(),
]
