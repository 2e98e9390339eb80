/** Moments as the text of an input of date and time in a zone, and back. */
import { localPartsFormat } from './formatters.ts'

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

/** Whether both are one time; browsers leave out seconds that are zero. */
export const isSameLocalTime = (one: string, other: string): boolean =>
  Date.parse(`${one}Z`) === Date.parse(`${other}Z`)

/** The step of an input that shows such a text, in seconds: the parts of a minute that are zero are not shown. */
export const stepOf = (local: string): number => {
  if (local === '' || local.endsWith(':00.000')) return 60
  return local.endsWith('.000') ? 1 : 0.001
}

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
