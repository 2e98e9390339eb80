/** Checks numbers: their form, their digits and their range. */
import type { Digits } from '../../field-types/field-type.ts'
import { type CheckResult, inRange, kindOf, malformed, refused, shown } from '../check-value.ts'

/** Ends of the range of 32 bits. */
export const smallest = -2147483648
export const largest = 2147483647

/** Compares two decimal numbers written as text, exactly. */
const compareDecimals = (a: string, b: string): number => {
  const scale = Math.max(fractionOf(a).length, fractionOf(b).length)
  const difference = scaled(a, scale) - scaled(b, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
const fractionOf = (text: string) => text.split('.')[1] ?? ''
const scaled = (text: string, scale: number) =>
  BigInt(text.split('.')[0] + fractionOf(text).padEnd(scale, '0'))

type Rules = Digits & { readonly min?: string; readonly max?: string }

export const checkDecimal = (value: unknown, field: Rules): CheckResult => {
  const text = textOf(value)
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
  const result = inRange(text, field, compareDecimals)
  return 'rule' in result ? result : { value: canonicalDecimal(text, field) }
}

const decimalPattern = /^-?\d+(\.\d+)?$/

/** A JSON number is accepted up to 15 digits, which it holds exactly. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return decimalPattern.test(value) ? value : undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  const text = String(value)
  return decimalPattern.test(text) && text.replace(/[-.]/g, '').length <= 15 ? text : undefined
}

// A pattern anchored at the end would search it from every zero.
const withoutEndingZeros = (digits: string): string => {
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}

/** As PostgreSQL prints it: no leading zeros, padded to the scale of the field, no minus zero. */
const canonicalDecimal = (text: string, { precision, scale = 0 }: Digits): string => {
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.')
  const digits = whole.replace(/^0+(?=\d)/, '')
  const kept = precision === undefined ? fraction : fraction.slice(0, scale).padEnd(scale, '0')
  const number = kept === '' ? digits : `${digits}.${kept}`
  return text.startsWith('-') && /[1-9]/.test(number) ? `-${number}` : number
}

export const checkInteger = (
  value: unknown,
  field: { readonly min?: number | undefined; readonly max?: number | undefined },
): CheckResult => {
  if (typeof value !== 'number' || !Number.isInteger(value))
    return malformed(`must be a whole number, not ${kindOf(value)}`)
  if (value < smallest || value > largest)
    return refused(`must be between ${smallest} and ${largest}`)
  return inRange(value, field, (a, b) => a - b)
}

const wholeNumber = (value: unknown): bigint | undefined => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?\d{1,30}$/.test(value)) return BigInt(value)
  return undefined
}

type BigRange = { readonly min?: number | string; readonly max?: number | string }

export const checkBigint = (value: unknown, { min, max }: BigRange): CheckResult => {
  const number = wholeNumber(value)
  if (number === undefined)
    return malformed(
      `must be a whole number, or a string of digits beyond the safe range of JSON numbers, not ${shown(value)}`,
    )
  if (BigInt.asIntN(64, number) !== number)
    return refused('must be between -9223372036854775808 and 9223372036854775807')
  const range = { min: min?.toString(), max: max?.toString() }
  return inRange(number.toString(), range, compareDecimals)
}
