/** The numbers of series that a write takes, and the order in which several of them are taken. */
import type { Queryable } from '../../database/pool.ts'
import {
  countersOf,
  lockCounters,
  type NumberSource,
  nextNumber,
  numberedIn,
} from '../../database/series.ts'
import { bound, ints, ref, type Sql, sql, table } from '../../database/sql.ts'
import type { Column } from '../../definitions/catalog.ts'
import { isGivenOn, type SeriesEvent } from '../../definitions/series.ts'
import type { WriteContext } from './write-context.ts'
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
  const taken = numbered.map((one) => ({ column: one.column, value: nextNumber(one, source) }))
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
  return numbered.map((one) => ({ column: one.column, value: nextNumber(one, source) }))
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
