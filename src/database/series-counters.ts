/** Counters of number series as people look after them: where they are, what is missing below, and raising one. */
import type { Entity } from '../definitions/catalog.ts'
import { type Queryable, queryOnce } from './pool.ts'
import { givenNumbers, numberedIn, patternOf, raiseStatement } from './series.ts'
import { bigint, int, type Sql, sql, text } from './sql.ts'

type Numbered = ReturnType<typeof numberedIn>[number]

/** What stands around the digits of a counter. */
type Around = { readonly prefix: string; readonly suffix: string }

/** Numbers are texts here: they may be larger than those of JavaScript. */
export type Counter = Around & { readonly next: string }

const ofSeries = ({ entity, column }: Numbered): Sql =>
  sql`s.entity_key = ${text(entity.key)} AND s.column_name = ${text(column.name)}`

/** The number that each counter of a series gives next. */
export const listCounters = (database: Queryable, numbered: Numbered): Promise<Counter[]> =>
  queryOnce<Counter>(
    database,
    sql`
      SELECT s.prefix, s.suffix, docket.peek_number(s.next, s.sequence)::text AS next
      FROM docket.series s
      WHERE ${ofSeries(numbered)}
      ORDER BY s.prefix, s.suffix`,
  )

/** Numbers that no record has, from one to another. */
export type Gap = Around & { readonly first: string; readonly last: string }

/**
 * Of each counter what is missing from the first number that a record has up to the one that comes next: at most so many.
 * Records that were removed for good are missing, too.
 */
export const findGaps = (database: Queryable, numbered: Numbered, most: number): Promise<Gap[]> =>
  queryOnce<Gap>(
    database,
    sql`
      SELECT e.prefix, e.suffix, (e.number + 1)::text AS first, (e.following - 1)::text AS last
      FROM (
        SELECT g.*, lead(g.number) OVER (PARTITION BY g.prefix, g.suffix ORDER BY g.number) AS following
        FROM (
          SELECT n.prefix, n.suffix, n.number FROM (${givenNumbers(numbered)}) n
          UNION ALL
          SELECT s.prefix, s.suffix, docket.peek_number(s.next, s.sequence)
          FROM docket.series s
          WHERE ${ofSeries(numbered)}
        ) g
      ) e
      WHERE e.following > e.number + 1
      ORDER BY e.prefix, e.suffix, e.number
      LIMIT ${int(most)}`,
  )

/** Counters that would give a number again: the largest one that a record has. */
export const findBehind = (
  database: Queryable,
  numbered: Numbered,
): Promise<(Around & { readonly largest: string })[]> =>
  queryOnce(
    database,
    sql`
      SELECT g.prefix, g.suffix, max(g.number)::text AS largest
      FROM (${givenNumbers(numbered)}) g
      LEFT JOIN docket.series s ON ${ofSeries(numbered)} AND s.prefix = g.prefix AND s.suffix = g.suffix
      GROUP BY g.prefix, g.suffix
      HAVING max(g.number) >= coalesce(max(docket.peek_number(s.next, s.sequence)), 0)
      ORDER BY g.prefix, g.suffix`,
  )

/** Raises the counter of a number above it; returns the counter, or undefined for a text that the series does not give. */
export const raiseAbove = async (
  database: Queryable,
  numbered: Numbered,
  number: string,
): Promise<Counter | undefined> => {
  type Parts = Around & { readonly digits: string }
  const [parts] = await queryOnce<Parts>(
    database,
    sql`
      SELECT m[1] AS prefix, m[2] AS digits, m[3] AS suffix
      FROM regexp_match(${text(number)}, ${text(patternOf(numbered.series))}) AS m
      WHERE m IS NOT NULL`,
  )
  if (!parts) return undefined
  const { prefix, suffix, digits } = parts
  const { entity, column } = numbered
  const above = sql`${bigint(digits)} + 1`
  await queryOnce(
    database,
    sql`SELECT docket.raise_number(
      ${text(entity.key)}, ${text(column.name)}, ${text(prefix)}, ${text(suffix)}, ${above}
    )`,
  )
  // Never below what records have.
  await queryOnce(database, raiseStatement(numbered))
  const all = await listCounters(database, numbered)
  return all.find((one) => one.prefix === prefix && one.suffix === suffix)
}

/** The text of a number. */
export const printNumber = (
  { series }: Numbered,
  { prefix, suffix }: Around,
  number: string,
): string => `${prefix}${number.padStart(series.digits, '0')}${suffix}`

/** Every series of the entities. */
export const allNumbered = (entities: Iterable<Entity>): readonly Numbered[] =>
  [...entities].flatMap(numberedIn)
