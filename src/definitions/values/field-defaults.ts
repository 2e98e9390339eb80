/** Required values and defaults of new records. */
import type { Column } from '../catalog.ts'
import type { SqlValue } from './check-value.ts'

/** Whether every record must have a value of this field. */
export const isRequired = ({ field }: Pick<Column, 'field'>): boolean =>
  'required' in field && field.required === true

/** Whether a new record gets a value without one in the request. */
export const hasDefault = ({ field }: Pick<Column, 'field'>): boolean =>
  (givenDefault(field) ?? null) !== null

/** The default value of a new record; times without an offset are in `timeZone`. */
export const defaultOf = ({ field, type }: Column, timeZone: string): SqlValue => {
  const value = givenDefault(field)
  if (value === undefined || value === null) return null
  const result = type.check(value, timeZone)
  return 'value' in result ? result.value : null
}

const givenDefault = (field: Column['field']): unknown => (field as { default?: unknown }).default
