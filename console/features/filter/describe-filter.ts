/** A filter in words, as its chip says it. */
import { useMemo } from 'react'
import { placeKey, type RecordPlace, useRecordNames } from '../../api/record-names.ts'
import type { Condition, Entity, Field } from '../../api/types.ts'
import { useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { type Comparison, formatValue, isPeriodName, kindOf } from '../format/field-kinds.ts'
import type { Reading } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import { toLocalTime } from '../values/local-text.ts'
import { clockWords, isOfClock } from './clock-values.ts'
import { comparisonOf, operandKind, otherField, otherPathOf, relations } from './comparisons.ts'
import { type Filter, type FilterMany, type FilterRule, parseFilter, simplest } from './filter.ts'
import { type FilterField, filterFieldAt, listFieldAt } from './filter-fields.ts'
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
const comparisonWords = (
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

// What a filter on an entity needs to be put into the words of the user.

/** A comparison of a record that has a field, as one of the record that leads to it. */
const behind = (start: string, rule: FilterRule): FilterRule => {
  const { comparison, value } = comparisonOf(rule)
  const other = otherPathOf(comparison, value)
  return {
    ...rule,
    path: `${start}.${rule.path}`,
    value: other === undefined ? rule.value : otherField(`${start}.${other}`),
  }
}

/** All comparisons of a filter; those of records of a one-to-many field begin with it. */
export const rulesIn = (filter: Filter): readonly FilterRule[] => {
  if (filter.kind === 'rule') return [filter]
  if (filter.kind === 'many') return rulesIn(filter.item).map((rule) => behind(filter.path, rule))
  return filter.kind === 'not' ? rulesIn(filter.item) : filter.items.flatMap(rulesIn)
}

const rulesOf = (where: Condition | undefined): readonly FilterRule[] => {
  const filter = where && parseFilter(where)
  return filter ? rulesIn(filter) : []
}

/** The words for a filter, with the names of the records that it compares with. */
export const useWording = (entity: Entity, where?: Condition): Wording => {
  const texts = useWorkTexts().filter
  const reading = useReading()
  const { entities } = useSession()
  const places = useMemo(
    () =>
      rulesOf(where).flatMap(({ path, value }): RecordPlace[] => {
        const found = filterFieldAt(path, entity, entities)
        if (!found || !kindOf(found.field).isLink || !found.field.entity) return []
        const { owner, field } = found
        const place = { entity: found.field.entity, by: { owner, field } }
        const ids = Array.isArray(value) ? value : [value]
        return ids.filter(Number.isSafeInteger).map((id) => ({ ...place, id }))
      }),
    [where, entity, entities],
  )
  const names = useRecordNames(places, entities)
  return useMemo(() => {
    const wordingOf = (one: Entity): Wording => ({
      fieldAt: (path) => filterFieldAt(path, one, entities),
      listAt: (path) => {
        const list = listFieldAt(path, one, entities)
        const target = entities.get(list?.field.entity ?? '')
        return list && target && { label: list.label, wording: wordingOf(target) }
      },
      nameOf: (key, id) => names?.get(placeKey({ entity: key, id })),
      reading,
      texts,
    })
    return wordingOf(entity)
  }, [entity, entities, names, reading, texts])
}

export const useComparisonWords = (): ((
  comparison: Comparison,
  field: Field | undefined,
  hasTime: boolean,
) => string) => {
  const texts = useWorkTexts().filter
  return (comparison, field, hasTime) => comparisonWords(comparison, field, texts, hasTime)
}
