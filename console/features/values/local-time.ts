/** Moments as local texts in a zone, and back. */
import { kept } from '../format/formatters.ts'

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
