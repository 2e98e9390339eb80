/**
 * The conditions for the records that follow a record in an order. Where an index has the order, they are
 * separate ranges of it, so that PostgreSQL starts reading at the record; a single condition with OR would
 * make it read everything before.
 */
import { allOf, anyOf, bound, ref, type Sql, sql } from '../../database/sql.ts'
import { indexesOf } from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { isRequired } from '../../definitions/values/field-defaults.ts'
import type { PlannedOrdering, SelectPlan } from '../select-plan.ts'

type Place = { readonly ordering: PlannedOrdering; readonly value: SqlValue }

/** Disjoint conditions that together match what follows the plan's cursor; none without a cursor. */
export const followingRanges = (plan: SelectPlan): readonly Sql[] => {
  const places = placesOf(plan)
  return places.length === 0 ? [] : rangesFrom(places, indexedDepth(plan))
}

/** The same as one condition. */
export const following = (plan: SelectPlan): readonly Sql[] => {
  const places = placesOf(plan)
  return places.length === 0 ? [] : rangesFrom(places, 0)
}

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

/** Ranges for the first `depth` columns, and one condition for what follows within equal values of those. */
const rangesFrom = (places: readonly Place[], depth: number): readonly Sql[] => {
  const [place, ...rest] = places
  if (!place) return []
  if (depth === 0) {
    const within = rangesFrom(rest, 0)
    const equal = within.length === 0 ? [] : [allOf([isEqual(place), ...within])]
    return [anyOf([...beyond(place), ...equal])]
  }
  const equal = rangesFrom(rest, depth - 1).map((range) => allOf([isEqual(place), range]))
  return [...equal, ...beyond(place)]
}

const isEqual = ({ ordering, value }: Place): Sql =>
  value === null
    ? sql`${columnOf(ordering)} IS NULL`
    : sql`${columnOf(ordering)} = ${bind({ ordering, value })}`

/** What sorts after the value; null is greater than every value. */
const beyond = (place: Place): readonly Sql[] => {
  const { ordering, value } = place
  const column = columnOf(ordering)
  if (ordering.descending)
    return [value === null ? sql`${column} IS NOT NULL` : sql`${column} < ${bind(place)}`]
  if (value === null) return []
  const greater = sql`${column} > ${bind(place)}`
  return mayBeNull(ordering) ? [greater, sql`${column} IS NULL`] : [greater]
}

const mayBeNull = ({ ref: { alias, column } }: PlannedOrdering): boolean =>
  alias !== 't' || !isRequired(column)

const columnOf = ({ ref: { alias, column } }: PlannedOrdering): Sql => ref(column.name, alias)

const bind = ({ ordering, value }: Place): Sql => bound(value, ordering.ref.column.type.cast)
