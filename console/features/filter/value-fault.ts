/** What is wrong with the value of a condition before it is sent. */
import type { Field } from '../../api/types.ts'
import type { TooManyDecimals } from '../values/number-text.ts'
import type { OperandKind } from './comparisons.ts'

export type ReadingFault = 'missing' | 'number' | 'whole' | 'range' | 'day' | 'moment' | 'choice'

/** Also of what the service could read, but the user may have meant otherwise. */
export type ValueFault = ReadingFault | TooManyDecimals

/** Of a whole condition: where a field is empty, a negated comparison of two fields would hold. */
export type ConditionFault = ValueFault | 'negated'

type Check = (text: string, field: Field) => ReadingFault | undefined

const whole: Check = (text) => (/^-?\d+$/.test(text) ? undefined : 'whole')
const smallest = -(2n ** 31n)
const largest = 2n ** 31n - 1n

const small: Check = (text, field) => {
  const fault = whole(text, field)
  if (fault) return fault
  return BigInt(text) < smallest || BigInt(text) > largest ? 'range' : undefined
}

const checks: Readonly<Partial<Record<Field['type'], Check>>> = {
  integer: small,
  bigint: whole,
  decimal: (text) => (/^-?\d+(\.\d+)?$/.test(text) ? undefined : 'number'),
  date: (text) => (/^\d{4,}-\d{2}-\d{2}$/.test(text) ? undefined : 'day'),
  // Of a moment the service takes a day too, which begins it.
  timestamp: (text) => (/^[+-]?\d{4,}-\d{2}-\d{2}(T|$)/.test(text) ? undefined : 'moment'),
  boolean: (text) => (text === 'true' || text === 'false' ? undefined : 'choice'),
  enum: (text, { values = [] }) => (values.includes(text) ? undefined : 'choice'),
  manyToOne: small,
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** Undefined if the service can read it. */
export const faultOf = (
  value: unknown,
  field: Field,
  kind: OperandKind,
): ReadingFault | undefined => {
  if (kind === 'nothing') return undefined
  if (kind === 'list') {
    if (!Array.isArray(value) || value.length === 0) return 'missing'
    // Empty fields may be asked for among others.
    const given = value.filter((one) => one !== null)
    return given.map((one) => faultOf(one, field, 'value')).find((fault) => fault !== undefined)
  }
  if (isNothing(value)) return 'missing'
  return kind === 'text' ? undefined : checks[field.type]?.(String(value), field)
}
