/** Which operators fit a field, and what kind of value each takes; the same table as that of the service. */
import type { Field } from '../../api/types.ts'
import type { Operator } from './filter.ts'

const comparisons = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'] as const
const lists = ['$in', '$nin'] as const
const words: readonly Operator[] = ['$ilike', '$contains', '$startsWith', '$like']
const ordered: readonly Operator[] = [...comparisons, ...lists, '$null']
const textual: readonly Operator[] = [
  '$ilike',
  ...ordered.filter((one) => one !== '$null'),
  ...words.slice(1),
  '$null',
]

const byType: Readonly<Record<Field['type'], readonly Operator[]>> = {
  string: textual,
  text: textual,
  email: textual,
  url: textual,
  integer: ordered,
  bigint: ordered,
  decimal: ordered,
  boolean: ['$eq', '$ne', '$null'],
  date: ['$gte', '$lte', ...ordered.filter((one) => one !== '$gte' && one !== '$lte')],
  timestamp: ['$gte', '$lte', ...ordered.filter((one) => one !== '$gte' && one !== '$lte')],
  enum: ['$eq', '$ne', ...lists, '$null'],
  json: ['$contains', '$null'],
  manyToOne: ordered,
  oneToMany: [],
}

/** The operators of a field, the usual one first. */
export const operatorsOf = ({ type }: Field): readonly Operator[] => byType[type]

export type OperandKind = 'one' | 'several' | 'presence'

/** What an operator compares with. */
export const operandOf = (operator: Operator): OperandKind => {
  if (operator === '$in' || operator === '$nin') return 'several'
  return operator === '$null' ? 'presence' : 'one'
}
