/** Which calculated values are those of before an input that is not saved. */
import type { Field } from '../../api/types.ts'

/** Whether a value is calculated from a column that has another value by now. */
export const isOutdated = (
  { calculatedFrom = [] }: Field,
  isChanged: (column: string) => boolean,
): boolean => calculatedFrom.some(isChanged)
