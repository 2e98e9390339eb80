/** Checks values against fields that are written as in a definition. */

import type {
  FieldDefinition,
  FieldOf,
  FieldTypeName,
} from '../../../src/definitions/field-types.ts'
import { fieldTypeOf } from '../../../src/definitions/field-types.ts'
import type { CheckResult } from '../../../src/definitions/values/check-value.ts'

export type Settings<T extends FieldTypeName> = Omit<Partial<FieldOf<T>>, 'type'>

/** The result of checking a value of a field, with the time zone Europe/Zagreb. */
export const checkAs = <T extends FieldTypeName>(
  type: T,
  value: unknown,
  settings: Settings<T> = {} as Settings<T>,
): CheckResult => {
  const field = { key: 'field', type, ...settings } as unknown as FieldDefinition
  return fieldTypeOf(field).check(value, 'Europe/Zagreb')
}

/** The two kinds of failed checks. */
export const malformed = (message: string): CheckResult => ({ rule: 'malformed', message })
export const refused = (message: string): CheckResult => ({ rule: 'refused', message })
