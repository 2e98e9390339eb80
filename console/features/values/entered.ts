/** Checks values that were entered, by the rules of the service; these are loaded when a form is opened. */
import type { CheckResult } from '../../../src/definitions/values/check-value.ts'
import type { Matches } from '../../../src/definitions/values/rules/text-rules.ts'
import type { Field } from '../../api/types.ts'
import { loadNumbers } from '../format/phone-numbers.ts'

type Check = (value: unknown, field: Field, matches: Matches) => CheckResult | undefined

// Until they are there, the service decides alone.
let check: Check = () => undefined
// Larger than a page, and few fields have a pattern.
let matches: Matches = () => true
// Larger too, for a type that few entities have.
let checkPhone: Check = () => undefined

/** Loads what checks values of these fields. */
export const prepareRules = async (fields: readonly Field[]): Promise<void> => {
  check = (await import('../../../src/definitions/values/rules/check-entered.ts')).checkEntered
  if (fields.some(({ pattern }) => pattern))
    matches = (await import('../../../src/definitions/values/pattern.ts')).matchesPattern
  if (fields.some(({ type }) => type === 'phone'))
    checkPhone = ((await loadNumbers())?.checkPhone as Check | undefined) ?? checkPhone
}

export const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || value === ''

/** Whether two values are equal as JSON; a missing value is null. */
export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** What the service would say of a value; undefined of types about which it alone decides. */
export const verdictOf = (value: unknown, field: Field): CheckResult | undefined =>
  field.type === 'phone' ? checkPhone(value, field, matches) : check(value, field, matches)

/** Whether the service would refuse a value. */
export const isFaulty = (value: unknown, field: Field): boolean => {
  const verdict = isBlank(value) ? undefined : verdictOf(value, field)
  return verdict !== undefined && 'rule' in verdict
}
