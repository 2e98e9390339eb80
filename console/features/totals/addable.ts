/** Which columns can be added up. */

import { isNumeric } from '../format/format-value.ts'
import type { ListColumn } from '../values/columns.ts'

/** Numbers that the definition has; ids and versions mean nothing together, nor do numbers of units that are hidden. */
export const isAddable = ({ field }: ListColumn): boolean =>
  isNumeric(field) && !field.isSystem && field.unit !== null
