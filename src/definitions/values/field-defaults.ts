/** What a new record must be given, and what it holds where nobody says anything. */
import type { Column } from '../catalog.ts'
import type { SqlValue } from './check-value.ts'

/** Whether a record cannot be without a value of this field. */
export const isRequired = ({ field }: Pick<Column, 'field'>): boolean =>
  'required' in field && field.required === true

/** Whether a new record gets a value without being given one. */
export const hasDefault = ({ field }: Pick<Column, 'field'>): boolean =>
  (givenDefault(field) ?? null) !== null

/** The value of a new record that is not given one; times without an offset are read in `timeZone`. */
export const defaultOf = ({ field, type }: Column, timeZone: string): SqlValue => {
  const value = givenDefault(field)
  if (value === undefined || value === null) return null
  const verdict = type.check(value, timeZone)
  return 'value' in verdict ? verdict.value : null
}

const givenDefault = (field: Column['field']): unknown => (field as { default?: unknown }).default
