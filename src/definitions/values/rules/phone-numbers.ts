/**
 * Checks telephone numbers, which are kept in E.164, and prints them as people read them. The console loads this file, with
 * the numbering plans of all countries, only where an entity has a field of the type.
 */
import {
  AsYouType,
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min'
import { checkLine, checkSearchedText } from '../check-text.ts'
import { type CheckResult, refused } from '../check-value.ts'

type PhoneRules = {
  readonly required?: boolean
  readonly default?: unknown
  /** Where a number without its country is dialled. */
  readonly region?: string
}

/** In characters, as it is typed: E.164 has at most 15 digits. */
export const longestPhone = 64

/** A number of the length that its country has. */
export const examplePhone = '+38512345678'

/** A region with numbers of its own; undefined for any other text. */
export const regionOf = (text: string | undefined): CountryCode | undefined =>
  text !== undefined && isSupportedCountry(text) ? text : undefined

/** The number that the whole text is; an extension is no part of what E.164 holds. */
const read = (text: string, region?: string) => {
  const country = regionOf(region)
  const number = parsePhoneNumberFromString(text, {
    extract: false,
    ...(country && { defaultCountry: country }),
  })
  return number?.isPossible() && number.ext === undefined ? number : undefined
}

/** What has to be typed. */
const wanted = (region: string | undefined): string => {
  const form = region === undefined ? 'with' : `as it is dialled in ${region}, or with`
  return `must be a telephone number ${form} its country and without an extension, such as +385 1 2345 678`
}

export const checkPhone = (value: unknown, field: PhoneRules): CheckResult => {
  const result = checkLine(value, field, longestPhone)
  if ('rule' in result) return result
  const number = read(String(result.value), field.region)
  return number ? { value: number.number } : refused(wanted(field.region))
}

/** A number that is compared, in E.164 if it is complete; any other text finds nothing, or what was stored in another form. */
export const checkSearchedPhone = (value: unknown, { region }: PhoneRules): CheckResult => {
  const result = checkSearchedText(value, 'line')
  if ('rule' in result) return result
  return { value: read(String(result.value), region)?.number ?? result.value }
}

// Blanks, and what people write between the digits; "(0)" is dialled without the country alone.
const between = /\(0\)|[\s()./\u2010-\u2015-]/g

/** The digits of a part of a number as they stand in E.164, whatever is between them; other texts stay. */
export const partOfPhone = (part: string, { region }: PhoneRules, isBeginning: boolean): string => {
  if (!/\d/.test(part) || /\p{L}/u.test(part)) return part
  const digits = part.replace(between, '')
  if (!isBeginning) return digits.replace(/^(%*)(00|0)(?=[1-9])/, withoutPrefix)
  const [start = ''] = digits.split(/[%_\\]/, 1)
  const typing = new AsYouType(regionOf(region))
  typing.input(start.replace(/^00/, '+'))
  return (typing.getNumberValue() ?? start) + digits.slice(start.length)
}

// What is dialled before a country or an area, which E.164 lacks.
const withoutPrefix = (_all: string, wildcards: string, prefix: string): string =>
  wildcards + (prefix === '00' ? '+' : '')

/** A number as it is dialled in the region; those of other regions have their country. */
export const printedPhone = (text: string, region: string | undefined): string => {
  const number = read(text)
  if (!number) return text
  return region !== undefined && number.country === region
    ? number.formatNational()
    : number.formatInternational()
}
