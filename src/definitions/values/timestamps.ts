/** Parses dates and times exactly: days that do not exist are rejected, never rolled over. */

const datePattern = /^\d{4}-\d{2}-\d{2}$/
const localPattern = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?)$/
const zonedPattern =
  /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:?\d{2})$/i

/** A calendar day `YYYY-MM-DD` of the years 0001 to 9999, or undefined. */
export const parseDate = (text: string): string | undefined => {
  if (!datePattern.test(text) || text.startsWith('0000')) return undefined
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString()
  } catch {
    return undefined
  }
}

/**
 * A time as ISO 8601 UTC with milliseconds, or undefined. Accepts `YYYY-MM-DD HH:MM:SS` in `timeZone`,
 * and ISO 8601 with an offset.
 */
export const parseTimestamp = (text: string, timeZone: string): string | undefined => {
  const moment = zonedPattern.test(text) ? zoned(text) : local(text, timeZone)
  if (moment === undefined) return undefined
  const printed = moment.toString({ smallestUnit: 'millisecond' })
  // Years before 1 and after 9999 print with a sign: PostgreSQL's text and ours would differ.
  return /^\d{4}-/.test(printed) && !printed.startsWith('0000') ? printed : undefined
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
