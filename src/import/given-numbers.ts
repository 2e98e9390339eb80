/**
 * Numbers of series in a file. Those who may import what only the service writes give the numbers that records had in another system, also
 * such as no series gives; rows without one take the next number.
 */
import { execute, type Queryable } from '../database/pool.ts'
import {
  counterOf,
  countersOf,
  lockCounters,
  type NumberSource,
  nextNumber,
  numberedIn,
  numberText,
  patternOf,
  raiseByTaken,
  raised,
} from '../database/series.ts'
import { anyOf, bigint, raw, ref, type Sql, sql, text } from '../database/sql.ts'
import { isGivenOn } from '../definitions/series.ts'
import type { SetCell } from '../records/write/write-sets.ts'
import { faultRows, isRightIn, resolvedRows, type Staged } from './staged-rows.ts'

type Numbered = ReturnType<typeof numberedIn>[number]

const isGiven = ({ columns }: Staged, { column }: Numbered): boolean =>
  columns.some(({ name }) => name === column.name)

/** The place of a gap-free number in the rows of a set. */
const nextOf = ({ column }: Numbered): string => `_next_${column.name}`

/**
 * How a set of rows `v` gets its numbers, in their order. Of a counter without gaps they are one block, since raising it for each row would
 * leave as many versions of it; so it is locked before the statement of the set, and raised after it.
 */
export const numbersOfSet = (open: Staged, rows: Sql, entered: readonly SetCell[]) => {
  const { entity, context } = open
  const source: NumberSource = {
    timeZone: context.timeZone,
    linkOf: (name) =>
      entered.find(({ column }) => column.name === name)?.value ?? sql`NULL::integer`,
  }
  const all = numberedIn(entity)
  const taken = all.filter(({ series }) => isGivenOn(series, 'create'))
  const blocks = taken.filter(({ series }) => series.isGapFree)
  const lacks = ({ column }: Numbered): Sql =>
    open.columns.some(({ name }) => name === column.name)
      ? sql`${ref(column.name, 'v')} IS NULL`
      : sql`true`
  const numberOf = (one: Numbered): readonly Sql[] => [
    ...(isGiven(open, one) ? [ref(one.column.name, 'v')] : []),
    ...(blocks.includes(one) ? [ref(nextOf(one), 'v')] : []),
    ...(taken.includes(one) && !blocks.includes(one) ? [nextNumber(one, source)] : []),
  ]
  const counters = sql`${rows} v CROSS JOIN LATERAL ${countersOf(blocks, source)}`
  const isTaken = anyOf(
    blocks.map((one) => sql`(n.column_name = ${text(one.column.name)} AND ${lacks(one)})`),
  )
  return {
    rows: blocks.reduce(
      (before, one) => withNext(one, before, counterOf(one.series, source), lacks(one)),
      rows,
    ),
    cells: all.flatMap((one): SetCell[] => {
      const [first, next] = numberOf(one)
      if (!first) return []
      return [{ column: one.column, value: next ? sql`coalesce(${first}, ${next})` : first }]
    }),
    lock: async (database: Queryable): Promise<void> => {
      if (blocks.length > 0) await lockCounters(database, entity, counters, isTaken)
    },
    raise: async (database: Queryable): Promise<void> => {
      if (blocks.length > 0) await raiseByTaken(database, entity, counters, isTaken)
    },
  }
}

/** The rows with the number that each of them takes of its counter. */
const withNext = (
  one: Numbered,
  rows: Sql,
  { prefix, suffix }: ReturnType<typeof counterOf>,
  lacks: Sql,
): Sql => {
  const { name } = one.column
  const [before, after, isTaken] = [`_prefix_${name}`, `_suffix_${name}`, `_lacks_${name}`]
  const place = sql`row_number() OVER (
    PARTITION BY ${ref(before, 'v')}, ${ref(after, 'v')}, ${ref(isTaken, 'v')}
    ORDER BY v._n
  )`
  const number = numberText(one.series, {
    prefix: ref(before, 'v'),
    number: sql`(s.next + ${place} - 1)`,
    suffix: ref(after, 'v'),
  })
  return sql`(
    SELECT v.*, CASE WHEN ${ref(isTaken, 'v')} THEN ${number} END AS ${ref(nextOf(one))}
    FROM (
      SELECT v.*, ${prefix} AS ${ref(before)}, ${suffix} AS ${ref(after)}, ${lacks} AS ${ref(isTaken)}
      FROM ${rows} v
    ) v
    LEFT JOIN docket.series s ON s.entity_key = ${text(one.entity.key)} AND s.column_name = ${text(name)}
      AND s.prefix = ${ref(before, 'v')} AND s.suffix = ${ref(after, 'v')}
    ORDER BY v._n
  )`
}

/**
 * Raises the counters above all numbers that rows of the file give new records, before the first row takes a number. A trial leaves
 * counters with gaps as they are, since what it does to them is not taken back.
 */
export const raiseAboveGiven = async (
  database: Queryable,
  open: Staged,
  which: Sql,
  { isTrial = false } = {},
): Promise<void> => {
  const { plan, columns, entity } = open
  const given = numberedIn(entity).filter((one) => isGiven(open, one))
  if (plan.mode === 'update' || given.length === 0) return
  const read = columns.filter(({ name, column }) => column.series || plan.match.includes(name))
  const rows = sql`(
    SELECT v.* FROM ${resolvedRows({ ...open, columns: read }, which)} v WHERE v._match IS NULL
  )`
  for (const one of given)
    if (!isTrial || one.series.isGapFree) await execute(database, raised(one, rows))
}

// More than any format has zeros; the largest that PostgreSQL counts has 19 digits.
const largest = '999999999999999'

/** Rows whose number is so large that few are left after it. */
export const checkNumbers = async (database: Queryable, staged: Staged): Promise<void> => {
  const { plan } = staged
  if (plan.mode === 'update') return
  for (const one of numberedIn(staged.entity)) {
    const given = staged.columns.find(({ name }) => name === one.column.name)
    if (!given) continue
    const cell = raw(`s.${given.slot}`)
    const digits = sql`(regexp_match(${cell}, ${text(patternOf(one.series))}))[2]::bigint`
    await faultRows(database, staged, {
      column: given.head,
      shown: cell,
      message: text(
        `is too large: its number is at most ${largest}, so that numbers are left for new records`,
      ),
      when: sql`${isRightIn([given])} AND ${digits} > ${bigint(largest)}`,
    })
  }
}
