/** Formatters of numbers and moments, made once: a list formats hundreds of values in a frame. */
import { currencyOptions } from '../../../src/definitions/values/rules/number-format.ts'

/** The function with its results kept by their arguments, which are few: languages, zones, numbers of digits. */
export const kept = <A extends readonly (string | number | boolean | undefined)[], T>(
  create: (...args: A) => T,
) => {
  const results = new Map<string, T>()
  return (...args: A): T => {
    const key = args.join(' ')
    const found = results.get(key) ?? create(...args)
    results.set(key, found)
    return found
  }
}

// Systems give browsers tags such as `en-US@posix` too.
const isTag = (text: string): boolean => {
  try {
    return Intl.getCanonicalLocales(text).length > 0
  } catch {
    return false
  }
}

const regional = kept(
  (language: string, ...spoken: readonly string[]) =>
    spoken.find((one) => one.split('-')[0] === language && isTag(one)) ?? language,
)

/** A language as the user's region writes it: `en-GB`, with days before months, where the browser says so. */
export const regionalLocale = (language: string): string =>
  regional(language, ...navigator.languages)

/** Numbers with all of their decimals that say something, and with zeros where they have fewer than the given number. */
export const numberFormat = kept(
  (locale: string, least: number, currency?: string, useGrouping?: boolean) => {
    return new Intl.NumberFormat(locale, {
      maximumFractionDigits: 100,
      minimumFractionDigits: least,
      useGrouping,
      ...currencyOptions(currency),
    })
  },
)

/** Days, which have no zone: of their midnight in UTC. */
export const dayFormat = kept((locale: string) => {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
})

export const momentFormat = kept((locale: string, timeZone: string) => {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
})

export const zoneNameFormat = kept((locale: string, timeZone: string) => {
  return new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })
})
