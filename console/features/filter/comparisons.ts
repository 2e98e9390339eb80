/** The comparisons that people choose from as conditions of criteria. */
import type { Field } from '../../api/types.ts'
import { type Comparison, isPeriodName, kindOf, type Pattern } from '../format/field-kinds.ts'
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
