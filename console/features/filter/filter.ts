/** A filter as a tree that can be shown and edited; it says the same as the `$where` that it was read from. */
import { namesMovingTime } from '../../../src/definitions/values/rules/moving-time-names.ts'
import { isOperator, type Operator } from '../../../src/definitions/values/rules/operators.ts'
import type { Condition } from '../../api/types.ts'
import { type Period, periodNames } from '../format/field-kinds.ts'
import { isObject } from '../session/address-values.ts'

export type FilterRule = {
  readonly kind: 'rule'
  readonly path: string
  readonly operator: Operator
  readonly value: unknown
}
export type FilterGroup = {
  readonly kind: 'group'
  readonly join: 'and' | 'or'
  readonly items: readonly Filter[]
}
type FilterNot = { readonly kind: 'not'; readonly item: Filter }
/** What at least one record of a one-to-many field meets, or none: its paths are those of these records. */
export type FilterMany = {
  readonly kind: 'many'
  readonly path: string
  readonly quantifier: '$some' | '$none'
  readonly item: FilterGroup
}

export type Filter = FilterRule | FilterGroup | FilterNot | FilterMany

/** The tree of a `$where`; undefined for what no search would take. */
export const parseFilter = (where: Condition): FilterGroup | undefined => {
  const items: Filter[] = []
  for (const [key, value] of Object.entries(where)) {
    const parsed = parseEntry(key, value)
    if (!parsed) return undefined
    items.push(...parsed)
  }
  return { kind: 'group', join: 'and', items }
}

const parseEntry = (key: string, value: unknown): readonly Filter[] | undefined => {
  if (key === '$and' || key === '$or') return parseGroup(key, value)
  if (key === '$not') {
    const item = isObject(value) ? parseFilter(value) : undefined
    return item && [negated(simplest(item))]
  }
  if (key.startsWith('$')) return undefined
  return parseRules(key, value)
}

/** What is not within a span is one comparison. */
const negated = (item: Filter): Filter =>
  item.kind === 'rule' && item.operator === '$eq' && isSpan(item.value)
    ? { ...item, operator: '$ne' }
    : { kind: 'not', item }

const parseGroup = (key: '$and' | '$or', value: unknown): readonly Filter[] | undefined => {
  if (!Array.isArray(value)) return undefined
  const items = value.map((one) => (isObject(one) ? parseFilter(one) : undefined))
  if (!items.every((item) => item !== undefined)) return undefined
  return [{ kind: 'group', join: key === '$and' ? 'and' : 'or', items: items.map(simplest) }]
}

/** A group of one item is the item. */
export const simplest = (group: FilterGroup): Filter =>
  group.items.length === 1 && group.items[0] ? group.items[0] : group

const rule = (path: string, operator: Operator, value: unknown): FilterRule => ({
  kind: 'rule',
  path,
  operator,
  value,
})

const parseRules = (path: string, value: unknown): readonly Filter[] | undefined => {
  if (value === null) return [rule(path, '$null', true)]
  if (Array.isArray(value)) return [rule(path, '$in', value)]
  if (namesMovingTime(value)) return parseRules(path, { $eq: value })
  if (!isObject(value) || '$field' in value) return [rule(path, '$eq', value)]
  const period = periodOf(value)
  if (period) return [rule(path, '$eq', { period })]
  const entries = Object.entries(value)
  const span = entries.length === 2 ? spanOf(value.$gte, value.$lte) : undefined
  if (span) return [rule(path, '$eq', span)]
  const rules = entries.flatMap(([operator, operand]): readonly Filter[] => {
    if (isOperator(operator)) return [rule(path, operator, operand)]
    if (operator !== '$some' && operator !== '$none') return []
    const item = isObject(operand) ? parseFilter(operand) : undefined
    return item ? [{ kind: 'many', path, quantifier: operator, item }] : []
  })
  return rules.length === entries.length && rules.length > 0 ? rules : undefined
}

/** The `$where` of a tree. */
export const printFilter = (filter: Filter): Condition => {
  switch (filter.kind) {
    case 'rule':
      return printRule(filter)
    case 'not':
      return { $not: printFilter(filter.item) }
    case 'many':
      return { [filter.path]: { [filter.quantifier]: printFilter(filter.item) } }
    case 'group':
      return filter.join === 'or' ? { $or: filter.items.map(printFilter) } : printAll(filter.items)
  }
}

const printRule = ({ path, operator, value }: FilterRule): Condition => {
  if (isPeriod(value)) return { [path]: conditionOfPeriod(value.period) }
  if (!isSpan(value)) return { [path]: { [operator]: value } }
  const within = { [path]: { $gte: value.first, $lte: value.last } }
  return operator === '$ne' ? { $not: within } : within
}

/** Conditions on different paths stand side by side, as one would write them. */
const printAll = (items: readonly Filter[]): Condition => {
  const printed = items.map(printFilter)
  const keys = printed.flatMap((one) => Object.keys(one))
  if (new Set(keys).size === keys.length) return Object.assign({}, ...printed)
  return { $and: printed }
}

/** The conditions of a `$where`, as one list. */
const itemsOf = (where: Condition | undefined): readonly Filter[] | undefined =>
  where ? parseFilter(where)?.items : []

const printItems = (items: readonly Filter[]): Condition =>
  printFilter({ kind: 'group', join: 'and', items })

/** Whether all records of these conditions meet this one, because it is among them. */
const holds = (items: readonly Filter[], rule: FilterRule): boolean =>
  items.some((item) =>
    item.kind === 'group'
      ? item.join === 'and' && holds(item.items, rule)
      : JSON.stringify(printFilter(item)) === JSON.stringify(printFilter(rule)),
  )

/** A `$where` with one more condition, or with another one in a place. None is said twice. */
export const withRule = (
  where: Condition | undefined,
  rule: FilterRule,
  at?: number,
): Condition => {
  const items = itemsOf(where)
  // What cannot be read stays as it is.
  if (!items) return { $and: [where, printFilter(rule)] }
  const others = at === undefined ? items : items.toSpliced(at, 1)
  if (holds(others, rule)) return printItems(others)
  return printItems(at === undefined ? [...items, rule] : items.with(at, rule))
}

/** A `$where` without the condition in a place; undefined if it was the only one. */
export const withoutItem = (where: Condition, at: number): Condition | undefined => {
  const items = itemsOf(where)?.toSpliced(at, 1) ?? []
  return items.length === 0 ? undefined : printItems(items)
}

/** A period that is chosen by its name. */
export const isPeriod = (value: unknown): value is { readonly period: Period } =>
  typeof value === 'object' && value !== null && 'period' in value

export type Span = { readonly first: string; readonly last: string }

export const isSpan = (value: unknown): value is Span =>
  typeof value === 'object' && value !== null && 'first' in value && 'last' in value

const hourMs = 3_600_000

/** The span of two ends; undefined for what nobody has typed as one time. */
const spanOf = (first: unknown, last: unknown): Span | undefined => {
  if (!/\.000Z$/.test(String(first)) || !/\.999Z$/.test(String(last))) return undefined
  const length = Date.parse(String(last)) + 1 - Date.parse(String(first))
  // Days on which clocks change are shorter or longer.
  const isDay = length > 21 * hourMs && length < 27 * hourMs
  return isDay || length === 60_000 || length === 1_000
    ? { first: String(first), last: String(last) }
    : undefined
}

const start = (period: 'week' | 'month' | 'quarter' | 'year', offset = 0) =>
  offset === 0 ? { $startOf: period } : { $startOf: period, $offset: offset }

/** The present period, or one that many before or after it. */
const whole = (period: 'week' | 'month' | 'quarter' | 'year', offset = 0) => ({
  $gte: start(period, offset),
  $lt: start(period, offset + 1),
})

const day = ($today: number) => ({ $today })

/** What criteria say for a period around today, which moves with the clock of the service. */
const conditions = {
  today: { $eq: day(0) },
  beforeToday: { $lt: day(0) },
  yesterday: { $eq: day(-1) },
  tomorrow: { $eq: day(1) },
  thisWeek: whole('week'),
  lastWeek: whole('week', -1),
  nextWeek: whole('week', 1),
  thisMonth: whole('month'),
  lastMonth: whole('month', -1),
  nextMonth: whole('month', 1),
  thisQuarter: whole('quarter'),
  thisYear: whole('year'),
  lastYear: whole('year', -1),
  // With today.
  last7Days: { $gt: day(-7), $lte: day(0) },
  last30Days: { $gt: day(-30), $lte: day(0) },
  next7Days: { $gte: day(0), $lt: day(7) },
  next30Days: { $gte: day(0), $lt: day(30) },
} as const satisfies Readonly<Record<Period, Condition>>

export const conditionOfPeriod = (name: Period): Condition => conditions[name]

/** The period that operators and their values stand for, whatever their order. */
const periodOf = (compared: Condition): Period | undefined => {
  const text = textOf(compared)
  return periodNames.find((name) => textOf(conditions[name]) === text)
}

const textOf = (compared: Condition): string =>
  JSON.stringify(Object.entries(compared).sort(([one], [other]) => (one < other ? -1 : 1)))
