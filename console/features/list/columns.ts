/** The columns that a list of an entity can show: its own fields, and those of the records that they link to. */
import type { Entity, Field } from '../../api/types.ts'
import { nameOfKey } from '../values/format-value.ts'

export type Entities = ReadonlyMap<string, Entity>

export type ListColumn = {
  /** What criteria call it: `total`, `supplier.name`. */
  readonly path: string
  readonly label: string
  readonly field: Field
  /** Where a row of the list holds the value. */
  readonly place: readonly string[]
  /** The link that it belongs to, if it stands for the record behind it. */
  readonly link: { readonly entity: string; readonly idColumn: string } | undefined
}

const initialColumns = 8

export const labelOf = ({ key, name }: Field): string => name ?? nameOfKey(key)

/** Every column of an entity, its own first. */
export const columnsOf = (entity: Entity, entities: Entities): readonly ListColumn[] => {
  const own = entity.fields.flatMap((field) => {
    if (field.type === 'manyToOne') return linkColumn(field, entities)
    return field.column === null ? [] : [ownColumn(field)]
  })
  const behind = entity.fields.flatMap((field) => fieldsBehind(field, entities))
  return [...own, ...behind]
}

const ownColumn = (field: Field): ListColumn => ({
  ...{ path: field.column ?? field.key, label: labelOf(field), field },
  ...{ place: [field.column ?? field.key], link: undefined },
})

/** A link shows what its record is called. */
const linkColumn = (field: Field, entities: Entities): ListColumn[] => {
  const target = entities.get(field.entity ?? '')
  const display = target?.fields.find(({ key }) => key === target.displayField)
  if (!target || !display || field.column === null) return []
  return [
    {
      ...{ path: `${field.key}.${target.displayField}`, label: labelOf(field), field: display },
      place: [field.key, target.displayField],
      link: { entity: target.key, idColumn: field.column },
    },
  ]
}

const fieldsBehind = (field: Field, entities: Entities): ListColumn[] => {
  const target = field.type === 'manyToOne' ? entities.get(field.entity ?? '') : undefined
  if (!target) return []
  return target.fields
    .filter(
      ({ type, key }) =>
        !type.endsWith('ToOne') && !type.endsWith('ToMany') && key !== target.displayField,
    )
    .map((behind) => ({
      ...{ path: `${field.key}.${behind.key}`, label: `${labelOf(field)} › ${labelOf(behind)}` },
      ...{ field: behind, place: [field.key, behind.key], link: undefined },
    }))
}

/** What a list shows of an entity before anybody chose: what names a record, its step, its first fields. */
export const defaultColumns = (
  entity: Entity,
  columns: readonly ListColumn[],
): readonly string[] => {
  const named = columns.filter(({ path }) => path === entity.displayField)
  const step = columns.filter(({ path }) => path === '_step')
  const rest = columns.filter(
    (column) =>
      !named.includes(column) &&
      !column.field.isSystem &&
      (column.place.length === 1 || column.link !== undefined) &&
      column.field.type !== 'json' &&
      column.field.type !== 'text',
  )
  return [...new Set([...named, ...rest.slice(0, 2), ...step, ...rest.slice(2)])]
    .slice(0, initialColumns)
    .map(({ path }) => path)
}
