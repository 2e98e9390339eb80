/**
 * The conditions for the records that follow a record in an order. Where an index has the order, they are
 * separate ranges of it, so that PostgreSQL starts reading at the record; a single condition with OR would
 * make it read everything before.
 */
import { allOf, anyOf, bound, ref, type Sql, sql } from '../../database/sql.ts'
import { indexesOf } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { isRequired } from '../../definitions/values/field-defaults.ts'
import { isPlaceless, placeOf, sortKeyOf } from '../choice-order.ts'
import type { PlannedOrdering, SelectPlan } from '../select-plan.ts'

type Place = { readonly ordering: PlannedOrdering; readonly value: SqlValue }

/** Records that match all conditions, and their order among each other. */
export type Range = {
  readonly conditions: readonly Sql[]
  readonly orderBy: readonly PlannedOrdering[]
}

// Each is planned by itself, in about 0.1 ms.
const maxRanges = 40

/**
 * Disjoint ranges that together have the records of the plan's pages, one after another. Words sort otherwise than in an index, so each
 * of them is a range of it.
 */
export const pageRanges = (plan: SelectPlan): readonly Range[] => {
  const places = placesOf(plan)
  const depth = indexedDepth(plan)
  const ranges = places.length > 0 ? rangesFrom(places, depth) : rangesOf(plan.orderBy, depth)
  if (ranges.length <= maxRanges) return ranges
  return [{ conditions: following(plan), orderBy: plan.orderBy }]
}

/** What follows the plan's cursor, as one condition; none without a cursor. */
export const following = (plan: SelectPlan): readonly Sql[] =>
  rangesFrom(placesOf(plan), 0).flatMap(({ conditions }) => conditions)

const placesOf = ({ orderBy, cursor }: SelectPlan): readonly Place[] => {
  const { values } = cursor ?? {}
  return values
    ? orderBy.map((ordering, index) => ({ ordering, value: values[index] ?? null }))
    : []
}

/** How many columns of the order are the first columns of one index. */
const indexedDepth = ({ entity, orderBy }: SelectPlan): number => {
  const names = orderBy.map(({ ref: { alias, column } }) => (alias === 't' ? column.name : ''))
  const indexes = indexesOf(entity).filter(({ kind }) => kind !== 'containment')
  const depths = [['id'], ...indexes.map(({ columns }) => columns)].map((columns) => {
    const end = columns.findIndex((name, index) => name !== names[index])
    return end === -1 ? columns.length : end
  })
  return Math.max(...depths)
}

/** The ranges of an order whose first `depth` columns an index has: one, unless they are words. */
const rangesOf = (orderBy: readonly PlannedOrdering[], depth: number): readonly Range[] => {
  const [first, ...rest] = orderBy
  const words = depth > 0 && first ? wordsOf(first) : undefined
  if (!first || !words) return [{ conditions: [], orderBy }]
  const within = rangesOf(rest, depth - 1)
  return words.flatMap((word) => within.map((range) => also(isOf(first, word), range)))
}

/** The words of a column in their order, and null for those without a place; undefined: it has none. */
const wordsOf = ({ ref: { column }, descending }: PlannedOrdering) => {
  const { choices } = column.type
  if (!choices) return undefined
  const words: readonly SqlValue[] = [...choices, null]
  return descending ? words.toReversed() : words
}

const also = (condition: Sql, range: Range): Range => ({
  ...range,
  conditions: [condition, ...range.conditions],
})

/** Ranges for the first `depth` columns, and one condition for what follows within equal values of those. */
const rangesFrom = (places: readonly Place[], depth: number): readonly Range[] => {
  const [place, ...rest] = places
  if (!place) return []
  const orderBy = places.map(({ ordering }) => ordering)
  if (depth === 0) {
    const within = rangesFrom(rest, 0).flatMap(({ conditions }) => conditions)
    const equal = within.length === 0 ? [] : [allOf([isEqual(place), ...within])]
    return [{ conditions: [anyOf([...beyond(place), ...equal])], orderBy }]
  }
  const equal = rangesFrom(rest, depth - 1).map((range) => also(isEqual(place), range))
  const words = wordsOf(place.ordering)
  if (!words) return [...equal, ...beyond(place).map((one) => ({ conditions: [one], orderBy }))]
  const within = rangesOf(orderBy.slice(1), depth - 1)
  const own = isPlaceless(place.ordering.ref.column.type, place.value) ? null : place.value
  const later = words.slice(words.indexOf(own) + 1)
  return [
    ...equal,
    ...later.flatMap((word) => within.map((range) => also(isOf(place.ordering, word), range))),
  ]
}

const isEqual = ({ ordering, value }: Place): Sql => isOf(ordering, value)

const isOf = ({ ref: sorted }: PlannedOrdering, value: SqlValue): Sql => {
  const { alias, column } = sorted
  return isPlaceless(column.type, value)
    ? sql`${sortKeyOf(sorted)} IS NULL`
    : sql`${ref(column.name, alias)} = ${bound(value, column.type.cast)}`
}

/** What sorts after the value; null is greater than every value. */
const beyond = ({ ordering, value }: Place): readonly Sql[] => {
  const { type } = ordering.ref.column
  const key = sortKeyOf(ordering.ref)
  const place = placeOf(type, value)
  if (ordering.descending)
    return [isPlaceless(type, value) ? sql`${key} IS NOT NULL` : sql`${key} < ${place}`]
  if (isPlaceless(type, value)) return []
  const greater = sql`${key} > ${place}`
  return mayBeNull(ordering) ? [greater, sql`${key} IS NULL`] : [greater]
}

const mayBeNull = ({ ref: { alias, column } }: PlannedOrdering): boolean =>
  alias !== 't' || !isRequired(column) || column.type.choices !== undefined
