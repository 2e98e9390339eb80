/** What columns of an import are called, and how their values read. */
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import type { ImportRun } from '../../api/records/imports.ts'
import type { Entity, Field } from '../../api/types.ts'
import { formatValue } from '../format/field-kinds.ts'
import type { Reading } from '../format/format-value.ts'
import { type Entities, fieldAt } from '../values/columns.ts'
import { isEntered } from '../values/own-fields.ts'

type Place = { readonly entity: Entity; readonly entities: Entities }

/** The records of a list that are written with those of the entity. */
const listAt = (name: string | undefined, { entity, entities }: Place): Entity | undefined => {
  const field = entity.fields.find(({ key, type }) => key === name && type === 'oneToMany')
  return field && entities.get(field.entity ?? '')
}

/** The path to what a column of a run has. */
export const pathOf = (
  { list, name, link }: Pick<ImportRun['columns'][number], 'list' | 'name' | 'link'>,
  place: Place,
): string => {
  const within = list === undefined ? '' : `${list}.`
  const { fields } = listAt(list, place) ?? place.entity
  const field = fields.find(({ column }) => column === name)
  return within + (field && link !== undefined ? `${field.key}.${link}` : name)
}

/** The field that a path of a file leads to. */
export const fieldOf = (path: string, place: Place): Field | undefined => {
  const [first, ...rest] = path.split('.')
  const list = rest.length > 0 ? listAt(first, place) : undefined
  return list
    ? fieldAt(rest.join('.'), list, place.entities)
    : fieldAt(path, place.entity, place.entities)
}

/** `Supplier › Code`; the path itself as far as it is not known. */
export const pathLabel = (path: string, place: Place): string => {
  const { entity } = place
  const names = path.split('.')
  return names
    .map((name, at) => {
      const before = names.slice(0, at + 1).join('.')
      const field = fieldOf(before, place) ?? entity.fields.find(({ column }) => column === before)
      return field ? labelOf(field) : name
    })
    .join(' › ')
}

/** A value as a record will show it. */
export const valueText = (
  value: string | number | boolean | null,
  path: string,
  place: Place,
  reading: Reading,
): string => {
  if (value === null) return ''
  const field = fieldOf(path, place)
  return field ? formatValue(value, field, reading, undefined) : String(value)
}

/** Labels of the fields that every record must have, the service does not write, and no column goes to; also of lists of the file. */
export const missingLabels = (place: Place, paths: readonly string[]): readonly string[] => {
  const { fields } = place.entity
  const ofLists = fields.flatMap(({ key, mappedBy }) => {
    const list = listAt(key, place)
    const within = paths.flatMap((path) =>
      path.startsWith(`${key}.`) ? path.slice(key.length + 1) : [],
    )
    const own = list?.fields.filter((field) => field.key !== mappedBy) ?? []
    return list && within.length > 0
      ? missingOf(own, within).map((name) => pathLabel(`${key}.${name}`, place))
      : []
  })
  return [...missingOf(fields, paths).map((name) => pathLabel(name, place)), ...ofLists]
}

const missingOf = (fields: readonly Field[], paths: readonly string[]): readonly string[] =>
  fields
    .filter(
      (field) =>
        field.required === true &&
        isEntered(field) &&
        field.default === undefined &&
        !paths.some((path) => path === field.column || path.split('.')[0] === field.key),
    )
    .map(({ key }) => key)
