/** A filter in words, as its chip says it. */
import type { Field } from '../../api/types.ts'
import type { WorkTexts } from '../../texts/texts.ts'
import { type Comparison, formatValue, kindOf } from '../format/field-kinds.ts'
import type { Reading } from '../format/format-value.ts'
import { isPeriodName } from '../format/period-names.ts'
import { toLocalTime } from '../values/local-time.ts'
import { clockWords, isOfClock } from './clock-values.ts'
import { comparisonOf, operandKind, otherPathOf, relations } from './comparisons.ts'
import { type Filter, type FilterMany, type FilterRule, simplest } from './filter.ts'
import type { FilterField } from './filter-fields.ts'
import { isTimed, withoutSpan } from './spans.ts'

export type Wording = {
  readonly fieldAt: (path: string) => FilterField | undefined
  /** A one-to-many field, and the words for conditions on its records. */
  readonly listAt: (
    path: string,
  ) => { readonly label: string; readonly wording: Wording } | undefined
  /** What a linked record is called; undefined until it is known. */
  readonly nameOf: (entity: string, id: number) => string | undefined
  readonly reading: Reading
  readonly texts: WorkTexts['filter']
}

export const describeFilter = (filter: Filter, wording: Wording): string => {
  const { texts } = wording
  switch (filter.kind) {
    case 'rule':
      return describeRule(filter, wording)
    case 'not':
      return `${texts.not} (${describeFilter(filter.item, wording)})`
    case 'many':
      return describeMany(filter, wording)
    case 'group': {
      const join = filter.join === 'and' ? texts.all : texts.any
      return `${join} (${filter.items.map((item) => describeFilter(item, wording)).join('; ')})`
    }
  }
}

const describeMany = ({ path, quantifier, item }: FilterMany, wording: Wording): string => {
  const list = wording.listAt(path)
  const start = wording.texts.many[quantifier](list?.label ?? path)
  if (item.join === 'and' && item.items.length === 0) return start
  return `${start} (${describeFilter(simplest(item), list?.wording ?? wording)})`
}

/** A comparison in words: days are before and after, numbers less and more; with a time it is at, not on. */
export const comparisonWords = (
  comparison: Comparison,
  field: Field | undefined,
  { comparisons, times, moments, periods }: WorkTexts['filter'],
  hasTime = false,
): string => {
  if (isPeriodName(comparison)) return periods[comparison]
  const { time, isStructured } = (field && kindOf(field)) ?? {}
  const ofTimes: Readonly<Partial<Record<Comparison, string>>> = hasTime
    ? { ...times, ...moments }
    : times
  if (comparison === '$contains' && isStructured) return comparisons.has
  return (time && ofTimes[comparison]) ?? comparisons[comparison]
}

const describeRule = (rule: FilterRule, wording: Wording): string => {
  const { fieldAt, texts, reading } = wording
  const found = fieldAt(rule.path)
  const typed = withoutSpan(rule, found?.field, reading.timeZone)
  const { comparison, value } = comparisonOf(typed)
  const hasTime = isTimed(found?.field, value, reading.timeZone)
  const label = found?.label ?? rule.path
  if (isOfClock(value) && comparison in texts.clock.comparisons) {
    const words = texts.clock.comparisons[comparison as keyof typeof texts.clock.comparisons]
    return `${label} ${words} ${clockWords(value, texts, reading.locale)}`
  }
  const start = `${label} ${comparisonWords(comparison, found?.field, texts, hasTime)}`
  if (comparison === 'empty' || comparison === 'filled' || isPeriodName(comparison)) return start
  const other = otherPathOf(comparison, value)
  if (other !== undefined)
    return `${label} ${relations[comparison]} ${fieldAt(other)?.label ?? other}`
  const isText = found && operandKind(comparison, found.field) === 'text'
  const values = Array.isArray(value) ? value : [value]
  const printed = values.map((one) => (isText ? String(one) : printValue(one, found, wording)))
  return `${start} ${printed.join(', ')}`
}

/** A value in words: a choice, a step or a linked record by its name. */
export const printValue = (
  value: unknown,
  found: FilterField | undefined,
  { reading, texts, nameOf }: Wording,
): string => {
  if (value === null) return texts.noText
  if (isOfClock(value)) return clockWords(value, texts, reading.locale)
  if (typeof value === 'object') return JSON.stringify(value)
  if (!found) return String(value)
  const steps = found.field.column === '_step' ? found.owner.workflow?.steps : undefined
  const step = steps?.find(({ key }) => key === value)
  if (step) return step.name ?? step.key
  const { isLink, time } = kindOf(found.field)
  if (isLink && typeof value === 'number')
    return nameOf(found.field.entity ?? '', value) ?? `${value}`
  if (time !== 'moment' || isTimed(found.field, value, reading.timeZone))
    return formatValue(value, found.field, reading)
  const day = toLocalTime(String(value), reading.timeZone).slice(0, 10)
  return formatValue(day, { ...found.field, type: 'date' }, reading)
}
