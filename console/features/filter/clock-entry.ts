/** What a form enters of days and moments of the clock. */
import {
  type ClockBase,
  type ClockWords,
  type Entered,
  unitFormat,
  unitsOfNow,
} from './clock-values.ts'

/** The value of what was entered; what is no whole number stays, for the form to say so. */
export const clockValue = ({ base, amount }: Entered): unknown => {
  const text = amount.trim().replace('−', '-')
  const number = /^[+-]?\d{1,9}$/.test(text) ? Number(text) : text
  if (base === 'today') return { $today: number }
  if (unitsOfNow.some((one) => one === base)) return { $now: `${text} ${base}` }
  return number === 0 ? { $startOf: base } : { $startOf: base, $offset: number }
}

/** What a form calls it: `today ± days`. */
export const baseWords = (base: ClockBase, { clock }: ClockWords, locale: string): string => {
  if (base === 'quarter') return `${clock.quarter} ± ${clock.quarters}`
  if (base === 'today') return `${clock.today} ± ${unitName(locale, 'day')}`
  return base === 'week' || base === 'month' || base === 'year'
    ? `${clock[base]} ± ${unitName(locale, base)}`
    : `${clock.now} ± ${unitName(locale, base.slice(0, -1))}`
}

// Of five: the plural that stands alone.
const unitName = (locale: string, unit: string): string =>
  unitFormat(locale, unit)
    .formatToParts(5)
    .flatMap(({ type, value }) => (type === 'unit' ? value : []))
    .join('')
