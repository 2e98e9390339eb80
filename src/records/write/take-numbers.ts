/** The numbers of series that a write takes, and the order in which several of them are taken. */
import type { Queryable } from '../../database/pool.ts'
import {
  counterOf,
  countersOf,
  lockCounters,
  type NumberedField,
  type NumberSource,
  nextNumber,
  nextNumberOfOne,
  numberedIn,
  numberText,
  raiseByTaken,
} from '../../database/series.ts'
import { anyOf, bound, ints, ref, type Sql, sql, table, text } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { isGivenOn, type SeriesEvent } from '../../definitions/series.ts'
import type { WriteContext } from './write-context.ts'
import type { SetCell } from './write-sets.ts'
import type { NumberCell, Values } from './write-statements.ts'

type Writing = Pick<WriteContext, 'entity' | 'timeZone'>

const numberedOn = ({ entity }: Writing, event: SeriesEvent) =>
  numberedIn(entity).filter(({ series }) => isGivenOn(series, event))

/** Links that the write gives come before those that the row under an alias has. */
const sourceOf = ({ entity, timeZone }: Writing, links: Values, alias?: string): NumberSource => ({
  timeZone,
  linkOf: (name) => {
    const column = entity.columnsByName.get(name)
    const given = column && links.get(column)
    if (given !== undefined || alias === undefined) return bound(given ?? null, 'integer')
    return ref(name, alias)
  },
})

/** Whether a record takes several numbers at once, for which their counters are locked before: in a transaction. */
export const takesSeveral = (writing: Writing, event: SeriesEvent): boolean =>
  numberedOn(writing, event).length > 1

/** The numbers of a new record: those that it takes, and those that are given. */
export const numbersOfNew = async (
  database: Queryable,
  writing: Writing & Pick<WriteContext, 'givenNumbers'>,
  values: Values,
): Promise<readonly NumberCell[]> => {
  const { givenNumbers } = writing
  const numbered = numberedOn(writing, 'create').filter(({ column }) => !givenNumbers?.has(column))
  const given = [...(givenNumbers ?? [])].map(([column, value]) => ({
    column,
    value: bound(value, 'text'),
  }))
  if (numbered.length === 0) return given
  const source = sourceOf(writing, values)
  if (numbered.length > 1)
    await lockCounters(database, writing.entity, countersOf(numbered, source))
  const taken = numbered.map((one) => ({ column: one.column, value: nextNumberOfOne(one, source) }))
  return [...given, ...taken]
}

/** The numbers that new records take, each of a row `v` with its links. */
export const numberCells = (writing: Writing): readonly NumberCell[] => {
  const source = sourceOf(writing, new Map(), 'v')
  return numberedOn(writing, 'create').map((one) => ({
    column: one.column,
    value: nextNumber(one, source),
  }))
}

/** Locks the counters without gaps of which new records take numbers, before the first does; `rowsOf` makes their rows with these links. */
export const lockCountersOfNew = async (
  database: Queryable,
  writing: Writing,
  rowsOf: (links: readonly Column[]) => Sql,
): Promise<void> => {
  const numbered = numberedOn(writing, 'create').filter(({ series }) => series.isGapFree)
  if (numbered.length === 0) return
  const counters = countersOf(numbered, sourceOf(writing, new Map(), 'v'))
  const rows = rowsOf(writing.entity.columns.filter(({ target }) => target !== undefined))
  await lockCounters(database, writing.entity, sql`${rows} v CROSS JOIN LATERAL ${counters}`)
}

/** The column of a gap-free number in the rows of a set. */
const nextOf = ({ column }: NumberedField): string => `_next_${column.name}`

/** A set of new records, each of a row `v` in their order as `_n`. */
type NewSet = {
  readonly rows: Sql
  /** What each record has in its columns. */
  readonly entered: readonly SetCell[]
  /** The names of the columns in which rows give numbers of their own. */
  readonly given: ReadonlySet<string>
}

/**
 * How a set of rows `v` gets its numbers, in their order. Of a counter without gaps they are one block, since raising it for each row would
 * leave as many versions of it; so it is locked before the statement of the set, and raised after it.
 */
export const numbersOfSet = ({ entity, timeZone }: Writing, { rows, entered, given }: NewSet) => {
  const source: NumberSource = {
    timeZone,
    linkOf: (name) =>
      entered.find(({ column }) => column.name === name)?.value ?? sql`NULL::integer`,
  }
  const all = numberedIn(entity)
  const taken = all.filter(({ series }) => isGivenOn(series, 'create'))
  const blocks = taken.filter(({ series }) => series.isGapFree)
  const lacks = ({ column }: NumberedField): Sql =>
    given.has(column.name) ? sql`${ref(column.name, 'v')} IS NULL` : sql`true`
  const numberOf = (one: NumberedField): readonly Sql[] => [
    ...(given.has(one.column.name) ? [ref(one.column.name, 'v')] : []),
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
    cells: all.flatMap((one): NumberCell[] => {
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
  one: NumberedField,
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

type Action = {
  readonly key: string
  readonly links: Values
}

/** The numbers that a record takes with an action, if it has none; the statement has its row as `t`. */
export const numbersOfAction = async (
  database: Queryable,
  writing: Writing,
  id: number,
  { key, links }: Action,
): Promise<readonly NumberCell[]> => {
  const numbered = numberedOn(writing, { action: key })
  if (numbered.length > 1) await lockCountersAhead(database, writing, [id], [{ key, links }])
  const source = sourceOf(writing, links, 't')
  return numbered.map((one) => ({ column: one.column, value: nextNumberOfOne(one, source) }))
}

/** Locks all counters of which records take numbers with one of several actions, before the first of them does. */
export const lockCountersAhead = async (
  database: Queryable,
  writing: Writing,
  ids: readonly number[],
  actions: readonly Action[],
): Promise<void> => {
  for (const { key, links } of actions) {
    const numbered = numberedOn(writing, { action: key })
    if (numbered.length === 0) continue
    const counters = countersOf(numbered, sourceOf(writing, links, 't'))
    await lockCounters(
      database,
      writing.entity,
      sql`${table(writing.entity)} t CROSS JOIN LATERAL ${counters}`,
      sql`t.id = ANY (${ints(ids)})`,
    )
  }
}
