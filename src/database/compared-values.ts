/** How the values of a unique index compare: with or without case, and whether two that are missing are the same. */
import type { Index } from '../definitions/catalog.ts'
import { type Sql, sql } from './sql.ts'

/** A text in lower case. What is ASCII alone must not depend on the language of the server. */
export const inLowerCase = (cell: Sql): Sql =>
  sql`CASE WHEN octet_length(${cell}) = length(${cell}) THEN lower(${cell} COLLATE "C") ELSE lower(${cell}) END`

type Compared = Pick<Index, 'lowered' | 'nullsNotDistinct'> | undefined

/** A value of a column as the index has it. */
export const indexedValue = (index: Compared, column: string, cell: Sql): Sql =>
  index?.lowered.includes(column) ? inLowerCase(cell) : cell

/** Whether two values are the same to the index, in a form by which PostgreSQL can join many. */
export const sameIndexed = (index: Compared, column: string, one: Sql, other: Sql): Sql => {
  const [a, b] = [indexedValue(index, column, one), indexedValue(index, column, other)]
  if (!index?.nullsNotDistinct) return sql`${a} = ${b}`
  return sql`(coalesce(${a}::text, '') = coalesce(${b}::text, '') AND (${one} IS NULL) = (${other} IS NULL))`
}
