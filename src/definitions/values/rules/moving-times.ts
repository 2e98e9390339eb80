/**
 * Times that move with the clock: `{ "$today": -30 }`, `{ "$now": "-2 hours" }`, `{ "$startOf": "month", "$offset": -1 }`.
 * Criteria take them as values of dates and timestamps, and fields as defaults. The service and the console read them here.
 */
import { didYouMean } from '../../../did-you-mean.ts'
import { movingKeys, periods } from './moving-time-names.ts'

export type FirstDayOfWeek = 'monday' | 'saturday' | 'sunday'

/** The zone whose days count, and the day with which weeks begin: Monday, unless it is set. */
export type Calendar = {
  readonly timeZone: string
  readonly firstDayOfWeek?: FirstDayOfWeek | undefined
}

// A hundred years of each: no sum leaves the calendar of PostgreSQL.
const most = {
  minute: 52_596_000,
  hour: 876_600,
  day: 36_525,
  week: 5_217,
  month: 1_200,
  quarter: 400,
  year: 100,
} as const
type Unit = keyof typeof most

/** `$now` is a moment; `$today`, and the first day of a period, are days. */
export type MovingTime = {
  readonly of: '$today' | '$now' | '$startOf'
  readonly unit: Unit
  /** How many units after the present one; before it if negative. */
  readonly amount: number
}

const units = ['minute', 'hour', 'day', 'week', 'month', 'year'] as const

/** Units of a clock, which are equally long on every day. */
export const clockMs: Readonly<Partial<Record<Unit, number>>> = {
  minute: 60_000,
  hour: 3_600_000,
}

/** Days before Monday with which a week begins. */
export const daysBeforeMonday: Readonly<Record<FirstDayOfWeek, number>> = {
  monday: 0,
  sunday: 1,
  saturday: 2,
}

type Read = { readonly moving: MovingTime } | { readonly issue: string }

type Given = Readonly<Record<string, unknown>>

/** The time that an object stands for, or what is wrong with it. */
export const readMovingTime = (value: Given): Read => {
  const key = movingKeys.find((one) => Object.hasOwn(value, one))
  if (key === undefined) return { issue: unknownIssue(value) }
  const allowed = key === '$startOf' ? [key, '$offset'] : [key]
  const other = Object.keys(value).find((name) => !allowed.includes(name))
  if (other !== undefined) {
    const only = key === '$startOf' ? '"$startOf", perhaps "$offset",' : `"${key}"`
    return { issue: `must have ${only} and nothing else${didYouMean(other, allowed)}` }
  }
  return readers[key](value)
}

const unknownIssue = (value: Given): string => {
  const [name = ''] = Object.keys(value)
  const known = 'must be a value, or an object with "$today", "$now" or "$startOf"'
  return `${known}${didYouMean(name, movingKeys)}`
}

const isWithin = (amount: unknown, unit: Unit): amount is number =>
  Number.isInteger(amount) && Math.abs(amount as number) <= most[unit]

const readers: Readonly<Record<MovingTime['of'], (value: Given) => Read>> = {
  $today: ({ $today: amount }) =>
    isWithin(amount, 'day')
      ? { moving: { of: '$today', unit: 'day', amount } }
      : {
          issue: `must have a whole number of days from -${most.day} to ${most.day}, as { "$today": -30 }`,
        },
  $now: ({ $now }) => readNow($now),
  $startOf: ({ $startOf, $offset: amount = 0 }) => {
    const unit = periods.find((one) => one === $startOf)
    if (unit === undefined) {
      const near = typeof $startOf === 'string' ? didYouMean($startOf, periods) : ''
      return {
        issue: `must begin with a period, as { "$startOf": "month" }; periods are ${listed(periods)}${near}`,
      }
    }
    if (isWithin(amount, unit)) return { moving: { of: '$startOf', unit, amount } }
    return {
      issue: `must have an "$offset" that is a whole number of periods from -${most[unit]} to ${most[unit]}`,
    }
  },
}

const readNow = (value: unknown): Read => {
  if (value === 0) return { moving: { of: '$now', unit: 'minute', amount: 0 } }
  const text = typeof value === 'string' ? value : ''
  const [, number = '', name = ''] = /^([+-]?\d{1,9}) ([a-z]{1,20})$/.exec(text) ?? []
  const unit = units.find((one) => one === name || `${one}s` === name)
  if (unit === undefined) {
    const near = didYouMean(
      name,
      units.map((one) => `${one}s`),
    )
    return {
      issue: `must have 0 or a number of ${listed(units.map((one) => `${one}s`))}, as { "$now": "-2 hours" }${near}`,
    }
  }
  const amount = Number(number)
  return isWithin(amount, unit)
    ? { moving: { of: '$now', unit, amount } }
    : { issue: `must be within ${most[unit]} ${unit}s of now` }
}

const listed = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** The clock of a process, and how its moments, as ISO texts, are written in the zone: `2026-05-04T10:30:00.000`. */
export type Clock = {
  readonly now: number
  readonly toLocal: (moment: string) => string
  readonly fromLocal: (local: string) => string
}

/** What a time that moves is by a clock: the day for a date, the moment for a timestamp, where a day is its beginning. */
export const presentValue = (
  moving: MovingTime,
  as: 'date' | 'timestamp',
  clock: Clock,
  firstDayOfWeek: FirstDayOfWeek = 'monday',
): string => {
  const { of, unit, amount } = moving
  const isoOf = (ms: number) => new Date(ms).toISOString()
  if (of !== '$now') {
    const day = dayOf(moving, clock.toLocal(isoOf(clock.now)).slice(0, 10), firstDayOfWeek)
    return as === 'date' ? day : clock.fromLocal(`${day}T00:00:00.000`)
  }
  const ofClock = clockMs[unit]
  const local = clock.toLocal(isoOf(clock.now + amount * (ofClock ?? 0)))
  const moved = ofClock === undefined ? textOf(added(timeOf(local), unit, amount)) : local
  if (as === 'date') return moved.slice(0, 10)
  return ofClock === undefined ? clock.fromLocal(moved) : isoOf(clock.now + amount * ofClock)
}

const dayOf = (
  { of, unit, amount }: MovingTime,
  today: string,
  firstDayOfWeek: FirstDayOfWeek,
): string => {
  const begin = new Date(`${today}T00:00:00Z`)
  if (of === '$startOf') {
    if (unit === 'week') {
      const sinceFirst = (begin.getUTCDay() + 6 + daysBeforeMonday[firstDayOfWeek]) % 7
      begin.setUTCDate(begin.getUTCDate() - sinceFirst)
    } else {
      const month = begin.getUTCMonth()
      begin.setUTCMonth(unit === 'year' ? 0 : month - (unit === 'quarter' ? month % 3 : 0), 1)
    }
  }
  return textOf(added(begin.getTime(), unit, amount)).slice(0, 10)
}

const dayMs = 86_400_000
const timeOf = (local: string): number => Date.parse(`${local}Z`)
const textOf = (time: number): string => new Date(time).toISOString().slice(0, -1)

const monthsOf: Readonly<Partial<Record<Unit, number>>> = { month: 1, quarter: 3, year: 12 }

/** A local time so many units later; the last day of a shorter month. */
const added = (time: number, unit: Unit, amount: number): number => {
  const months = monthsOf[unit]
  if (months === undefined) return time + amount * (unit === 'week' ? 7 : 1) * dayMs
  const moved = new Date(time)
  const wanted = moved.getUTCDate()
  moved.setUTCDate(1)
  moved.setUTCMonth(moved.getUTCMonth() + amount * months)
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate()
  return moved.setUTCDate(Math.min(wanted, last))
}
