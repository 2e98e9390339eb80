/** A filter in words, as its chip says it. */

import type { Texts } from '../../texts/texts.ts'
import type { ListColumn } from '../list/columns.ts'
import { formatValue, type Reading } from '../values/format-value.ts'
import type { Filter, FilterRule } from './filter.ts'

export type Wording = {
  readonly columnAt: (path: string) => ListColumn | undefined
  /** Names of steps by their keys. */
  readonly steps: ReadonlyMap<string, string>
  readonly reading: Reading
  readonly texts: Texts
}

export const describeFilter = (filter: Filter, wording: Wording): string => {
  const { texts } = wording
  switch (filter.kind) {
    case 'rule':
      return describeRule(filter, wording)
    case 'not':
      return `${texts.filter.not} (${describeFilter(filter.item, wording)})`
    case 'group': {
      const join = filter.join === 'and' ? texts.filter.all : texts.filter.any
      return `${join} (${filter.items.map((item) => describeFilter(item, wording)).join('; ')})`
    }
  }
}

const describeRule = ({ path, operator, value }: FilterRule, wording: Wording): string => {
  const { columnAt, texts } = wording
  const label = columnAt(path)?.label ?? path
  if (operator === '$null')
    return `${label} ${value === false ? texts.filter.filled : texts.filter.empty}`
  const values = Array.isArray(value) ? value : [value]
  const printed = values.map((one) => printValue(one, columnAt(path), wording)).join(', ')
  return `${label} ${texts.filter.operators[operator]} ${printed}`
}

const printValue = (
  value: unknown,
  column: ListColumn | undefined,
  { reading, texts, steps }: Wording,
): string => {
  if (value === null) return texts.filter.empty
  if (typeof value === 'object') return JSON.stringify(value)
  const step = column?.path === '_step' ? steps.get(String(value)) : undefined
  if (step !== undefined) return step
  return column ? formatValue(value, column.field, reading) : String(value)
}
