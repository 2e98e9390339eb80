/** The comparisons that people choose from as conditions of criteria, and what is wrong with their values before they are sent. */
import { readMovingTime } from '../../../src/definitions/values/rules/moving-times.ts'
import type { Field } from '../../api/types.ts'
import {
  type Comparison,
  isPeriodName,
  kindOf,
  type Pattern,
  type ReadingFault,
} from '../format/field-kinds.ts'
import type { TooManyDecimals } from '../values/number-text.ts'
import { enteredOf, isOfClock } from './clock-values.ts'
import { type FilterRule, isPeriod, isSpan } from './filter.ts'

/** What stands before and after the text of a pattern. */
const patterns: Readonly<Record<Pattern, readonly [string, string]>> = {
  has: ['%', '%'],
  begins: ['', '%'],
  ends: ['%', ''],
}

/** What a comparison compares with. */
export type OperandKind = 'value' | 'text' | 'list' | 'nothing'

export const operandKind = (comparison: Comparison, field: Field): OperandKind => {
  if (comparison === 'empty' || comparison === 'filled' || isPeriodName(comparison))
    return 'nothing'
  if (comparison === '$in' || comparison === '$nin') return 'list'
  const isText = isPattern(comparison) || comparison === '$like' || comparison === '$ilike'
  const isPart = comparison === '$contains' || comparison === '$startsWith'
  return isText || (isPart && !kindOf(field).isStructured) ? 'text' : 'value'
}

/** The comparisons with another field, as they are written between two names. */
export const relations: Readonly<Partial<Record<Comparison, string>>> = {
  $eq: '=',
  $ne: '≠',
  $gt: '>',
  $gte: '≥',
  $lt: '<',
  $lte: '≤',
}

/** The path of the field that is compared with; undefined for any other value. */
export const otherPathOf = (comparison: Comparison, value: unknown): string | undefined =>
  comparison in relations &&
  typeof value === 'object' &&
  value !== null &&
  '$field' in value &&
  typeof value.$field === 'string'
    ? value.$field
    : undefined

/** What is compared with, if it is a field. */
export const otherField = (path: string): unknown => ({ $field: path })

const isPattern = (comparison: Comparison): comparison is Pattern => comparison in patterns

/** The rule of criteria that compares like this. */
export const ruleOf = (path: string, comparison: Comparison, value: unknown): FilterRule => {
  const rule = { kind: 'rule', path } as const
  if (comparison === 'empty' || comparison === 'filled')
    return { ...rule, operator: '$null', value: comparison === 'empty' }
  if (isPeriodName(comparison)) return { ...rule, operator: '$eq', value: { period: comparison } }
  if (!isPattern(comparison)) return { ...rule, operator: comparison, value }
  const [before, after] = patterns[comparison]
  return { ...rule, operator: '$ilike', value: `${before}${escaped(String(value))}${after}` }
}

/** How a rule of criteria compares, and with what. */
export const comparisonOf = ({
  operator,
  value,
}: FilterRule): { readonly comparison: Comparison; readonly value: unknown } => {
  if (operator === '$null')
    return { comparison: value === false ? 'filled' : 'empty', value: undefined }
  if (operator === '$eq' && value === null) return { comparison: 'empty', value: undefined }
  if (operator === '$ne' && value === null) return { comparison: 'filled', value: undefined }
  if (isPeriod(value)) return { comparison: value.period, value: undefined }
  if (isSpan(value)) return { comparison: operator, value: value.first }
  const named = operator === '$ilike' && typeof value === 'string' ? namedPattern(value) : undefined
  return named ?? { comparison: operator, value }
}

const namedPattern = (pattern: string) => {
  for (const comparison of ['has', 'begins', 'ends'] as const) {
    const value = textBetween(pattern, patterns[comparison])
    if (value !== undefined) return { comparison, value }
  }
  return undefined
}

const textBetween = (pattern: string, [before, after]: readonly [string, string]) => {
  const length = pattern.length - before.length - after.length
  if (length < 0 || !pattern.startsWith(before) || !pattern.endsWith(after)) return undefined
  return literalOf(pattern.slice(before.length, before.length + length))
}

const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&')

/** The text that a pattern matches alone; undefined if it has wildcards. */
const literalOf = (pattern: string): string | undefined =>
  /^(?:[^\\%_]|\\.)*$/su.test(pattern) ? pattern.replaceAll(/\\(.)/gsu, '$1') : undefined

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
