/** The columns that a list of an entity can show: its own fields, and those of the records that they link to. */

import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import type { Entity, Field, RecordRow } from '../../api/types.ts'
import { formatValue, kindOf } from '../format/field-kinds.ts'
import { type Reading, unitPathOf, unitTextOf, valueAt } from '../format/format-value.ts'

export type Entities = ReadonlyMap<string, Entity>

/** What names the unit of a number in each row; without a field where the user may not know of it. */
type UnitColumn = Pick<ListColumn, 'path' | 'place'> & { readonly field: Field | undefined }

export type ListColumn = {
  /** What criteria call it: `total`, `supplier.name`. */
  readonly path: string
  readonly label: string
  readonly field: Field
  /** Where a row of the list holds the value. */
  readonly place: readonly string[]
  /** The link that it belongs to, if it stands for the record behind it. */
  readonly link:
    | {
        /** Undefined where the record may be named, but not read. */
        readonly entity: string | undefined
        readonly idColumn: string
      }
    | undefined
  /** What names the unit of each row, if rows have different ones. */
  readonly unit?: UnitColumn | undefined
  /** Whether its cells lead to the row's record although they do not name it. */
  readonly leads?: true
  /** Of its texts in the first rows, in pixels, once these are there. */
  readonly textWidth?: number | undefined
  /** Of the longest word of its head, in pixels. */
  readonly wordWidth?: number
}

// Every part of a page asks for them, and a wide entity with many links has hundreds.
const known = new WeakMap<Entities, WeakMap<Entity, readonly ListColumn[]>>()

/** Every column of an entity, its own first. */
export const columnsOf = (entity: Entity, entities: Entities): readonly ListColumn[] => {
  const byEntity = known.get(entities) ?? new WeakMap<Entity, readonly ListColumn[]>()
  const columns = byEntity.get(entity) ?? makeColumns(entity, entities)
  known.set(entities, byEntity.set(entity, columns))
  return columns
}

const makeColumns = (entity: Entity, entities: Entities): readonly ListColumn[] => {
  const own = entity.fields.flatMap((field) => {
    if (kindOf(field).isLink) return linkColumn(field, entities)
    return field.column === null ? [] : [ownColumn(field, entity, entities)]
  })
  return [...own, ...entity.fields.flatMap((field) => fieldsBehind(field, entities))]
}

const ownColumn = (field: Field, entity: Entity, entities: Entities): ListColumn => ({
  path: field.column ?? field.key,
  label: labelOf(field),
  field: namingEntities(field, entity, entities),
  place: [field.column ?? field.key],
  link: undefined,
  ...unitOf(field, entity, entities),
})

// What records of the service itself are about, such as views: the key of an entity.
const entityKey = 'entity_key'

/** The field with the names of the entities that its keys mean. */
const namingEntities = (field: Field, { isNative }: Entity, entities: Entities): Field => {
  if (!isNative || field.key !== entityKey) return field
  const names = [...entities.values()].map(({ key, name }) => [key, name])
  return { ...field, valueNames: Object.fromEntries(names) }
}

const unitOf = (field: Field, entity: Entity, entities: Entities): Pick<ListColumn, 'unit'> => {
  const path = unitPathOf(field)
  if (path === undefined) return {}
  return { unit: { path, place: placeOf(path), field: fieldAt(path, entity, entities) } }
}

/** The field at a path over any number of links; undefined where a part of it is not known. */
export const fieldAt = (path: string, entity: Entity, entities: Entities): Field | undefined => {
  const [first, ...rest] = path.split('.')
  const field = entity.fields.find(({ key }) => key === first)
  if (!field || rest.length === 0) return field
  const target = linkedEntity(field, entities)
  return target && fieldAt(rest.join('.'), target, entities)
}

/** The name of a linked record in a record; links of the system are named without their sign. */
const linkedName = (key: string): string => key.replace(/^_/, '')

/** Where a record holds the value of a path. */
export const placeOf = (path: string): readonly string[] => {
  const names = path.split('.')
  return [...names.slice(0, -1).map(linkedName), ...names.slice(-1)]
}

/** What a list selects for a column: its value, the link that it stands for, and its unit. */
export const pathsOf = ({ path, link, unit }: ListColumn): readonly string[] => [
  path,
  ...(link ? [link.idColumn] : []),
  ...(unit ? [unit.path] : []),
]

/** What a link leads to, if the user may read it. */
export const linkedEntity = (
  field: Pick<Field, 'type' | 'entity'>,
  entities: Entities,
): Entity | undefined => {
  const target = kindOf(field).isLink ? entities.get(field.entity ?? '') : undefined
  return target?.permissions.read === false ? undefined : target
}

/** The field that names the records behind a link, as far as the user may see it. */
export const nameFieldOf = (field: Field, entities: Entities): Field | undefined => {
  if (field.linkName !== undefined)
    return {
      key: field.linkName,
      column: field.linkName,
      type: 'string',
      isSystem: false,
      isCalculated: false,
    }
  const target = linkedEntity(field, entities)
  return target?.fields.find(({ key }) => key === target.displayField)
}

/** A link shows what its record is called. */
const linkColumn = (field: Field, entities: Entities): ListColumn[] => {
  const display = nameFieldOf(field, entities)
  if (!display || field.column === null) return []
  const entity = field.linkName === undefined ? (field.entity ?? undefined) : undefined
  return [
    {
      path: `${field.key}.${display.key}`,
      label: labelOf(field),
      field: display,
      place: [linkedName(field.key), display.key],
      link: { entity, idColumn: field.column },
    },
  ]
}

const fieldsBehind = (field: Field, entities: Entities): ListColumn[] => {
  const target = linkedEntity(field, entities)
  if (!target) return []
  return target.fields
    .filter((one) => !kindOf(one).isList && one.key !== target.displayField)
    .flatMap((one) =>
      kindOf(one).isLink ? linkColumn(one, entities) : ownColumn(one, target, entities),
    )
    .map((column) => columnBehind(field, column))
}

const behind = ({ key }: Field, { path, place }: Pick<ListColumn, 'path' | 'place'>) => ({
  path: `${key}.${path}`,
  place: [linkedName(key), ...place],
})

/** A column of the record behind a link. */
const columnBehind = (field: Field, { label, unit, ...rest }: ListColumn): ListColumn => ({
  ...rest,
  ...behind(field, rest),
  label: `${labelOf(field)} › ${label}`,
  unit: unit && { ...unit, ...behind(field, unit) },
  // The id of a record further away is not in the row.
  link: undefined,
})

/** The column of a path over any number of links; undefined where a part of it is not known. */
const columnAt = (path: string, entity: Entity, entities: Entities): ListColumn | undefined => {
  const known = columnsOf(entity, entities).find(
    (column) => column.path === path || column.link?.idColumn === path,
  )
  if (known) return known
  const [first = '', ...rest] = path.split('.')
  const field = entity.fields.find((one) => one.key === first && kindOf(one).isLink)
  const target = field && linkedEntity(field, entities)
  if (!target || rest.length === 0) return undefined
  const column = columnAt(rest.join('.'), target, entities)
  return column && columnBehind(field, column)
}

/** The columns of paths, without those that are not known. */
export const columnsAt = (
  paths: readonly string[],
  entity: Entity,
  entities: Entities,
): readonly ListColumn[] => paths.flatMap((path) => columnAt(path, entity, entities) ?? [])

/** The unit of a number in a row; undefined where there is none. */
export const unitAt = (row: RecordRow, { field, unit }: ListColumn): string | undefined =>
  unit ? unitTextOf(valueAt(row, unit.place), unit.field) : unitTextOf(field.unit)

/** What a column says of a row, with the unit of its number. */
export const textAt = (row: RecordRow, column: ListColumn, reading: Reading): string =>
  formatValue(valueAt(row, column.place), column.field, reading, unitAt(row, column))

/** Whether the user may choose the record behind a link; true for every other field. */
export const isChosen = (field: Field, entities: Entities): boolean =>
  !kindOf(field).isLink || linkedEntity(field, entities) !== undefined

/** What the record behind a link of a record is called, as far as it came with the record. */
export const nameBehind = (
  record: RecordRow,
  field: Field,
  entities: Entities,
): string | undefined => {
  const name = nameFieldOf(field, entities)
  const value = name && valueAt(record, [linkedName(field.key), name.key])
  return value === null || value === undefined ? undefined : String(value)
}
