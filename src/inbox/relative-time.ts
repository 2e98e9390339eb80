/** The distance of a time from now, in words: "in 1 day", "vor 2 Stunden". */
import { acceptedTags } from '../http/endpoint/answer-language.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

// The largest unit of which there is at least one, after rounding: 23 h 50 min is a day.
const shortUnits = [
  { unit: 'second', ms: 1000, below: 60 },
  { unit: 'minute', ms: minuteMs, below: 60 },
  { unit: 'hour', ms: hourMs, below: 24 },
] as const

const longUnits = [
  { unit: 'day', days: 1, below: 30 },
  { unit: 'month', days: 30.436875, below: 12 },
  { unit: 'year', days: 365.2425, below: Number.POSITIVE_INFINITY },
] as const

/** The language of a relative time, and the zone in which its days begin. */
export type Wording = { readonly language: string; readonly timeZone: string }

/** How far one time, in milliseconds, is from another, as text. From a day on, days of the calendar count. */
export const relativeTime = (at: number, now: number, { language, timeZone }: Wording): string => {
  const format = formatOf(language)
  // Negative zero is in the past: "0 seconds ago".
  const print = (amount: number, unit: Intl.RelativeTimeFormatUnit) =>
    format.format(at < now ? -amount : amount, unit)
  for (const { unit, ms, below } of shortUnits) {
    const amount = Math.round(Math.abs(at - now) / ms)
    if (amount < below) return print(amount, unit)
  }
  // Minutes before midnight are a day too.
  const days = Math.max(daysBetween(at, now, timeZone), 1)
  for (const { unit, days: length, below } of longUnits) {
    const amount = Math.round(days / length)
    if (amount < below) return print(amount, unit)
  }
  return ''
}

const daysBetween = (at: number, now: number, timeZone: string): number => {
  const dayOf = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDate()
  return Math.abs(dayOf(now).until(dayOf(at)).days)
}

// Creating one costs more than using it; callers choose the language, so their number is limited.
const formats = new Map<string, Intl.RelativeTimeFormat>()
const maxFormats = 200

const formatOf = (language: string): Intl.RelativeTimeFormat => {
  const existing = formats.get(language)
  if (existing) return existing
  const made = new Intl.RelativeTimeFormat(language, { numeric: 'always' })
  if (formats.size < maxFormats) formats.set(language, made)
  return made
}

/** The caller's preferred language (`Accept-Language`) of those that are available here. */
export const readLanguage = (header: string | undefined, fallback: string): string => {
  for (const tag of acceptedTags(header)) {
    const language = supported(tag)
    if (language !== undefined) return language
  }
  return supported(fallback) ?? 'en'
}

/** The language and region of a tag; its extensions could request an unlimited number of digit styles. */
const supported = (tag: string): string | undefined => {
  try {
    const { baseName } = new Intl.Locale(tag)
    return Intl.RelativeTimeFormat.supportedLocalesOf(baseName)[0]
  } catch {
    return undefined
  }
}
