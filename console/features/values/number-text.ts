/** Numbers as people write them in their language, and back to the digits that the service reads. */
import { numberFormat } from './formatters.ts'

/** The marks of a language: `,` and `.` in `1.204,50`. */
const marksOf = (locale: string) => {
  const parts = new Intl.NumberFormat(locale).formatToParts(12_345_678.9)
  const markOf = (kind: string, usual: string) =>
    parts.find(({ type }) => type === kind)?.value ?? usual
  return { decimal: markOf('decimal', '.'), group: markOf('group', ',') }
}

/** The digits of a value with the decimal mark of the language, as an input shows them. */
export const toNumberText = (value: unknown, locale: string): string =>
  value === null || value === undefined ? '' : String(value).replace('.', marksOf(locale).decimal)

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

/** Digits without the marks between groups of three; undefined if the marks stand anywhere else. */
const withoutGroups = (text: string, group: string): string | undefined => {
  const [first = '', ...others] = text.split(group)
  const isGrouped = others.every((digits) => /^\d{3}$/.test(digits))
  const isFirst = others.length > 0 ? /^\d{1,3}$/ : /^\d*$/
  return isGrouped && isFirst.test(first) ? [first, ...others].join('') : undefined
}

/** A whole number of a text, as the service gives it: digits that a number of JavaScript cannot hold are a text. */
export const fromWholeText = (text: string, locale: string): number | string => {
  const digits = fromNumberText(text, locale)
  const number = Number(digits)
  return Number.isSafeInteger(number) && String(number) === digits ? number : digits
}
