/** What a setting is, and the ways to read one. */

/** Reads the text of a variable, or says what is wrong with it. */
export type Reading<T> = (text: string) => T | { readonly issue: string }

/** One row of the table of settings. */
export type Setting<T> = {
  readonly read: Reading<T>
  /** Undefined: the setting may be absent. */
  readonly fallback: string | undefined
  readonly description: string
}

/** Any text. */
export const text: Reading<string> = (value) => value
/** A whole number in a range. */
export const wholeNumber =
  (min: number, max: number): Reading<number> =>
  (value) => {
    const number = Number(value)
    return /^\d+$/.test(value) && number >= min && number <= max
      ? number
      : { issue: `must be a whole number between ${min} and ${max}` }
  }
/** One of some words. */
export const oneOf =
  <const T extends string>(...words: T[]): Reading<T> =>
  (value) =>
    words.find((word) => word === value) ?? { issue: `must be one of ${words.join(', ')}` }
/** An e-mail address. */
export const email: Reading<string> = (value) =>
  /^[^\s@]+@[^\s@]+$/.test(value)
    ? value
    : { issue: 'must be an e-mail address, such as anna@example.com' }
/** A URL of one of some protocols. */
export const url =
  (...protocols: string[]): Reading<string> =>
  (value) =>
    URL.canParse(value) && protocols.includes(new URL(value).protocol)
      ? value
      : { issue: `must be a URL beginning with ${protocols.map((p) => `${p}//`).join(' or ')}` }
/** Empty, or a path. */
export const basePath: Reading<string> = (value) =>
  /^(\/[A-Za-z0-9._~-]+)*$/.test(value)
    ? value
    : { issue: 'must be empty or a path such as /docket, without a slash at its end' }
/** An IANA time zone. */
export const timeZone: Reading<string> = (value) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) && value
  } catch {
    return { issue: 'must be an IANA time zone, such as Europe/Zagreb' }
  }
}

/** A setting with a default. */
export const setting = <T>(fallback: string, read: Reading<T>, description: string) => ({
  read,
  fallback,
  description,
})
/** A setting that may be absent. */
export const optional = <T>(read: Reading<T>, description: string) => ({
  read,
  fallback: undefined,
  description,
})
