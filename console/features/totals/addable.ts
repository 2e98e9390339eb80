/** Which columns can be added up, and how the results are read. */
import type { AggregateName } from '../../api/totals.ts'
import type { ListColumn } from '../list/columns.ts'
import {
  formatValue,
  isNumeric,
  type Reading,
  unitTextOf,
  withUnit,
} from '../values/format-value.ts'
import { currencyOptions } from '../values/formatters.ts'

/** Numbers that the definition has; ids and versions mean nothing together. */
export const isAddable = ({ field }: ListColumn): boolean => isNumeric(field) && !field.isSystem

/** An average has more digits than anybody reads: two more than the values that it is of. */
const moreDigits = 2

export const formatTotal = (
  value: unknown,
  name: AggregateName,
  { field }: ListColumn,
  reading: Reading,
  unit = unitTextOf(field.unit),
): string => {
  if (name !== 'avg' || typeof value !== 'string') return formatValue(value, field, reading, unit)
  const { scale = 0 } = field
  const digits = { minimumFractionDigits: scale, maximumFractionDigits: scale + moreDigits }
  return withUnit(
    value as Intl.StringNumericLiteral,
    unit,
    (code) => new Intl.NumberFormat(reading.locale, { ...currencyOptions(code), ...digits }),
  )
}
