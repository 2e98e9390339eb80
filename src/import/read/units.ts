/** What people write before or after a number of a field: its unit, and the sign of its currency. */
import type { Column } from '../../definitions/catalog.ts'

const known = new WeakMap<Column, readonly string[]>()

/** Longest first: `US$` before `$`. */
export const unitsOf = (column: Column): readonly string[] => {
  const found = known.get(column) ?? findUnits(column)
  known.set(column, found)
  return found
}

const findUnits = ({ field }: Column): readonly string[] => {
  const unit = 'unit' in field ? field.unit : undefined
  if (typeof unit !== 'string' || unit === '%') return []
  if (!/^[A-Z]{3}$/.test(unit)) return [unit]
  return [unit, signOf(unit, 'symbol'), signOf(unit, 'narrowSymbol')]
    .filter((text, index, all) => all.indexOf(text) === index)
    .toSorted((a, b) => b.length - a.length)
}

const signOf = (currency: string, currencyDisplay: 'symbol' | 'narrowSymbol'): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
    .formatToParts(0)
    .find(({ type }) => type === 'currency')?.value ?? currency
