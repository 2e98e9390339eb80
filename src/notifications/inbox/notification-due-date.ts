/** The distance of a time from now, in words: "in 1 day", "vor 2 Stunden". */
import { acceptedTags } from '../../http/endpoint/answer-language.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

// The largest unit of which there is at least one, after rounding: 23 h 50 min is a day.
const units = [
  { unit: 'second', ms: 1000, below: 60 },
  { unit: 'minute', ms: minuteMs, below: 60 },
  { unit: 'hour', ms: hourMs, below: 24 },
  { unit: 'day', ms: dayMs, below: 30 },
  { unit: 'month', ms: 30.436875 * dayMs, below: 12 },
  { unit: 'year', ms: 365.2425 * dayMs, below: Number.POSITIVE_INFINITY },
] as const

/** The distance as text; negative is past. */
export const relativeTime = (distanceMs: number, language: string): string => {
  const format = formatOf(language)
  for (const { unit, ms, below } of units) {
    const amount = Math.round(Math.abs(distanceMs) / ms)
    // Negative zero is in the past: "0 seconds ago".
    if (amount < below) return format.format(distanceMs < 0 ? -amount : amount, unit)
  }
  return ''
}

// Creating one costs more than using it; callers choose the language, so their number is limited.
const formats = new Map<string, Intl.RelativeTimeFormat>()
const maxFormats = 200

const formatOf = (language: string): Intl.RelativeTimeFormat => {
  const known = formats.get(language)
  if (known) return known
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
