/** Days and moments of the clock of the service in words, and what a form shows and takes of them. */
import {
  namesMovingTime,
  periods,
} from '../../../src/definitions/values/rules/moving-time-names.ts'
import { kept } from '../format/formatters.ts'

const unitsOfNow = ['minutes', 'hours', 'days', 'weeks', 'months', 'years'] as const

/** From what an amount is counted, with its unit. */
export const clockBases = ['today', ...periods, ...unitsOfNow] as const
export type ClockBase = (typeof clockBases)[number]

const isBase = (name: unknown): name is ClockBase => clockBases.some((one) => one === name)

export const isOfClock = namesMovingTime

/** What the beginnings of periods, and quarters, are called. */
type ClockWords = {
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

/** Numbers with a unit in words. */
export const unitFormat = kept(
  (locale: string, unit: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }),
)

/** `today − 30 days`, as the condition is written in words. */
export const clockWords = (
  value: Readonly<Record<string, unknown>>,
  { clock }: ClockWords,
  locale: string,
): string => {
  const { base, amount: text } = enteredOf(value)
  const amount = Number(text)
  if (!Number.isInteger(amount)) return JSON.stringify(value)
  const isOfNow = unitsOfNow.some((one) => one === base)
  const start = isOfNow ? clock.now : clock[base as keyof typeof clock]
  if (amount === 0) return start
  const unit = base === 'today' ? 'day' : base.replace(/s$/, '')
  const [step, factor] = unit === 'quarter' ? ['month', 3] : [unit, 1]
  const length = unitFormat(locale, step).format(Math.abs(amount) * factor)
  return `${start} ${amount < 0 ? '−' : '+'} ${length}`
}

// What a form enters of days and moments of the clock.

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
