/** Which columns can be added up. */
import type { ListColumn } from '../list/columns.ts'
import { isNumeric } from '../values/format-value.ts'

/** Numbers that the definition has; ids and versions mean nothing together, nor do numbers of units that are hidden. */
export const isAddable = ({ field }: ListColumn): boolean =>
  isNumeric(field) && !field.isSystem && field.unit !== null
