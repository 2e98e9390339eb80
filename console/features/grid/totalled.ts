/** What is added up at first, and how sums and averages are read. */
import type { AggregateName } from '../../api/totals.ts'
import type { Entity } from '../../api/types.ts'
import {
  formatValue,
  leastDecimals,
  type Reading,
  unitTextOf,
  withUnit,
} from '../format/format-value.ts'
import { currencyOptions } from '../format/formatters.ts'
import type { Entities, ListColumn } from '../values/columns.ts'
import { mainColumns } from '../values/main-columns.ts'

/** Ranges are selected key by key: how long a selection stays before it is added up. */
export const settleMs = 200

/** What is added up before anybody chose: a column of the records themselves whose sum is one number of one unit. */
export const firstAddable = (columns: readonly ListColumn[]): ListColumn | undefined =>
  columns.find(({ field, place }) => typeof field.unit === 'string' && place.length === 1) ??
  columns[0]

/** What selected records amount to; none where it says not of what, or is a share of something else. */
export const amountOf = (entity: Entity, entities: Entities): ListColumn | undefined => {
  const { amount } = mainColumns(entity, entities)
  const unit = amount?.field.unit ?? '%'
  return unit === '%' ? undefined : amount
}

// An average has more digits than anybody reads: as many decimals as its values say enough, of whole numbers two.
const decimalsOfWhole = 2

export const formatTotal = (
  value: unknown,
  name: AggregateName,
  { field, unit: naming }: ListColumn,
  reading: Reading,
  given?: unknown,
): string => {
  const unit = unitTextOf(given ?? field.unit, naming?.field)
  if (name !== 'avg' || typeof value !== 'string') return formatValue(value, field, reading, unit)
  const { scale = 0 } = field
  const digits = {
    minimumFractionDigits: leastDecimals(field, unit),
    maximumFractionDigits: scale || decimalsOfWhole,
  }
  return withUnit(
    value as Intl.StringNumericLiteral,
    unit,
    (code) => new Intl.NumberFormat(reading.locale, { ...currencyOptions(code), ...digits }),
  )
}
