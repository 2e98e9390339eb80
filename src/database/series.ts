/** SQL of number series: the text that is a counter, the next number of it, and what the records of a table have of it already. */
import { type Column, type Entity, numberedColumns } from '../definitions/catalog.ts'
import type { Series, SeriesPart } from '../definitions/series.ts'
import { kept } from '../kept.ts'
import { execute, type Queryable, queryOnce } from './pool.ts'
import {
  bigint,
  int,
  join,
  nothing,
  raw,
  ref,
  type Sql,
  sql,
  table,
  tableName,
  text,
  toLiteralText,
} from './sql.ts'

/** What the text of a number follows from. */
export type NumberSource = {
  readonly timeZone: string
  /** The id that a record has in the column of a link. */
  readonly linkOf: (column: string) => Sql
  /** The moment that its dates are of; by default that of the transaction, which is the time of the record, too. */
  readonly clock?: Sql
}

const constants = new Map<string, Sql>()

/** A text of the definitions as a literal, which each create would otherwise bind again. */
const constant = (value: string): Sql => {
  const found = constants.get(value) ?? raw(toLiteralText(text(value)))
  constants.set(value, found)
  return found
}

const partSql = (
  part: SeriesPart,
  at: number,
  { timeZone, clock = raw('now()') }: NumberSource,
): Sql => {
  if ('text' in part) return constant(part.text)
  if ('date' in part)
    return sql`to_char(${clock} AT TIME ZONE ${constant(timeZone)}, ${constant(part.date.template)})`
  return ref(part.field, `linked${at}`)
}

const joined = (parts: readonly SeriesPart[], source: NumberSource): Sql =>
  parts.length === 0
    ? constant('')
    : join(
        parts.map((part, at) => partSql(part, at, source)),
        ' || ',
      )

/** The records that parts are read from; nothing without a link. */
const linkedRecords = (parts: readonly SeriesPart[], { linkOf }: NumberSource): Sql => {
  const tables: string[] = []
  const ids: Sql[] = []
  for (const [at, part] of parts.entries())
    if ('field' in part) {
      tables.push(`${tableName(part.target)} linked${at}`)
      ids.push(sql`${raw(`linked${at}.id = `)}${linkOf(part.column)}`)
    }
  if (ids.length === 0) return nothing
  return sql`${raw(`FROM ${tables.join(', ')} WHERE `)}${join(ids, ' AND ')}`
}

/** What stands before or after the digits; null if a record that it is read from is not there. */
const aroundOf = (parts: readonly SeriesPart[], source: NumberSource): Sql => {
  const records = linkedRecords(parts, source)
  const around = joined(parts, source)
  return records === nothing ? around : sql`(SELECT ${around} ${records})`
}

/** What stands before and after the digits. */
export const counterOf = ({ before, after }: Series, source: NumberSource) => ({
  prefix: aroundOf(before, source),
  suffix: aroundOf(after, source),
})

/** The text of a number. */
export const numberText = (
  { digits }: Series,
  { prefix, number, suffix }: Readonly<Record<'prefix' | 'number' | 'suffix', Sql>>,
): Sql => sql`
  ${prefix} || lpad(${number}::text, greatest(${int(digits)}, length(${number}::text)), '0') || ${suffix}`

type Numbered = {
  readonly entity: Pick<Entity, 'key'>
  readonly column: Column
  readonly series: Series
}

export type NumberedField = Numbered & { readonly entity: Entity }

/** The columns of an entity with their series, in the order in which writers take their counters. */
export const numberedIn = kept((entity: Entity): readonly NumberedField[] =>
  numberedColumns(entity).flatMap((column) =>
    column.series ? [{ entity, column, series: column.series }] : [],
  ),
)

/** The next number of the counter of a record, taken by the statement that has this expression. */
export const nextNumber = (
  { entity, column, series }: Numbered,
  source: NumberSource,
  { prefix, suffix } = counterOf(series, source),
): Sql => {
  const { start, digits, isGapFree } = series
  const form = raw(`${start}::bigint, ${digits}::integer`)
  const counter = sql`${constant(entity.key)}, ${constant(column.name)}, ${prefix}, ${suffix}, ${form}`
  return isGapFree
    ? sql`docket.next_number(${counter}, true)`
    : sql`docket.next_with_gaps(${counter})`
}

/**
 * The same in a statement that writes one record: PostgreSQL may compute it once for all rows. What is before the digits is read first,
 * so that the expression of a number with gaps can stand in place of the call of its function (migration 0089).
 */
export const nextNumberOfOne = (numbered: Numbered, source: NumberSource): Sql => {
  const { before, after, isGapFree } = numbered.series
  if (isGapFree) return nextNumber(numbered, source)
  const around = { prefix: raw('n.prefix'), suffix: aroundOf(after, source) }
  return sql`(
    SELECT ${nextNumber(numbered, source, around)}
    FROM (SELECT ${joined(before, source)} AS prefix ${linkedRecords(before, source)} OFFSET 0) n
  )`
}

/** The counters that a record needs, as rows `n`: the column, what stands around its digits, and where it begins. */
export const countersOf = (numbered: readonly Numbered[], source: NumberSource): Sql => {
  const rows = numbered.map(({ column, series }) => {
    const { prefix, suffix } = counterOf(series, source)
    return sql`(${text(column.name)}, ${prefix}, ${suffix}, ${bigint(series.start)})`
  })
  return sql`(VALUES ${join(rows, ', ')}) AS n (column_name, prefix, suffix, start)`
}

/**
 * Locks counters in one order before records take numbers of several of them, so that no two writers wait for each other.
 * `rows` is a row source with the counters as `n`, of which those count that meet the condition.
 */
export const lockCounters = async (
  database: Queryable,
  { key }: Pick<Entity, 'key'>,
  rows: Sql,
  condition: Sql = sql`true`,
): Promise<void> => {
  await execute(
    database,
    sql`
      INSERT INTO docket.series AS s (entity_key, column_name, prefix, suffix, next)
      SELECT DISTINCT ${text(key)}, n.column_name, n.prefix, n.suffix, n.start
      FROM ${rows}
      WHERE ${condition} AND n.prefix IS NOT NULL AND n.suffix IS NOT NULL
      ORDER BY 1, 2, 3, 4
      ON CONFLICT (entity_key, column_name, prefix, suffix) DO UPDATE SET next = s.next`,
  )
}

/** Raises counters, which are locked, by as many numbers as `rows` has taken of them. */
export const raiseByTaken = async (
  database: Queryable,
  { key }: Pick<Entity, 'key'>,
  rows: Sql,
  condition: Sql,
): Promise<void> => {
  await execute(
    database,
    sql`
      UPDATE docket.series s SET next = s.next + c.taken
      FROM (
        SELECT n.column_name, n.prefix, n.suffix, count(*) AS taken
        FROM ${rows}
        WHERE ${condition}
        GROUP BY n.column_name, n.prefix, n.suffix
      ) c
      WHERE s.entity_key = ${text(key)} AND s.column_name = c.column_name
        AND s.prefix = c.prefix AND s.suffix = c.suffix`,
  )
}

const escaped = (literal: string): string => literal.replaceAll(/[^\p{L}\p{N} ]/gu, '\\$&')

/** A regular expression of PostgreSQL: what is before the digits, the digits, and what is after them. */
export const patternOf = ({ before, after }: Series): string => {
  const one = (part: SeriesPart): string => {
    if ('text' in part) return escaped(part.text)
    return 'date' in part ? part.date.pattern : '.+'
  }
  return `^(${before.map(one).join('')})([0-9]{1,18})(${after.map(one).join('')})$`
}

/**
 * The numbers of the form of a series that the records have, also those removed, or the rows of another source: `prefix`, `suffix` and
 * `number`.
 */
const givenNumbers = ({ entity, column, series }: Numbered, rows: Sql = table(entity)): Sql => sql`
  SELECT m[1] AS prefix, m[3] AS suffix, m[2]::bigint AS number
  FROM ${rows} t
  CROSS JOIN LATERAL regexp_match(t.${ref(column.name)}, ${text(patternOf(series))}) AS m
  WHERE m IS NOT NULL`

/** A query after which no counter of a series gives a number that the records have, or the rows of another source. */
export const raiseStatement = (numbered: Numbered, rows?: Sql): Sql => {
  const { entity, column } = numbered
  // In order, as all writers take counters.
  return sql`
    SELECT count(docket.raise_number(
      ${text(entity.key)}, ${text(column.name)}, l.prefix, l.suffix, l.next
    ))
    FROM (
      SELECT g.prefix, g.suffix, max(g.number) + 1 AS next
      FROM (${givenNumbers(numbered, rows)}) g
      GROUP BY g.prefix, g.suffix
      ORDER BY g.prefix, g.suffix
    ) l`
}

/**
 * Raises the counters of an entity above the numbers that its records have: after a write that gave numbers of its own, such as
 * seeds. No counter is lowered. In the transaction of that write.
 */
export const raiseSeries = async (database: Queryable, entity: Entity): Promise<void> => {
  for (const numbered of numberedIn(entity)) await execute(database, raiseStatement(numbered))
}

// Counters of number series as people look after them: where they are, what is missing below, and raising one.

/** What stands around the digits of a counter. */
type Around = { readonly prefix: string; readonly suffix: string }

/** Numbers are texts here: they may be larger than those of JavaScript. */
type Counter = Around & { readonly next: string }

const ofSeries = ({ entity, column }: NumberedField): Sql =>
  sql`s.entity_key = ${text(entity.key)} AND s.column_name = ${text(column.name)}`

/** The number that each counter of a series gives next. */
export const listCounters = (database: Queryable, numbered: NumberedField): Promise<Counter[]> =>
  queryOnce<Counter>(
    database,
    sql`
      SELECT s.prefix, s.suffix, docket.peek_number(s.next, s.sequence)::text AS next
      FROM docket.series s
      WHERE ${ofSeries(numbered)}
      ORDER BY s.prefix, s.suffix`,
  )

/** Numbers that no record has, from one to another. */
type Gap = Around & { readonly first: string; readonly last: string }

/**
 * Of each counter what is missing from the first number that a record has up to the one that comes next: at most so many.
 * Records that were removed for good are missing, too.
 */
export const findGaps = (
  database: Queryable,
  numbered: NumberedField,
  most: number,
): Promise<Gap[]> =>
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
  numbered: NumberedField,
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
  numbered: NumberedField,
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
  { series }: NumberedField,
  { prefix, suffix }: Around,
  number: string,
): string => `${prefix}${number.padStart(series.digits, '0')}${suffix}`

/** Every series of the entities. */
export const allNumbered = (entities: Iterable<Entity>): readonly NumberedField[] =>
  [...entities].flatMap(numberedIn)
