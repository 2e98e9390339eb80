/** Days and moments as people write them in their language, and back to local texts. */
import { dayFormat } from '../format/formatters.ts'
import { monthNames, nearDays, partOrder, timedFormat } from './day-formatters.ts'
import { dayMs, isShownYear, localTextOf, timeOf } from './local-text.ts'

const minuteMs = 60_000

export type Piece = {
  readonly type: Intl.DateTimeFormatPartTypes
  readonly text: string
}

/** The finest part of a time that is not zero is shown: nothing that is saved is hidden. */
const timeStyleOf = (time: number): 'short' | 'medium' =>
  time % minuteMs === 0 ? 'short' : 'medium'

/** What a local text reads like, in pieces; undefined for what is none. Years have four digits: `12` would be another one. */
export const piecesOf = (
  local: string,
  locale: string,
  hasTime: boolean,
): readonly Piece[] | undefined => {
  const time = timeOf(local)
  if (time === undefined) return undefined
  const format = hasTime ? timedFormat(locale, timeStyleOf(time)) : dayFormat(locale)
  const fraction = new Date(time).toISOString().slice(-4, -1)
  return format.formatToParts(time).flatMap(({ type, value }): Piece[] => {
    if (type === 'year') return [{ type, text: value.padStart(4, '0') }]
    if (type !== 'second' || fraction === '000') return [{ type, text: value }]
    return [
      { type, text: value },
      { type: 'literal', text: '.' },
      { type: 'fractionalSecond', text: fraction },
    ]
  })
}

/** A local text as people write it: `4 May 2026`, `4 May 2026, 10:30`; what is none as it is. */
export const printLocal = (local: string, locale: string, hasTime: boolean): string =>
  piecesOf(local, locale, hasTime)
    ?.map(({ text }) => text)
    .join('') ?? local

/** An example of how days or moments are written, with a day that is no month. */
export const temporalExample = (locale: string, kind: 'day' | 'moment'): string =>
  kind === 'day'
    ? printLocal('2026-05-24', locale, false)
    : printLocal('2026-05-24T10:30', locale, true)

// Nobody writes a longer day.
const mostCharacters = 60

/** The local text of what the user typed; undefined for what is no day, or no time. `today` is a day: `2026-05-04`. A day alone has the usual time. */
export const readLocal = (
  typed: string,
  locale: string,
  hasTime: boolean,
  today: string,
  usualTime = '00:00:00.000',
): string | undefined => {
  const text = typed.trim().toLocaleLowerCase(locale)
  if (text.length > mostCharacters) return undefined
  if (!hasTime) return readDay(text, locale, today)
  const [, before = text, clock = ''] = timeAtEnd.exec(text) ?? []
  const day = readDay(before, locale, today)
  const time = clock === '' ? usualTime : readTime(clock)
  return day === undefined || time === undefined ? undefined : `${day}T${time}`
}

// A day, and behind a space, a comma or the T of ISO 8601 a time, of which a colon or its half of the day tells.
const timeAtEnd = /^(.*?[^\s,t])(?:[\s,]+|t)(\d{1,2}(?::[\d:.,]+)?\s?(?:[ap]\.?m\.?)?)$/
const clockParts = /^(\d{1,2})(?::(\d\d))?(?::(\d\d))?(?:[.,](\d{1,3}))?\s?(?:([ap])\.?m\.?)?$/

/** `10:30:00.000` of `10:30`, `10:30 am` and the like. */
const readTime = (text: string): string | undefined => {
  const [found, hours = '', minutes, seconds = '00', fraction = '', half] =
    clockParts.exec(text) ?? []
  if (found === undefined || (minutes === undefined && half === undefined)) return undefined
  const hour = hourOf(Number(hours), half)
  if (hour === undefined || Number(minutes ?? 0) > 59 || Number(seconds) > 59) return undefined
  return `${String(hour).padStart(2, '0')}:${minutes ?? '00'}:${seconds}.${fraction.padEnd(3, '0')}`
}

/** Of 24 hours, of an hour of a half of the day or of a whole one. */
const hourOf = (hour: number, half: string | undefined): number | undefined => {
  if (half === undefined) return hour < 24 ? hour : undefined
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half === 'p' ? 12 : 0)
}

type Kind = 'day' | 'month' | 'year'
type DayParts = Readonly<Record<Kind, string>>

/** `2026-05-04` of `4.5.26`, `04/05/2026`, `4 May`, `2026-05-04`, `040526` and `tomorrow`, in the order of the language. */
const readDay = (typed: string, locale: string, today: string): string | undefined => {
  // French: the apostrophe of keyboards (`aujourd'hui`), and the only day of a month that is an ordinal.
  const text = typed.replaceAll("'", '’').replace(/^1er\b/, '1')
  const near = nearDays(locale).get(text)
  if (near !== undefined) return localTextOf((timeOf(today) ?? 0) + near * dayMs, false)
  const tokens = text.replace(/[.\s]+$/, '').split(/[\s.,/-]+/)
  const year = today.slice(0, 4)
  const parts = tokens.every(isDigits)
    ? ofNumbers(tokens, partOrder(locale, 'numeric'), year)
    : ofWords(tokens, locale, year)
  return parts && isoOf(parts, year)
}

const isDigits = (token: string): boolean => /^\d{1,8}$/.test(token)

const partsOf = (order: readonly Kind[], tokens: readonly string[], year: string): DayParts => {
  const found = Object.fromEntries(order.map((kind, at) => [kind, tokens[at] ?? '']))
  return { day: '', month: '', year, ...found }
}

/** Two numbers are a day of this year; one of six or eight digits is a day without marks. */
const ofNumbers = (
  tokens: readonly string[],
  order: readonly Kind[],
  year: string,
): DayParts | undefined => {
  const [first = ''] = tokens
  if (tokens.length === 1 && (first.length === 6 || first.length === 8))
    return partsOf(order, splitDigits(first, order), year)
  const isYearFirst = first.length >= 4
  if (tokens.length === 3)
    return partsOf(isYearFirst ? ['year', 'month', 'day'] : order, tokens, year)
  const ofYear = order.filter((kind) => kind !== 'year')
  return tokens.length === 2 && !isYearFirst ? partsOf(ofYear, tokens, year) : undefined
}

const splitDigits = (digits: string, order: readonly Kind[]): readonly string[] => {
  let at = 0
  return order.map((kind) => {
    const from = at
    at += kind === 'year' ? digits.length - 4 : 2
    return digits.slice(from, at)
  })
}

/** A month by its name, with the day and perhaps the year around it. */
const ofWords = (tokens: readonly string[], locale: string, year: string): DayParts | undefined => {
  const [word = '', ...others] = tokens.filter((token) => !isDigits(token))
  const month = others.length === 0 ? monthOf(word, locale) : undefined
  const [first = '', second = '', ...more] = tokens.filter(isDigits)
  if (month === undefined || first === '' || more.length > 0) return undefined
  if (second === '') return { day: first, month, year }
  const isYearFirst = first.length > 2 || partOrder(locale, 'medium')[0] === 'year'
  return isYearFirst ? { day: second, month, year: first } : { day: first, month, year: second }
}

// `may` and `mai` are whole names.
const leastLetters = 3

/** The number of the only month whose name begins so. */
const monthOf = (word: string, locale: string): string | undefined => {
  const names = monthNames(locale)
  const exact = names.get(word)
  if (exact !== undefined) return String(exact)
  const begun = [...names].filter(([name]) => name.startsWith(word)).map(([, month]) => month)
  const isOne = word.length >= leastLetters && new Set(begun).size === 1
  return isOne ? String(begun[0]) : undefined
}

/** Of two digits, the year with them that is at most 20 years ahead, else in the hundred years before. */
const yearOf = (digits: string, now: number): number => {
  const written = Number(digits)
  if (digits.length > 2) return written
  const inCentury = now - (now % 100) + written
  return inCentury > now + 20 ? inCentury - 100 : inCentury < now - 79 ? inCentury + 100 : inCentury
}

const isoOf = ({ day, month, year }: DayParts, thisYear: string): string | undefined => {
  const two = (digits: string) => digits.padStart(2, '0')
  const iso = `${String(yearOf(year, Number(thisYear))).padStart(4, '0')}-${two(month)}-${two(day)}`
  const time = timeOf(iso)
  // JavaScript reads the 31st of April as the first of May.
  const isDay = time !== undefined && localTextOf(time, false) === iso
  return isDay && isShownYear(iso) ? iso : undefined
}
