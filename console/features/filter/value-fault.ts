/** What is wrong with the value of a condition before it is sent. */
import { readMovingTime } from '../../../src/definitions/values/rules/moving-times.ts'
import type { Field } from '../../api/types.ts'
import { kindOf, type ReadingFault } from '../format/field-kinds.ts'
import type { TooManyDecimals } from '../values/number-text.ts'
import { enteredOf, isOfClock } from './clock-values.ts'
import type { OperandKind } from './comparisons.ts'

/** Also of what the service could read, but the user may have meant otherwise. */
export type ValueFault = ReadingFault | TooManyDecimals

/** Of a whole condition: where a field is empty, a negated comparison of two fields would hold. */
export type ConditionFault = ValueFault | 'negated'

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** What is wrong with an amount that was entered; others come from an address, and the service says what they are. */
const clockFault = (value: Readonly<Record<string, unknown>>): ReadingFault | undefined => {
  const { amount } = enteredOf(value)
  if (amount.trim() === '') return 'missing'
  if (!('issue' in readMovingTime(value))) return undefined
  return /^[+-]?\d+$/.test(amount.trim()) ? 'range' : 'whole'
}

/** Undefined if the service can read it. */
export const faultOf = (
  value: unknown,
  field: Field,
  kind: OperandKind,
): ReadingFault | undefined => {
  if (kind === 'nothing') return undefined
  if (isOfClock(value)) return clockFault(value)
  if (kind === 'list') {
    if (!Array.isArray(value) || value.length === 0) return 'missing'
    // Empty fields may be asked for among others.
    const given = value.filter((one) => one !== null)
    return given.map((one) => faultOf(one, field, 'value')).find((fault) => fault !== undefined)
  }
  if (isNothing(value)) return 'missing'
  return kind === 'text' ? undefined : kindOf(field).faultOf?.(String(value), field)
}
