/** Defines settings, and parsers for their values. */

/** Parses the text of a variable, or returns an issue. */
export type Parser<T> = (text: string) => T | { readonly issue: string }

/** One row of the table of settings. */
export type Setting<T> = {
  readonly read: Parser<T>
  /** Undefined: the setting may be absent. */
  readonly fallback: string | undefined
  readonly description: string
}

/** Any text. */
export const text: Parser<string> = (value) => value
/** A whole number in a range. */
export const wholeNumber =
  (min: number, max: number): Parser<number> =>
  (value) => {
    const number = Number(value)
    return /^\d+$/.test(value) && number >= min && number <= max
      ? number
      : { issue: `must be a whole number between ${min} and ${max}` }
  }
/** From 0 to 1. */
export const share: Parser<number> = (value) => {
  const number = Number(value)
  return /^(0|1|[01]?\.\d+)$/.test(value) && number <= 1
    ? number
    : { issue: 'must be a number between 0 and 1, such as 0.05' }
}
/** One of several words. */
export const oneOf =
  <const T extends string>(...words: T[]): Parser<T> =>
  (value) =>
    words.find((word) => word === value) ?? { issue: `must be one of ${words.join(', ')}` }
/** An e-mail address. */
export const email: Parser<string> = (value) =>
  /^[^\s@]+@[^\s@]+$/.test(value)
    ? value
    : { issue: 'must be an e-mail address, such as anna@example.com' }
/** A URL with one of several protocols. */
export const url =
  (...protocols: string[]): Parser<string> =>
  (value) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol)
      ? value
      : { issue: `must be a URL beginning with ${protocols.map((p) => `${p}//`).join(' or ')}` }
/** Several values of one kind, separated by blanks; each once. */
export const several =
  (one: Parser<string>): Parser<readonly string[]> =>
  (value) => {
    const all = [...new Set(value.split(/\s+/).filter((part) => part !== ''))]
    for (const part of all) {
      const read = one(part)
      if (typeof read !== 'string') return read
    }
    return all.length > 0 ? all : { issue: 'must not be empty' }
  }
/** Values by name. */
export type Pairs = ReadonlyMap<string, string>

/** Pairs `name=value`, separated by blanks, each name once. */
export const pairs =
  (isValue: (value: string) => boolean, meaning: string): Parser<Pairs> =>
  (text) => {
    const found = text
      .split(/\s+/)
      .filter((pair) => pair !== '')
      .map((pair) => /^([a-z][a-z0-9_-]{0,62})=(.+)$/.exec(pair) ?? [])
    const isWhole = found.every(([, name, value]) => name !== undefined && isValue(value ?? ''))
    const names = new Set(found.map(([, name]) => name))
    return isWhole && names.size === found.length
      ? new Map(found.map(([, name = '', value = '']) => [name, value]))
      : { issue: `must be pairs such as name=${meaning}, separated by blanks, each name once` }
  }
/** Empty, or a path. */
export const basePath: Parser<string> = (value) =>
  /^(\/[A-Za-z0-9._~-]+)*$/.test(value)
    ? value
    : { issue: 'must be empty or a path such as /docket, without a slash at its end' }
/** An IANA time zone. */
export const timeZone: Parser<string> = (value) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) && value
  } catch {
    return { issue: 'must be an IANA time zone, such as Europe/Zagreb' }
  }
}

/** A setting with a default. */
export const setting = <T>(fallback: string, read: Parser<T>, description: string) => ({
  read,
  fallback,
  description,
})
/** A setting that may be absent. */
export const optional = <T>(read: Parser<T>, description: string) => ({
  read,
  fallback: undefined,
  description,
})
