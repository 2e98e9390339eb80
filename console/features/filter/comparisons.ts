/** How people compare: each comparison, what it is in criteria, and the fields that it fits. */
import type { Field } from '../../api/types.ts'
import { isSpan } from '../values/span.ts'
import type { FilterRule, Operator } from './filter.ts'

/** The patterns that have a name of their own: what stands before and after the text. */
const patterns = { has: ['%', '%'], begins: ['', '%'], ends: ['%', ''] } as const
type Pattern = keyof typeof patterns

export type Comparison = Exclude<Operator, '$null'> | Pattern | 'empty' | 'filled'

/** What a comparison compares with. */
export type OperandKind = 'value' | 'text' | 'list' | 'nothing'

const presence = ['empty', 'filled'] as const
const equality: readonly Comparison[] = ['$eq', '$ne', '$in', '$nin', ...presence]
const texts: readonly Comparison[] = ['has', 'begins', 'ends', ...equality]
const numbers: readonly Comparison[] = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin']
// Amounts are compared with a limit more often than with one exact value.
const amounts: readonly Comparison[] = ['$gte', '$lte', '$gt', '$lt', '$eq', '$ne', '$in', '$nin']
const moments: readonly Comparison[] = ['$gte', '$lte', '$gt', '$lt', '$eq', '$ne', ...presence]

// Words have the order of their definition.
const choices: readonly Comparison[] = [
  ...equality.filter((one) => one !== 'empty' && one !== 'filled'),
  ...(['$gte', '$lte', '$gt', '$lt'] as const),
  ...presence,
]

const byType: Readonly<Record<Field['type'], readonly Comparison[]>> = {
  string: texts,
  text: texts,
  email: texts,
  url: texts,
  integer: [...numbers, ...presence],
  bigint: [...numbers, ...presence],
  decimal: [...amounts, ...presence],
  boolean: ['$eq', ...presence],
  date: moments,
  timestamp: moments,
  enum: choices,
  json: ['$contains', ...presence],
  manyToOne: equality,
  oneToMany: [],
}

/** The comparisons of a field, the usual one first. */
export const comparisonsOf = (field: Field): readonly Comparison[] =>
  field.column === '_step' ? choices : byType[field.type]

export const operandKind = (comparison: Comparison, { type }: Field): OperandKind => {
  if (comparison === 'empty' || comparison === 'filled') return 'nothing'
  if (comparison === '$in' || comparison === '$nin') return 'list'
  const isText = isPattern(comparison) || comparison === '$like' || comparison === '$ilike'
  const isPart = comparison === '$contains' || comparison === '$startsWith'
  return isText || (isPart && type !== 'json') ? 'text' : 'value'
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
