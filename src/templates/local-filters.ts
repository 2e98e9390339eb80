/**
 * Filters of Liquid that write numbers, days and moments as people of the project's language do: numbers with the zeros and units
 * that the console shows.
 */
import { type Context, type Liquid, toValueSync } from 'liquidjs'
import { type BoundedCache, createBoundedCache } from '../bounded-cache.ts'
import {
  currencyOptions,
  leastDecimals,
  withUnit,
} from '../definitions/values/rules/number-format.ts'
import { parseDate, parseTimestamp } from '../definitions/values/timestamps.ts'
import { shorten } from '../issues.ts'
import { isCalculated } from './exact-numbers.ts'

/** How people of a project read values. */
export type Reading = {
  /** BCP 47; English without it. */
  readonly locale: string | undefined
  /** Of moments; days have none. */
  readonly timeZone: string
}

type Print = (value: unknown, reading: Reading, unit: unknown) => unknown
type Filter = (this: { readonly context: Context }, ...values: unknown[]) => unknown

// A value that is no number or no date is returned as it came; Liquid prints it.
const filters: Readonly<Record<string, Print>> = {
  number: (value, reading, unit) => {
    const digits = digitsOf(value)
    return digits === undefined ? value : formatNumber(digits, reading, unitOf(unit))
  },
  local_date: (value, reading) => (typeof value === 'string' ? formatDate(value, reading) : value),
}

const register = 'reading'

/** Adds the filters to an engine. */
export const registerLocalFilters = (engine: Liquid): void => {
  for (const [name, print] of Object.entries(filters)) {
    const filter: Filter = function (value, argument) {
      const reading = this.context.getRegister<Reading>(register)
      return print(toValueSync(value), reading, toValueSync(argument))
    }
    engine.registerFilter(name, filter)
  }
}

/** Says how values are read in what this context renders. */
export const setReading = (context: Context, reading: Reading): void => {
  context.setRegister(register, reading)
}

type Digits = Intl.StringNumericLiteral

// As PostgreSQL prints numbers. Zeros in front are those of a code. Beyond these lengths Intl rounds: to infinity, or to zero.
const numberPattern = /^-?(0|[1-9]\d{0,299})(\.\d{1,100})?$/

const digitsOf = (value: unknown): Digits | undefined => {
  const isNumber = typeof value === 'number' || isCalculated(value)
  const text = isNumber ? String(value) : value
  return typeof text === 'string' && isDigits(text) ? text : undefined
}

const isDigits = (text: string): text is Digits => numberPattern.test(text)

// Units are texts of records, which may be long.
const longestUnit = 100

/** A unit as text: a link prints its display field. Anything else is no unit. */
const unitOf = (unit: unknown): string | undefined => {
  const text = typeof unit === 'string' ? unit : isLink(unit) ? String(unit) : ''
  return text.trim() === '' ? undefined : shorten(text.trim(), longestUnit)
}

// A link has a text of its own, which objects and lists inside of JSON have not.
const isLink = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  typeof value.toString === 'function' &&
  value.toString !== Object.prototype.toString

/** A text of digits is formatted digit by digit, whatever a number of JavaScript could hold. */
const formatNumber = (digits: Digits, { locale }: Reading, unit: string | undefined): string => {
  const least = leastDecimals(digits.split('.')[1]?.length ?? 0, unit)
  return withUnit(digits, unit, (currency) => numberFormat(locale, least, currency))
}

/** A day, or a moment in the time zone; any other text as it came. */
export const formatDate = (text: string, { locale, timeZone }: Reading): string => {
  const day = parseDate(text)
  if (day !== undefined) return dateFormat(locale, 'UTC').format(new Date(`${day}T00:00:00Z`))
  const moment = parseTimestamp(text, timeZone)
  return moment === undefined
    ? text
    : dateFormat(locale, timeZone, 'short').format(new Date(moment))
}

// Creating one costs more than using it. A process has one language, and few of the currencies.
const maxFormats = 100
const numberFormats = createBoundedCache<Intl.NumberFormat>(maxFormats)
const dateFormats = createBoundedCache<Intl.DateTimeFormat>(maxFormats)

const kept = <Format extends object>(
  formats: BoundedCache<Format>,
  key: string,
  create: () => Format,
): Format => {
  const known = formats.get(key)
  if (known) return known
  const created = create()
  formats.set(key, created)
  return created
}

// Without the second one, a language that is not known would be that of the machine.
const languagesOf = (locale = 'en'): string[] => [locale, 'en']

/** With at least so many decimals; of a currency, with its code. */
export const numberFormat = (locale: string | undefined, least: number, currency?: string) =>
  kept(numberFormats, `${locale} ${least} ${currency}`, () => {
    const decimals = { minimumFractionDigits: least, maximumFractionDigits: 100 }
    return new Intl.NumberFormat(languagesOf(locale), { ...decimals, ...currencyOptions(currency) })
  })

const dateFormat = (locale: string | undefined, timeZone: string, timeStyle?: 'short') =>
  kept(dateFormats, `${locale} ${timeZone} ${timeStyle}`, () => {
    const options = { dateStyle: 'medium', timeZone, ...(timeStyle && { timeStyle }) } as const
    return new Intl.DateTimeFormat(languagesOf(locale), options)
  })
