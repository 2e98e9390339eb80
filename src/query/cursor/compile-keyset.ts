/**
 * The conditions for the records that follow a record in an order. Where an index has the order, they are
 * separate ranges of it, so that PostgreSQL starts reading at the record; a single condition with OR would
 * make it read everything before.
 */
import { allOf, anyOf, type Sql, sql, table } from '../../database/sql.ts'
import { orderedIndexes } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { isRequired } from '../../definitions/values/field-defaults.ts'
import { hasOthers, isHeld, placeOf, sortKeyOf } from '../choice-order.ts'
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
  const ranges =
    places.length > 0 ? rangesFrom(places, depth, table(plan.entity)) : rangesOf(plan, depth)
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
  const depths = [['id'], ...orderedIndexes(entity).map(({ columns }) => columns)].map(
    (columns) => {
      const end = columns.findIndex((name, index) => name !== names[index])
      return end === -1 ? columns.length : end
    },
  )
  return Math.max(...depths)
}

/** The ranges of an order that an index begins with: one, unless its first column has words. */
const rangesOf = ({ entity, orderBy }: SelectPlan, depth: number): readonly Range[] => {
  const [first, ...rest] = orderBy
  const words = depth > 0 && first ? wordsOf(first) : undefined
  if (!first || !words) return [{ conditions: [], orderBy }]
  return words.map((word) => rangeOf(first, word, rest, table(entity)))
}

/** The records with a word; `source`, if an index of it begins with the column. */
const rangeOf = (
  { ref: held }: PlannedOrdering,
  word: SqlValue,
  orderBy: readonly PlannedOrdering[],
  source: Sql | undefined,
): Range => ({
  conditions: [...(source && word === others ? [hasOthers(source, held)] : []), isHeld(held, word)],
  orderBy,
})

// It stands for every word that the definition lacks; no definition has an empty one.
const others = ''

/** The values of a column in their order; undefined: it has no words. */
const wordsOf = ({ ref: { column }, descending }: PlannedOrdering) => {
  const { choices } = column.type
  if (!choices) return undefined
  const words: readonly SqlValue[] = [...choices, others, ...(isRequired(column) ? [] : [null])]
  return descending ? words.toReversed() : words
}

/** Ranges for the first `depth` columns, and one condition for what follows within equal values of those. */
const rangesFrom = (places: readonly Place[], depth: number, source?: Sql): readonly Range[] => {
  const [place, ...rest] = places
  if (!place) return []
  const { ordering, value } = place
  const orderBy = places.map((one) => one.ordering)
  if (depth === 0) {
    const within = rangesFrom(rest, 0).flatMap(({ conditions }) => conditions)
    const equal = within.length === 0 ? [] : [allOf([isHeld(ordering.ref, value), ...within])]
    return [{ conditions: [anyOf([...beyond(place), ...equal])], orderBy }]
  }
  const equal = rangesFrom(rest, depth - 1).map((range) => ({
    ...range,
    conditions: [isHeld(ordering.ref, value), ...range.conditions],
  }))
  const words = wordsOf(ordering)
  if (!words) return [...equal, ...beyond(place).map((one) => ({ conditions: [one], orderBy }))]
  const { choices = [] } = ordering.ref.column.type
  const own = value === null || choices.includes(String(value)) ? value : others
  const later = words.slice(words.indexOf(own) + 1)
  return [...equal, ...later.map((word) => rangeOf(ordering, word, orderBy.slice(1), source))]
}

/** What sorts after the value; null is greater than every value. */
const beyond = ({ ordering, value }: Place): readonly Sql[] => {
  const key = sortKeyOf(ordering.ref)
  const place = placeOf(ordering.ref.column.type, value)
  if (ordering.descending)
    return [value === null ? sql`${key} IS NOT NULL` : sql`${key} < ${place}`]
  if (value === null) return []
  const greater = sql`${key} > ${place}`
  return mayBeNull(ordering) ? [greater, sql`${key} IS NULL`] : [greater]
}

const mayBeNull = ({ ref: { alias, column } }: PlannedOrdering): boolean =>
  alias !== 't' || !isRequired(column)
