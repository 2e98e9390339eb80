/** Reads the query string by a table of parameters; every issue at once, unknown names refused. */

import { didYouMean } from '../did-you-mean.ts'
import { validationError } from '../errors.ts'
import { addIssue, type Issue, isFull, shorten } from '../issues.ts'

type Reader<T> = {
  (text: string): T | { readonly issue: string }
  /** Whether the parameter may be given several times, which is the same as several values in one. */
  readonly isList?: true
}

const digits = /^\d+$/

/** A whole number from `min` to `max`. */
export const wholeNumber =
  (min: number, max: number): Reader<number> =>
  (text) => {
    const number = Number(text)
    return digits.test(text) && number >= min && number <= max
      ? number
      : { issue: `must be a whole number from ${min} to ${max}, not ${quoted(text)}` }
  }

/** `true` or `false`. */
export const flag: Reader<boolean> = (text) =>
  text === 'true' || text === 'false'
    ? text === 'true'
    : { issue: `must be true or false, not ${quoted(text)}` }

/** One of some words. */
export const oneOf =
  <const T extends string>(...words: T[]): Reader<T> =>
  (text) =>
    words.find((word) => word === text) ?? {
      issue: `must be one of ${words.join(', ')}, not ${quoted(text)}${didYouMean(text, words)}`,
    }

const readNames = (text: string): readonly string[] | { readonly issue: string } => {
  const names = text.split(',')
  return names.every((name) => name !== '')
    ? names
    : { issue: 'must be names separated by commas, none of them empty' }
}
/** Names separated by commas, in one parameter or several. */
export const nameList: Reader<readonly string[]> = Object.assign(readNames, {
  isList: true as const,
})

/** Any text, read further by whoever asks. */
export const words: Reader<string> = (text) => text

/** An IANA time zone, such as `Europe/Zagreb`. */
export const timeZoneName: Reader<string> = (text) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
  } catch {
    return { issue: `must be an IANA time zone, such as Europe/Zagreb, not ${quoted(text)}` }
  }
}

type Values<R extends Record<string, Reader<unknown>>> = {
  readonly [K in keyof R]: Exclude<ReturnType<R[K]>, { readonly issue: string }> | undefined
}

/** The parameters of the table, undefined where absent; throws request.invalid. */
export const readQuery = <R extends Record<string, Reader<unknown>>>(
  query: unknown,
  readers: R,
): Values<R> => {
  const issues: Issue[] = []
  const values: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(query as Record<string, string | string[]>)) {
    if (isFull(issues)) break
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (!reader) {
      const hint = () => didYouMean(name, Object.keys(readers))
      addIssue(issues, { path: name, message: 'is not a parameter of this path' }, hint)
    } else if (Array.isArray(given) && !reader.isList) {
      addIssue(issues, { path: name, message: 'is given more than once' })
    } else {
      const value = reader(String(given))
      if (isIssue(value)) addIssue(issues, { path: name, message: value.issue })
      else values[name] = value
    }
  }
  if (issues.length > 0) throw validationError('request.invalid', issues)
  return values as Values<R>
}

const isIssue = (value: unknown): value is { readonly issue: string } =>
  typeof value === 'object' && value !== null && 'issue' in value

const quoted = (text: string) => JSON.stringify(shorten(text, 40))

// What PostgreSQL's integer holds; a larger id is well-formed, but no record has it.
const largestId = 2147483647

/** The id of a path; `undefined` when no record can have it. */
export const readId = (text: string, name: string): number | undefined => {
  if (!/^[1-9]\d*$/.test(text))
    throw validationError('request.invalid', [
      { path: name, message: `must be a whole number from 1, not ${quoted(text)}` },
    ])
  const id = Number(text)
  return id <= largestId ? id : undefined
}
