/**
 * Days and moments as inputs have them, without a zone: `2026-05-04`, or `2026-05-04T10:30:00.000` with a time. Their times
 * are milliseconds as if the zone was UTC.
 */
import { kept } from '../format/formatters.ts'

export const dayMs = 86_400_000

/** Whether an input can say a value; years of more than four digits are not read, but kept. */
export const isLocalText = (text: string): boolean =>
  /^\d{4,}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?$/.test(text)

/** Whether a local text is of a year that can be typed. */
export const isShownYear = (local: string): boolean => /^(?!0000)\d{4}-/.test(local)

/** Undefined for what is no local text of such a year. */
export const timeOf = (local: string): number | undefined => {
  if (!isLocalText(local) || !isShownYear(local)) return undefined
  const time = Date.parse(local.includes('T') ? `${local}Z` : `${local}T00:00Z`)
  return Number.isNaN(time) ? undefined : time
}

/** The local text of a time: of its day, or with all parts of its time. */
export const localTextOf = (time: number, hasTime: boolean): string =>
  new Date(time).toISOString().slice(0, hasTime ? -1 : 10)

/** Midnight of a time. */
export const dayOf = (time: number): number => Math.floor(time / dayMs) * dayMs

/** A time so many months later; the last day of a shorter month. */
export const addMonths = (time: number, months: number): number => {
  const day = new Date(time)
  const wanted = day.getUTCDate()
  day.setUTCDate(1)
  day.setUTCMonth(day.getUTCMonth() + months)
  const last = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate()
  return day.setUTCDate(Math.min(wanted, last))
}

// Moments as local texts in a zone, and back.

/** The parts of a moment for an input of date and time. */
const localPartsFormat = kept((timeZone: string) => {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    hourCycle: 'h23',
  })
})

const partsIn = (moment: Date, timeZone: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    localPartsFormat(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  )

/** `2026-05-04T10:30:00.000` in the zone, of an ISO moment; empty for none. */
export const toLocalTime = (iso: string, timeZone: string): string => {
  const moment = new Date(iso)
  if (iso === '' || Number.isNaN(moment.getTime())) return ''
  const { year, month, day, hour, minute, second, fractionalSecond } = partsIn(moment, timeZone)
  return `${year?.padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}.${fractionalSecond}`
}

/** Whether a text is a moment with its zone, as the service writes it. */
export const isMoment = (text: string): boolean =>
  /^[+-]?\d{4,6}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

/** Whether both are one time, whatever parts of it that are zero are left out. */
export const isSameLocalTime = (one: string, other: string): boolean =>
  Date.parse(`${one}Z`) === Date.parse(`${other}Z`)

/** How far the zone is from UTC at a moment, in milliseconds. */
const offsetAt = (moment: number, timeZone: string): number =>
  Date.parse(`${toLocalTime(new Date(moment).toISOString(), timeZone)}Z`) - moment

/**
 * The moment of a local time, as ISO text; null for none. A time that a change of clocks leaves out is read as the
 * same distance after it; one that comes twice is the moment that is nearer to the one before, or else its first.
 */
export const fromLocalTime = (local: string, timeZone: string, before = ''): string | null => {
  const asUtc = Date.parse(`${local}Z`)
  if (local === '' || Number.isNaN(asUtc)) return null
  const day = 24 * 3600 * 1000
  const candidates = [asUtc - day, asUtc + day].map((near) => asUtc - offsetAt(near, timeZone))
  const exact = candidates.filter((moment) => moment + offsetAt(moment, timeZone) === asUtc)
  const moment = exact.length > 0 ? nearest(exact, Date.parse(before)) : Math.max(...candidates)
  return new Date(moment).toISOString()
}

const nearest = (moments: readonly number[], before: number): number => {
  const first = Math.min(...moments)
  const last = Math.max(...moments)
  return Math.abs(last - before) < Math.abs(first - before) ? last : first
}
