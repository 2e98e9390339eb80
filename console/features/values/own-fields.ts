/** The fields whose values a record has itself, which of them are entered, and which are calculated from others. */
import type { Entity, Field } from '../../api/types.ts'

export const ownFields = ({ fields }: Entity): readonly Field[] =>
  fields.filter(({ column, isSystem }) => column !== null && !isSystem)

/** The column of an own field. */
export const columnOf = ({ column, key }: Field): string => column ?? key

/** Whether the user enters it: neither the service nor an action alone writes it, and the role may. */
export const isEntered = (field: Field): boolean => {
  const { column, isSystem, isCalculated, writtenBy, series, isReadOnly } = field
  const isService = isSystem || isCalculated || writtenBy || series
  return column !== null && !isService && !isReadOnly
}

/** Whether a value is calculated from a column that has another value by now. */
export const isOutdated = (
  { calculatedFrom = [] }: Field,
  isChanged: (column: string) => boolean,
): boolean => calculatedFrom.some(isChanged)
