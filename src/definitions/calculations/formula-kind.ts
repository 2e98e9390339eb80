/** What a part of a formula is: a number, one without digits after the point, or a day. */
import type { FieldTypeName } from '../field-types.ts'

export type Kind = 'whole' | 'number' | 'date'

const kinds: Partial<Record<FieldTypeName, Kind>> = {
  integer: 'whole',
  bigint: 'whole',
  decimal: 'number',
  date: 'date',
}

/** The kind of the values of a field; undefined if formulas do not calculate with them. */
export const kindOfType = (type: FieldTypeName): Kind | undefined => kinds[type]

/** What people call it. */
export const kindWords: Readonly<Record<Kind, string>> = {
  whole: 'a whole number',
  number: 'a number',
  date: 'a date',
}
