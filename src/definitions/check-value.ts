/**
 * Checks one JSON value against its field and gives the value that PostgreSQL receives. `malformed`
 * is a value of a wrong type or form (400), `refused` one that breaks the field's rules (422).
 */
import { shorten } from '../mistakes.ts'
import { suggestion } from '../near-miss.ts'
import type { FieldOf } from './field-definition.ts'
import { parseDate, parseTimestamp } from './timestamps.ts'

export type SqlValue = string | number | boolean | null

export type Verdict =
  | { readonly value: SqlValue }
  | { readonly rule: 'malformed' | 'refused'; readonly message: string }

type Context = { readonly timeZone: string }

/** A verdict: 400. */
export const malformed = (message: string): Verdict => ({ rule: 'malformed', message })
/** A verdict: 422. */
export const refused = (message: string): Verdict => ({ rule: 'refused', message })

export const checkInteger = (
  value: unknown,
  field: { readonly min?: number; readonly max?: number },
): Verdict => {
  if (typeof value !== 'number' || !Number.isInteger(value))
    return malformed(`must be a whole number, not ${kindOf(value)}`)
  if (value < -2147483648 || value > 2147483647)
    return refused('must lie between -2147483648 and 2147483647')
  return inRange(value, field, (a, b) => a - b)
}

export const checkBigint = (value: unknown, field: FieldOf<'bigint'>): Verdict => {
  const number = wholeNumber(value)
  if (number === undefined)
    return malformed(
      `must be a whole number, or a string of digits beyond the safe range of JSON numbers, not ${shown(value)}`,
    )
  if (BigInt.asIntN(64, number) !== number)
    return refused('must lie between -9223372036854775808 and 9223372036854775807')
  const verdict = inRange(
    number.toString(),
    {
      ...(field.min !== undefined && { min: `${field.min}` }),
      ...(field.max !== undefined && { max: `${field.max}` }),
    },
    compareDecimals,
  )
  return verdict
}

const wholeNumber = (value: unknown): bigint | undefined => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?\d{1,30}$/.test(value)) return BigInt(value)
  return undefined
}

const decimalPattern = /^-?\d+(\.\d+)?$/

export const checkDecimal = (value: unknown, field: FieldOf<'decimal'>): Verdict => {
  const text = decimalText(value)
  if (text === undefined)
    return malformed(`must be a decimal number as a string, such as "12.50", not ${shown(value)}`)
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.')
  if (whole.length + fraction.length > 1000) return refused('has more than 1000 digits')
  const wholeDigits = whole.replace(/^0+/, '').length
  if (field.precision !== undefined) {
    const scale = field.scale ?? 0
    if (withoutEndingZeros(fraction).length > scale)
      return refused(`has more than ${scale} digits after the point`)
    if (wholeDigits > field.precision - scale)
      return refused(`has more than ${field.precision - scale} digits before the point`)
  }
  const verdict = inRange(text, field, compareDecimals)
  return 'rule' in verdict ? verdict : { value: canonicalDecimal(text, field) }
}

// A pattern that ends the text would look for the end at every zero.
const withoutEndingZeros = (digits: string): string => {
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}

/** As PostgreSQL prints it: no leading zeros, the scale of the field filled up, no minus zero. */
const canonicalDecimal = (text: string, field: FieldOf<'decimal'>): string => {
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.')
  const digits = whole.replace(/^0+(?=\d)/, '')
  const kept =
    field.precision === undefined
      ? fraction
      : fraction.slice(0, field.scale ?? 0).padEnd(field.scale ?? 0, '0')
  const number = kept === '' ? digits : `${digits}.${kept}`
  return text.startsWith('-') && /[1-9]/.test(number) ? `-${number}` : number
}

/** A JSON number is taken while it holds every digit that was sent: at most 15 of them. */
const decimalText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return decimalPattern.test(value) ? value : undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  const text = String(value)
  return decimalPattern.test(text) && text.replace(/[-.]/g, '').length <= 15 ? text : undefined
}

/** Compares two decimal numbers written as text, exactly. */
const compareDecimals = (a: string, b: string): number => {
  const scale = Math.max(fractionOf(a).length, fractionOf(b).length)
  const difference = scaled(a, scale) - scaled(b, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
const fractionOf = (text: string) => text.split('.')[1] ?? ''
const scaled = (text: string, scale: number) =>
  BigInt(text.split('.')[0] + fractionOf(text).padEnd(scale, '0'))

export const checkBoolean = (value: unknown): Verdict =>
  typeof value === 'boolean' ? { value } : malformed(`must be true or false, not ${kindOf(value)}`)

export const checkDate = (value: unknown, field: FieldOf<'date'>): Verdict => {
  const date = typeof value === 'string' ? parseDate(value) : undefined
  if (date === undefined)
    return malformed(`must be a day that exists, as YYYY-MM-DD, not ${shown(value)}`)
  return inRange(date, field, compareText)
}

export const checkTimestamp = (
  value: unknown,
  field: { readonly min?: string; readonly max?: string },
  context: Context,
): Verdict => {
  const moment = typeof value === 'string' ? parseTimestamp(value, context.timeZone) : undefined
  if (moment === undefined)
    return malformed(
      `must be a time that exists, as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not ${shown(value)}`,
    )
  const bound = (text: string | undefined) =>
    text === undefined ? undefined : parseTimestamp(text, context.timeZone)
  const min = bound(field.min)
  const max = bound(field.max)
  return inRange(moment, { ...(min && { min }), ...(max && { max }) }, compareText)
}

export const checkEnum = (value: unknown, field: FieldOf<'enum'>): Verdict => {
  if (typeof value !== 'string') return malformed(`must be a string, not ${kindOf(value)}`)
  if (field.values.includes(value)) return { value }
  return refused(
    `must be one of ${field.values.map((word) => `"${word}"`).join(', ')}${suggestion(value, field.values)}`,
  )
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const inRange = <T extends string | number>(
  value: T,
  range: { readonly min?: T | undefined; readonly max?: T | undefined },
  compare: (a: T, b: T) => number,
): Verdict => {
  if (range.min !== undefined && compare(value, range.min) < 0)
    return refused(`must be at least ${range.min}`)
  if (range.max !== undefined && compare(value, range.max) > 0)
    return refused(`must be at most ${range.max}`)
  return { value }
}

/** Names the kind of a JSON value in a message, without its content. */
export const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction'
  return (
    { string: 'a string', boolean: 'a boolean', object: 'an object' }[typeof value as string] ??
    'nothing'
  )
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(shorten(value, 40)) : kindOf(value)
