/** Numbers as people write them in their language, back to the digits that the service reads, and what they may mean. */
import { leastDecimals } from '../../../src/definitions/values/rules/number-format.ts'
import type { Field } from '../../api/types.ts'
import type { work } from '../../texts/en/work.ts'
import { kindOf } from '../format/field-kinds.ts'
import { isDigits } from '../format/format-value.ts'
import { kept, numberFormat } from '../format/formatters.ts'

/** The marks of a language: `,` and `.` in `1.204,50`. */
const marksOf = kept((locale: string) => {
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345_678.9)
  const markOf = (kind: string, usual: string) =>
    parts.find(({ type }) => type === kind)?.value ?? usual
  return { decimal: markOf('decimal', '.'), group: markOf('group', ',') }
})

/** The digits of a value with the decimal mark of the language, as an input shows them; what is no number as it is. */
export const toNumberText = (value: unknown, locale: string): string => {
  const text = value === null || value === undefined ? '' : String(value)
  return isDigits(text) ? text.replace('.', marksOf(locale).decimal) : text
}

/**
 * The digits of a value without zeros that say nothing, as `leastDecimals` says: `12.5` of `12.500`. What has more decimals
 * than its field stays as it was typed, for the user to mend.
 */
export const toMeantDigits = (value: unknown, field: Field, unit: string | undefined): unknown => {
  const [text = '', whole, decimals = ''] = /^(-?\d+)\.(\d+)$/.exec(String(value)) ?? []
  if (whole === undefined || tooManyDecimals(text, field)) return value
  const least = leastDecimals(field.scale ?? 0, unit)
  const meant = `${decimals.slice(0, least)}${decimals.slice(least).replace(/0+$/, '')}`
  return meant === '' ? whole : `${whole}.${meant}`
}

/** Whether two values are the same number, whatever zeros they are written with. */
export const isSameNumber = (one: unknown, other: unknown): boolean => {
  const digits = withoutZeros(String(one))
  return digits !== undefined && digits === withoutZeros(String(other))
}

/** The same with the marks between groups, to be read and not typed: `1.204,50`. No digit is lost, and no zero. */
export const toGroupedText = (value: unknown, locale: string): string => {
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(String(value)) ?? []
  if (whole === '') return toNumberText(value, locale)
  return `${sign}${numberFormat(locale, 0).format(BigInt(whole))}${toNumberText(`0${decimals}`, locale).slice(1)}`
}

/**
 * The digits of a text in the language: `1204.50` of `1.204,50`. A point that divides no groups of three digits is a
 * decimal mark in every language. What is no number stays as it is, for the service to say what is wrong.
 */
export const fromNumberText = (text: string, locale: string): string => {
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/.exec(text.trim().replace('−', '-')) ?? []
  const digits = digitsOf(rest, locale)
  if (digits === undefined) return text
  return sign === '-' ? `-${digits}` : digits
}

const decimalsOfExamples = 2

/** An example of how numbers are written. */
export const numberExample = (locale: string, scale: number): string =>
  numberFormat(locale, scale).format(scale === 0 ? '1250' : '1250.5')

/** The marks between groups that keyboards have no key for, as those of the language. */
const withMarks = (text: string, group: string): string =>
  /[\s’]/.test(group) ? text.replaceAll(/[\s'’]/g, group) : text

const digitsOf = (written: string, locale: string): string | undefined => {
  const { decimal, group } = marksOf(locale)
  const text = withMarks(written, group)
  const [before = '', after = '', ...more] = text.split(decimal)
  const whole = withoutGroups(before, group)
  if (more.length === 0 && whole !== undefined && /^\d*$/.test(after) && whole + after !== '')
    return after === '' ? whole : `${whole || '0'}.${after}`
  return /^\d+\.\d+$/.test(text) ? text : undefined
}

/**
 * Digits without the marks between groups of three; undefined if the marks stand anywhere else. No number with groups begins
 * with zero: the mark of `0.500` is that of decimals, whatever the language.
 */
const withoutGroups = (text: string, group: string): string | undefined => {
  const [first = '', ...others] = text.split(group)
  const isGrouped = others.every((digits) => /^\d{3}$/.test(digits))
  const isFirst = others.length > 0 ? /^[1-9]\d{0,2}$/ : /^\d*$/
  return isGrouped && isFirst.test(first) ? [first, ...others].join('') : undefined
}

/** A whole number of a text, as the service gives it: digits that a number of JavaScript cannot hold are a text. */
export const fromWholeText = (text: string, locale: string): number | string => {
  const digits = fromNumberText(text, locale)
  const number = Number(digits)
  return Number.isSafeInteger(number) && String(number) === digits ? number : digits
}

type Digits = Intl.StringNumericLiteral

/**
 * A number with more decimals than its field has. Its mark may have been meant to divide groups of three digits, as other
 * languages write them, so nothing is sent until the user has typed what is meant.
 */
export type TooManyDecimals = {
  readonly value: string
  readonly count: number
  readonly most: number
  /** The number, if the mark divides groups; undefined where it cannot. */
  readonly grouped: Digits | undefined
  /** The number, if the mark is that of decimals; undefined where it would have to be rounded. */
  readonly decimal: Digits | undefined
}

/** Undefined for fields that take any number of decimals. */
const mostDecimals = (field: Field): number | undefined =>
  kindOf(field).hasDecimals && field.precision === undefined ? undefined : (field.scale ?? 0)

const withoutZeros = (text: string): Digits | undefined => {
  const digits = text.replace(/\.0*$|(?<=\..*)0+$/, '')
  return isDigits(digits) ? digits : undefined
}

/** Undefined for numbers that the field takes, and for what is no number. */
export const tooManyDecimals = (given: unknown, field: Field): TooManyDecimals | undefined => {
  const value = String(given)
  const [, whole = '', decimals = ''] = /^(-?\d+)\.(\d+)$/.exec(value) ?? []
  const most = mostDecimals(field)
  if (most === undefined || decimals.length <= most) return undefined
  const isGroup = decimals.length === 3 && /^-?[1-9]\d{0,2}$/.test(whole)
  const isExact = /^0*$/.test(decimals.slice(most))
  return {
    value,
    count: decimals.length,
    most,
    grouped: isGroup ? withoutZeros(whole + decimals) : undefined,
    decimal: isExact ? withoutZeros(value) : undefined,
  }
}

/** Says what is wrong, and what to type for each number that may be meant. */
export const printTooMany = (
  { value, count, most, grouped, decimal }: TooManyDecimals,
  texts: (typeof work)['values'],
  locale: string,
): string => {
  const typed = (digits: Digits | undefined, scale: number): readonly string[] => {
    if (digits === undefined) return []
    const text = numberFormat(locale, Math.min(scale, decimalsOfExamples)).format(digits)
    const meaning = toNumberText(digits, locale)
    return [text === meaning ? text : texts.meant(text, meaning)]
  }
  const ways = [...typed(grouped, 0), ...typed(decimal, most)]
  if (most === 0 && ways.length === 0) return texts.whole(numberExample(locale, 0))
  const isRounded = most > 0 && decimal === undefined
  const all = isRounded ? [...ways, texts.fewer] : ways
  return texts.tooMany(toNumberText(value, locale), count, most, all)
}
