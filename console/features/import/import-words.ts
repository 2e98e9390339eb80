/** What columns of an import are called, and how their values read. */
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import type { ImportRun } from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { formatValue } from '../format/field-kinds.ts'
import type { Reading } from '../format/format-value.ts'
import { type Entities, fieldAt } from '../values/columns.ts'
import { isEntered } from '../values/own-fields.ts'

/** The path to what a column of a run has. */
export const pathOf = (
  { name, link }: Pick<ImportRun['columns'][number], 'name' | 'link'>,
  { fields }: Entity,
): string => {
  const field = fields.find(({ column }) => column === name)
  return field && link !== undefined ? `${field.key}.${link}` : name
}

/** `Supplier › Code`; the path itself as far as it is not known. */
export const pathLabel = (path: string, entity: Entity, entities: Entities): string => {
  const names = path.split('.')
  return names
    .map((name, at) => {
      const before = names.slice(0, at + 1).join('.')
      const field =
        fieldAt(before, entity, entities) ?? entity.fields.find(({ column }) => column === before)
      return field ? labelOf(field) : name
    })
    .join(' › ')
}

/** A value as a record will show it. */
export const valueText = (
  value: string | number | boolean | null,
  path: string,
  { entity, entities }: { readonly entity: Entity; readonly entities: Entities },
  reading: Reading,
): string => {
  if (value === null) return ''
  const field = fieldAt(path, entity, entities)
  return field ? formatValue(value, field, reading, undefined) : String(value)
}

/** Labels of the fields that every record must have, the service does not write, and no column goes to. */
export const missingLabels = ({ fields }: Entity, paths: readonly string[]): readonly string[] =>
  fields
    .filter(
      (field) =>
        field.required === true &&
        isEntered(field) &&
        field.default === undefined &&
        !paths.some((path) => path === field.column || path.split('.')[0] === field.key),
    )
    .map(labelOf)
