/** What the records behind links are called, and whether others can be chosen. */
import type { Field, RecordRow } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import { valueAt } from '../format/format-value.ts'
import { type Entities, linkedEntity, linkedName, nameFieldOf } from './columns.ts'

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
