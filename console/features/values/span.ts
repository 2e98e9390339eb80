/** A time between two moments, which a rule compares with as with one value: a day, a minute or a second. */

export type Span = { readonly first: string; readonly last: string }

export const isSpan = (value: unknown): value is Span =>
  typeof value === 'object' && value !== null && 'first' in value && 'last' in value

const hourMs = 3_600_000

/** The span of two ends; undefined for what nobody has typed as one time. */
export const spanOf = (first: unknown, last: unknown): Span | undefined => {
  if (!/\.000Z$/.test(String(first)) || !/\.999Z$/.test(String(last))) return undefined
  const length = Date.parse(String(last)) + 1 - Date.parse(String(first))
  // Days on which clocks change are shorter or longer.
  const isDay = length > 21 * hourMs && length < 27 * hourMs
  return isDay || length === 60_000 || length === 1_000
    ? { first: String(first), last: String(last) }
    : undefined
}
