/** Parses dates and times exactly: days that do not exist are rejected, never rolled over. */

const datePattern = /^\d{4}-\d{2}-\d{2}$/
const localPattern = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2}(?:\.\d+)?)$/
const zonedPattern =
  /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}(?::?\d{2})?)$/i

/** A calendar day `YYYY-MM-DD` of the years 0001 to 9999, or undefined. */
export const parseDate = (text: string): string | undefined => {
  if (!datePattern.test(text) || text.startsWith('0000')) return undefined
  const time = Date.parse(text)
  // A day that does not exist is rolled over, and so another one.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? text : undefined
}

const keptPattern = /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Whether a time is as answers and exports have it: no zone has to be asked, which takes ten times as long. */
const isKept = (text: string): boolean => {
  if (!keptPattern.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text
}

// What a client can write; in UTC it may be hours before or after.
const first = Temporal.Instant.from('0001-01-01T00:00:00Z')
const last = Temporal.Instant.from('9999-12-31T23:59:59.999Z')

/**
 * A time as ISO 8601 UTC with milliseconds, or undefined. Accepts `YYYY-MM-DD HH:MM:SS` in `timeZone`,
 * and ISO 8601 with an offset. What is finer than a millisecond is cut. The first and the last hours of the
 * form are the first and the last moment of it in UTC: they mean "always" and "never", in every time zone.
 */
export const parseTimestamp = (text: string, timeZone: string): string | undefined => {
  if (isKept(text)) return text
  const cut = text.replace(/(\.\d{3})\d+/, '$1')
  const moment = zonedPattern.test(cut) ? zoned(cut) : local(cut, timeZone)
  if (moment === undefined) return undefined
  const { compare } = Temporal.Instant
  const within = compare(moment, first) < 0 ? first : compare(moment, last) > 0 ? last : moment
  return within.toString({ smallestUnit: 'millisecond' })
}

const zoned = (text: string): Temporal.Instant | undefined => {
  const [, date, time, offset] = zonedPattern.exec(text) ?? []
  if (!date || !time || !offset || parseDate(date) === undefined) return undefined
  // PostgreSQL does not store leap seconds.
  if (/:60/.test(time)) return undefined
  try {
    return Temporal.Instant.from(`${date}T${time}${offset.toUpperCase()}`)
  } catch {
    return undefined
  }
}

const local = (text: string, timeZone: string): Temporal.Instant | undefined => {
  const [, date, time] = localPattern.exec(text) ?? []
  if (!date || !time || parseDate(date) === undefined || /:60/.test(time)) return undefined
  try {
    const wall = Temporal.PlainDateTime.from(`${date}T${time}`, { overflow: 'reject' })
    // When a local time occurs twice, the first is used; a local time that is skipped is invalid.
    const moment = wall.toZonedDateTime(timeZone)
    return moment.toPlainDateTime().equals(wall) ? moment.toInstant() : undefined
  } catch {
    return undefined
  }
}
