/**
 * What the check of a value against its field says: the value that PostgreSQL receives, or why not.
 * `malformed` is a value of a wrong type or form (400), `refused` one that breaks the field's rules (422).
 */
import { shorten } from '../../issues.ts'

export type SqlValue = string | number | boolean | null

export type CheckResult =
  | { readonly value: SqlValue }
  | { readonly rule: 'malformed' | 'refused'; readonly message: string }

/** A verdict: 400. */
export const malformed = (message: string): CheckResult => ({ rule: 'malformed', message })
/** A verdict: 422. */
export const refused = (message: string): CheckResult => ({ rule: 'refused', message })

/** A value that may lie between two ends. */
export const inRange = <T extends string | number>(
  value: T,
  range: { readonly min?: T | undefined; readonly max?: T | undefined },
  compare: (a: T, b: T) => number,
): CheckResult => {
  if (range.min !== undefined && compare(value, range.min) < 0)
    return refused(`must be at least ${range.min}`)
  if (range.max !== undefined && compare(value, range.max) > 0)
    return refused(`must be at most ${range.max}`)
  return { value }
}

/** Names the kind of a JSON value in a message, without its content. */
export const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction'
  return (
    { string: 'a string', boolean: 'a boolean', object: 'an object' }[typeof value as string] ??
    'nothing'
  )
}

/** A value in a message: a text with its content, else its kind. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(shorten(value, 40)) : kindOf(value)
