/**
 * The result of checking a value against its field: the value for PostgreSQL, or an issue. `malformed` is
 * a wrong type or form (400), `refused` violates a rule of the field (422).
 */
import { shorten } from '../../issues.ts'

export type SqlValue = string | number | boolean | null

export type CheckResult =
  | { readonly value: SqlValue }
  | { readonly rule: 'malformed' | 'refused'; readonly message: string }

/** An issue that is answered 400. */
export const malformed = (message: string): CheckResult => ({ rule: 'malformed', message })
/** An issue that is answered 422. */
export const refused = (message: string): CheckResult => ({ rule: 'refused', message })

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

/** The kind of a JSON value for a message, without its content. */
export const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction'
  return (
    { string: 'a string', boolean: 'a boolean', object: 'an object' }[typeof value as string] ??
    'nothing'
  )
}

/** A value for a message: the content of a text, otherwise its kind. */
export const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(shorten(value, 40)) : kindOf(value)

/** Whether a JSON value is an object with properties. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
