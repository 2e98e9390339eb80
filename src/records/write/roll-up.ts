/**
 * Rollups after a write: the records that the written one is part of are locked, and what is kept of their parts is calculated
 * again by a statement after the lock, which sees what every earlier writer has committed. It is a change like any other, with
 * history and events, by the writer of the part.
 */
import type { RecordAuthor } from '../../auth/caller.ts'
import { type Queryable, queryRows, queryShaped } from '../../database/pool.ts'
import { int, ints, join, raw, ref, type Sql, sql, table } from '../../database/sql.ts'
import { isAffectedBy, type Rollup, rollupsFrom } from '../../definitions/calculations/rollups.ts'
import {
  type Catalog,
  type Column,
  calculatedColumns,
  type Entity,
} from '../../definitions/catalog.ts'
import type { SqlValue } from '../../definitions/values/check-value.ts'
import { rollupSql } from '../../schema-sync/calculations/calculation-sql.ts'
import type { Wholes } from './write-context.ts'
import { catchConflicts, WriteRejected } from './write-rejected.ts'
import { updateStatement, type Values } from './write-statements.ts'

type Writing = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly author: RecordAuthor
  /** The zone of times without an offset. */
  readonly timeZone: string
  readonly isQuiet?: boolean
  /** Filled instead of calculating at once: what is calculated when all parts are written. */
  readonly laterRollups?: Wholes
}

/** The rollups that a write of these columns may change; all of them without names. */
export const affectedRollups = (
  { catalog, entity }: Pick<Writing, 'catalog' | 'entity'>,
  changed?: Iterable<string>,
): readonly Rollup[] => {
  const all = rollupsFrom(catalog, entity)
  if (all.length === 0 || changed === undefined) return all
  const names = new Set(changed)
  return all.filter((rollup) => isAffectedBy(rollup, names))
}

/**
 * Locks the records that a record is part of, also those that `values` link it to, and returns them by rollup. In the order of
 * their ids, so that two writers of the same ones wait instead of failing.
 */
export const lockWholes = async (
  database: Queryable,
  rollups: readonly Rollup[],
  id: number,
  values: Values = new Map(),
): Promise<Wholes> => {
  const wholes: Wholes = new Map()
  for (const [parent, own] of Map.groupBy(rollups, (rollup) => rollup.parent)) {
    const links = [...new Set(own.map(({ link }) => link))]
    const ids = links.flatMap((link) => [ref(link.name, 'c'), ...newLink(values.get(link))])
    const cells = links.map((link) => {
      const linked = [ref(link.name, 'c'), ...newLink(values.get(link))]
      return sql`t.id IN (${join(linked, ', ')}) AS ${ref(link.name)}`
    })
    const rows = await queryRows<Record<string, boolean> & { readonly id: number }>(
      database,
      sql`
        SELECT t.id, ${join(cells, ', ')}
        FROM ${table(own[0]?.child ?? parent)} c
        JOIN ${table(parent)} t ON t.id IN (${join(ids, ', ')})
        WHERE c.id = ${int(id)}
        ORDER BY t.id
        FOR NO KEY UPDATE OF t`,
    )
    for (const rollup of own) {
      const linked = rows.filter((row) => row[rollup.link.name])
      if (linked.length > 0) wholes.set(rollup, new Set(linked.map((row) => row.id)))
    }
  }
  return wholes
}

const newLink = (value: SqlValue | undefined): readonly Sql[] =>
  typeof value === 'number' ? [int(value)] : []

/** The records that several records are part of, which are locked already. */
export const findWholes = async (
  database: Queryable,
  rollups: readonly Rollup[],
  ids: readonly number[],
): Promise<Wholes> => {
  const wholes: Wholes = new Map()
  for (const rollup of rollups) {
    const link = ref(rollup.link.name, 'c')
    const rows = await queryRows<{ id: number }>(
      database,
      sql`
        SELECT DISTINCT ${link} AS id
        FROM ${table(rollup.child)} c
        WHERE c.id = ANY (${ints(ids)}) AND ${link} IS NOT NULL`,
    )
    if (rows.length > 0) wholes.set(rollup, new Set(rows.map(({ id }) => id)))
  }
  return wholes
}

export const addWholes = (wholes: Wholes, more: Wholes): void => {
  for (const [rollup, ids] of more) {
    const known = wholes.get(rollup) ?? new Set()
    for (const id of ids) known.add(id)
    wholes.set(rollup, known)
  }
}

/** As `calculate`; with `laterRollups`, the records are only added to it. */
export const rollUp = async (
  database: Queryable,
  writing: Writing,
  wholes: Wholes,
): Promise<void> => {
  if (writing.laterRollups) addWholes(writing.laterRollups, wholes)
  else await calculate(database, writing, wholes)
}

/**
 * Calculates locked records again, and what is calculated from them; throws a WriteRejected where a result does not fit. With
 * `laterRollups`, what is calculated from them is only added to it.
 */
export const calculate = async (
  database: Queryable,
  writing: Writing,
  wholes: Wholes,
): Promise<void> => {
  for (const [parent, rollups] of Map.groupBy(wholes.keys(), (rollup) => rollup.parent)) {
    const ids = new Set(rollups.flatMap((rollup) => [...(wholes.get(rollup) ?? [])]))
    const above: Wholes = new Map()
    for (const id of [...ids].sort((one, other) => one - other)) {
      const own = rollups.filter((rollup) => wholes.get(rollup)?.has(id))
      addWholes(above, await rollUpOne(database, { ...writing, entity: parent }, own, id))
    }
    await rollUp(database, writing, above)
  }
}

/** Writes what is kept of one record, and returns what is calculated from that. */
const rollUpOne = async (
  database: Queryable,
  writing: Writing,
  rollups: readonly Rollup[],
  id: number,
): Promise<Wholes> => {
  const { catalog, entity, author } = writing
  const values = await readResults(database, writing, rollups, id)
  const statement = updateStatement({
    entity,
    author,
    values,
    change: { operation: 'change' },
    isQuiet: writing.isQuiet,
    row: sql`SELECT t.* FROM ${table(entity)} t WHERE t.id = ${int(id)}`,
    selected: [raw('c.id IS NOT NULL AS changed')],
  })
  const [row] = await catchConflicts(new Map(), () =>
    queryShaped<{ changed: boolean }>(database, statement),
  ).catch((error: unknown) => {
    throw error instanceof WriteRejected ? tooLarge(rollups[0]) : error
  })
  if (!row?.changed) return new Map()
  const names = [...values.keys(), ...calculatedColumns(entity)].map(({ name }) => name)
  return lockWholes(database, affectedRollups({ catalog, entity }, names), id)
}

const readResults = async (
  database: Queryable,
  writing: Writing,
  rollups: readonly Rollup[],
  id: number,
): Promise<Values> => {
  const cells = rollups.map(
    (rollup, index) => sql`${rollupSql(writing, rollup)}::text AS ${ref(`r${index}`)}`,
  )
  const [row] = await queryRows<Record<string, string | null>>(
    database,
    sql`SELECT ${join(cells, ', ')} FROM ${table(writing.entity)} t WHERE t.id = ${int(id)}`,
  )
  return new Map(
    rollups.map((rollup, index) => {
      const result = row?.[`r${index}`] ?? null
      if (result !== null && !fits(rollup.column, result)) throw tooLarge(rollup)
      return [rollup.column, result]
    }),
  )
}

const fits = ({ type }: Column, result: string): boolean => {
  if (type.cell === 'date' || type.cell === 'timestamp') return true
  const given = type.cell === 'integer' ? Number(result) : result
  return 'value' in type.check(given, 'UTC')
}

// The whole may have fields that the writer of its part does not know.
const tooLarge = (rollup: Rollup | undefined): WriteRejected =>
  new WriteRejected(
    new Map(),
    [],
    [
      {
        path: rollup?.source?.name ?? '',
        message: 'makes a value too large that another record calculates from it',
        rule: 'refused',
      },
    ],
  )
