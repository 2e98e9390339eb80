/**
 * How the words of an enum and the steps of a workflow compare: in the order of the definition, everywhere. Words that the definition
 * lacks come after all others.
 */
import { bound, int, ref, type Sql, sql, texts } from '../database/sql.ts'
import type { BoundType } from '../definitions/field-types.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import type { ColumnRef } from './select-plan.ts'

type Typed = Pick<BoundType, 'choices' | 'cast'>

/** What two columns are compared by: the place of a word, otherwise the value; null for a word that the definition lacks. */
export const comparedKey = ({ alias, column, value }: ColumnRef): Sql => {
  const name = value ?? ref(column.name, alias)
  const { choices } = column.type
  return choices === undefined ? name : sql`array_position(${texts(choices)}, ${name})`
}

/** What the values of an expression are sorted by: the place of a word, otherwise the value itself. */
export const sortKey = ({ choices }: Typed, value: Sql): Sql => {
  if (choices === undefined) return value
  const last = int(choices.length + 1)
  return sql`coalesce(
    array_position(${texts(choices)}, ${value}),
    CASE WHEN ${value} IS NOT NULL THEN ${last} END
  )`
}

/** The same for a column. */
export const sortKeyOf = ({ alias, column }: ColumnRef): Sql =>
  sortKey(column.type, ref(column.name, alias))

/** A value among those keys, bound. */
export const placeOf = ({ choices, cast }: Typed, value: SqlValue): Sql => {
  if (choices === undefined || value === null) return bound(value, cast)
  const place = choices.indexOf(String(value))
  return int(place === -1 ? choices.length + 1 : place + 1)
}

/** Whether a column has a value. */
export const isHeld = (sorted: ColumnRef, value: SqlValue): Sql => {
  const { alias, column } = sorted
  const { choices, cast } = column.type
  const name = ref(column.name, alias)
  if (value === null) return sql`${name} IS NULL`
  return choices === undefined || choices.includes(String(value))
    ? sql`${name} = ${bound(value, cast)}`
    : sql`${sortKeyOf(sorted)} = ${placeOf(column.type, value)}`
}

/**
 * Whether a table has a word that the definition lacks, at all: it goes from word to word in an index that begins with the column,
 * because no index finds the records themselves.
 */
export const hasOthers = (source: Sql, { column }: ColumnRef): Sql => {
  const name = ref(column.name, 'w')
  return sql`EXISTS (
    WITH RECURSIVE held AS (
      SELECT min(${name}) AS word FROM ${source} w
      UNION ALL
      SELECT (SELECT min(${name}) FROM ${source} w WHERE ${name} > held.word)
      FROM held
      WHERE held.word IS NOT NULL
    )
    SELECT FROM held WHERE word <> ALL (${texts(column.type.choices ?? [])})
  )`
}
