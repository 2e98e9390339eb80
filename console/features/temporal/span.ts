/** A time between two moments, which a rule compares with as with one value: a day, a minute or a second. */

export type Span = { readonly first: string; readonly last: string }

export const isSpan = (value: unknown): value is Span =>
  typeof value === 'object' && value !== null && 'first' in value && 'last' in value

const hourMs = 3_600_000
// Days on which clocks change are shorter or longer, by half an hour or more.
const [shortestDay, longestDay] = [22 * hourMs, 26 * hourMs]
const lengths: ReadonlySet<number> = new Set([1_000, 60_000])

/** The span of two ends; undefined for what nobody has typed as one time. */
export const spanOf = (first: unknown, last: unknown): Span | undefined => {
  if (typeof first !== 'string' || typeof last !== 'string') return undefined
  if (!first.endsWith('.000Z') || !last.endsWith('.999Z')) return undefined
  const length = Date.parse(last) + 1 - Date.parse(first)
  const isDay = length >= shortestDay && length <= longestDay
  return isDay || lengths.has(length) ? { first, last } : undefined
}
