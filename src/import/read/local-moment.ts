/** Times of a clock as moments: a column has very many of few days, and the clocks of most days are not changed. */
import { parseTimestamp } from '../../definitions/values/timestamps.ts'

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
