/** Days and moments of the clock of the service, as a condition has them and as a form enters them. */
import {
  namesMovingTime,
  periods,
  readMovingTime,
} from '../../../src/definitions/values/rules/moving-times.ts'
import { kept } from '../format/formatters.ts'

const unitsOfNow = ['minutes', 'hours', 'days', 'weeks', 'months', 'years'] as const

/** From what an amount is counted, with its unit. */
export const clockBases = ['today', ...periods, ...unitsOfNow] as const
export type ClockBase = (typeof clockBases)[number]

const isBase = (name: unknown): name is ClockBase => clockBases.some((one) => one === name)

export const isOfClock = namesMovingTime

/** What the beginnings of periods, and quarters, are called. */
type Words = {
  readonly clock: Readonly<Record<'today' | 'now' | (typeof periods)[number] | 'quarters', string>>
}

/** What was entered: a number, or text that is none yet. */
type Entered = { readonly base: ClockBase; readonly amount: string }

/** What the form shows of a value of the clock. */
export const enteredOf = (value: Readonly<Record<string, unknown>>): Entered => {
  if ('$today' in value) return { base: 'today', amount: String(value.$today) }
  if ('$startOf' in value)
    return {
      base: isBase(value.$startOf) ? value.$startOf : 'week',
      amount: String(value.$offset ?? 0),
    }
  const text = String(value.$now)
  const end = text.lastIndexOf(' ')
  const unit = `${text.slice(end + 1).replace(/s$/, '')}s`
  return end === -1
    ? { base: 'minutes', amount: text }
    : { base: isBase(unit) ? unit : 'minutes', amount: text.slice(0, end) }
}

/** The value of what was entered; what is no whole number stays, for the form to say so. */
export const clockValue = ({ base, amount }: Entered): unknown => {
  const text = amount.trim().replace('−', '-')
  const number = /^[+-]?\d{1,9}$/.test(text) ? Number(text) : text
  if (base === 'today') return { $today: number }
  if (unitsOfNow.some((one) => one === base)) return { $now: `${text} ${base}` }
  return number === 0 ? { $startOf: base } : { $startOf: base, $offset: number }
}

const unitFormat = kept(
  (locale: string, unit: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }),
)

/** `today − 30 days`, as the condition is written in words. */
export const clockWords = (
  value: Readonly<Record<string, unknown>>,
  { clock }: Words,
  locale: string,
): string => {
  const read = readMovingTime(value)
  if ('issue' in read) return JSON.stringify(value)
  const { of, unit, amount } = read.moving
  const [base, step, factor] =
    of === '$startOf' &&
    (unit === 'quarter' || unit === 'week' || unit === 'month' || unit === 'year')
      ? [clock[unit], unit === 'quarter' ? 'month' : unit, unit === 'quarter' ? 3 : 1]
      : [of === '$now' ? clock.now : clock.today, unit, 1]
  if (amount === 0) return base
  const length = unitFormat(locale, step).format(Math.abs(amount) * factor)
  return `${base} ${amount < 0 ? '−' : '+'} ${length}`
}

/** What a form calls it: `today ± days`. */
export const baseWords = (base: ClockBase, { clock }: Words, locale: string): string => {
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
