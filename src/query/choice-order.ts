/**
 * How the words of an enum and the steps of a workflow compare: in the order of the definition, everywhere. A word that the definition
 * lacks is last, with the empty values.
 */
import { bound, int, ref, type Sql, sql, texts } from '../database/sql.ts'
import type { BoundType } from '../definitions/field-types.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import type { ColumnRef } from './select-plan.ts'

type Typed = Pick<BoundType, 'choices' | 'cast'>

/** What the values of an expression are sorted by: the place of a word, otherwise the value itself. */
export const sortKey = ({ choices }: Typed, value: Sql): Sql =>
  choices === undefined ? value : sql`array_position(${texts(choices)}, ${value})`

/** The same for a column. */
export const sortKeyOf = ({ alias, column }: ColumnRef): Sql =>
  sortKey(column.type, ref(column.name, alias))

/** The place of a value among those keys, bound; null for a word without one. */
export const placeOf = ({ choices, cast }: Typed, value: SqlValue): Sql => {
  if (choices === undefined) return bound(value, cast)
  const place = choices.indexOf(String(value))
  return int(place === -1 ? null : place + 1)
}

/** Whether a value has no place: it sorts with the empty ones. */
export const isPlaceless = ({ choices }: Typed, value: SqlValue): boolean =>
  value === null || choices?.includes(String(value)) === false
