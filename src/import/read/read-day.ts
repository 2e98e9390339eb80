/** Days and times as people write them, in the order of their parts that a column has. */
import { parseTimestamp } from '../../definitions/values/timestamps.ts'
import type { DayOrder } from './sheet.ts'

const day = /^(\d{1,4})([./-])\s?(\d{1,2})\2\s?(\d{1,4})\.?(?:$|[ T,]+(?=\d))/
const compact = /^(\d{4})(\d{2})(\d{2})$/
const time =
  /^(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?\s?(?:([ap])\.?m\.?)?(?:\sUhr)?$/i

/** The parts of a day in the order in which they stand; `rest`: what follows. */
export type DayParts = {
  readonly parts: readonly [string, string, string]
  readonly separator: string
  readonly rest: string
}

/** Undefined: the text is no day, with or without a time. */
export const dayParts = (text: string): DayParts | undefined => {
  const [whole = '', first = '', separator = '', second = '', third = ''] = day.exec(text) ?? []
  if (whole === '') {
    const [, year = '', month = '', date = ''] = compact.exec(text) ?? []
    return year === '' ? undefined : { parts: [year, month, date], separator: '', rest: '' }
  }
  return { parts: [first, second, third], separator, rest: text.slice(whole.length) }
}

/** The orders in which the parts may be read: none, if a year has two digits. */
export const possibleOrders = ({ parts, separator }: DayParts): readonly DayOrder[] => {
  const [first, second, third] = parts
  if (first.length === 4) return third.length <= 2 ? ['YMD'] : []
  if (third.length !== 4 || first.length > 2) return []
  // No country writes the month first before a point.
  if (separator === '.') return ['DMY']
  const orders: DayOrder[] = []
  if (Number(second) <= 12) orders.push('DMY')
  if (Number(first) <= 12) orders.push('MDY')
  return orders
}

/** Whether a part is a year of two digits, of which nobody knows the century. */
export const hasShortYear = ({ parts }: DayParts): boolean =>
  parts.every((part) => part.length <= 2)

/** `2026-01-05`, whether or not there is such a day; undefined: it is not written so. */
export const isoDay = (written: DayParts, order: DayOrder): string | undefined => {
  const [first, second, third] = written.parts
  const isYearFirst = first.length === 4
  if (isYearFirst ? third.length > 2 : third.length !== 4 || first.length > 2) return undefined
  // A day that begins with its year is read alike, whatever the others are.
  if (isYearFirst) return joined(first, second, third)
  if (order === 'YMD') return undefined
  if (order === 'MDY' && written.separator === '.') return undefined
  return order === 'DMY' ? joined(third, second, first) : joined(third, first, second)
}

const joined = (year: string, month: string, date: string) =>
  `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`

/** `14:30:00`, with fractions of a second as they are; undefined: the text is no time of a day. */
export const isoTime = (text: string): string | undefined => {
  const [whole, hours = '', minutes = '', seconds = '00', fraction, half] = time.exec(text) ?? []
  if (whole === undefined) return undefined
  const hour = half === undefined ? Number(hours) : hourOfHalf(Number(hours), half)
  if (hour === undefined || hour > 23 || Number(minutes) > 59 || Number(seconds) > 59)
    return undefined
  const end = fraction === undefined ? '' : `.${fraction}`
  return `${String(hour).padStart(2, '0')}:${minutes}:${seconds}${end}`
}

const hourOfHalf = (hour: number, half: string): number | undefined =>
  hour < 1 || hour > 12 ? undefined : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)

// Times of a clock as moments: a column has very many of few days, and the clocks of most days are not changed.

/** By zone and day, how much the clocks are ahead of UTC in milliseconds; undefined: they are changed on that day. */
const aheadByDay = new Map<string, number | undefined>()
const mostDays = 20_000

/** A moment in UTC as ISO 8601, or undefined if clocks skip the time or there is no such day. `time`: `14:30:00`, with a fraction or without. */
export const localMoment = (day: string, time: string, timeZone: string): string | undefined => {
  const key = `${timeZone} ${day}`
  if (!aheadByDay.has(key)) {
    if (aheadByDay.size === mostDays) aheadByDay.clear()
    aheadByDay.set(key, aheadOn(day, timeZone))
  }
  const ahead = aheadByDay.get(key)
  if (ahead === undefined) return parseTimestamp(`${day} ${time}`, timeZone)
  const cut = time.length > 12 ? time.slice(0, 12) : time
  return new Date(Date.parse(`${day}T${cut}Z`) - ahead).toISOString()
}

/** Undefined also for the first and the last days of the calendar, of which a time may be in none of its years. */
const aheadOn = (day: string, timeZone: string): number | undefined => {
  if (day < '0001-01-03' || day > '9999-12-29') return undefined
  try {
    const date = Temporal.PlainDate.from(day, { overflow: 'reject' })
    const [begin, end] = [date, date.add({ days: 1 })].map(
      (one) => one.toZonedDateTime({ timeZone, plainTime: '00:00' }).offsetNanoseconds,
    )
    return begin === end && begin !== undefined ? begin / 1_000_000 : undefined
  } catch {
    return undefined
  }
}
