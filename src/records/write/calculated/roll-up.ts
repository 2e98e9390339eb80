/**
 * Rollups after a write: the records that the written one is part of are locked, and what is kept of their parts is calculated
 * anew by a statement after the lock, which sees what every earlier writer has committed. It is a change like any other, with
 * history and events, by whoever wrote the part.
 */
import { type Queryable, queryOnce, queryRows } from '../../../database/pool.ts'
import { int, ints, join, raw, ref, sql, table } from '../../../database/sql.ts'
import {
  isAffectedBy,
  type Rollup,
  rollupsFrom,
} from '../../../definitions/calculations/rollups.ts'
import {
  type Catalog,
  type Column,
  calculatedColumns,
  type Entity,
} from '../../../definitions/catalog.ts'
import type { SqlValue } from '../../../definitions/values/check-value.ts'
import { rollupSql } from '../../../schema-sync/calculations/calculation-sql.ts'
import type { Wholes } from '../write-context.ts'
import { updateStatement } from '../write-record.ts'
import { catchConflicts, WriteRejected } from '../write-rejected.ts'

type Writing = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly userId: number
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

/** The records that a record is part of, by rollup. */
export const findWholes = async (
  connection: Queryable,
  rollups: readonly Rollup[],
  id: number,
): Promise<Wholes> => {
  const [first] = rollups
  if (!first) return new Map()
  const links = [...new Set(rollups.map(({ link }) => link.name))]
  const cells = links.map((name) => ref(name, 't'))
  const [row] = await queryOnce<Record<string, number | null>>(
    connection,
    sql`SELECT ${join(cells, ', ')} FROM ${table(first.child)} t WHERE t.id = ${int(id)}`,
  )
  return new Map(
    rollups.flatMap((rollup) => {
      const whole = row?.[rollup.link.name] ?? null
      return whole === null ? [] : [[rollup, new Set([whole])]]
    }),
  )
}

/** Adds the records of others. */
export const addWholes = (wholes: Wholes, more: Wholes): void => {
  for (const [rollup, ids] of more) {
    const known = wholes.get(rollup) ?? new Set()
    for (const id of ids) known.add(id)
    wholes.set(rollup, known)
  }
}

/** Calculates them anew, and what is calculated from them; throws a WriteRejected where a result does not fit. */
export const rollUp = async (
  connection: Queryable,
  writing: Writing,
  wholes: Wholes,
): Promise<void> => {
  for (const [parent, rollups] of Map.groupBy(wholes.keys(), (rollup) => rollup.parent)) {
    const ids = [...new Set(rollups.flatMap((rollup) => [...(wholes.get(rollup) ?? [])]))]
    await lockWholes(connection, parent, ids)
    if (writing.laterRollups) continue
    const again: Wholes = new Map()
    for (const id of ids.sort((one, other) => one - other)) {
      const own = rollups.filter((rollup) => wholes.get(rollup)?.has(id))
      addWholes(again, await rollUpOne(connection, { ...writing, entity: parent }, own, id))
    }
    await rollUp(connection, writing, again)
  }
  if (writing.laterRollups) addWholes(writing.laterRollups, wholes)
}

/** In the order of their ids, so that two writers of the same ones wait instead of failing. */
const lockWholes = (connection: Queryable, parent: Entity, ids: readonly number[]) =>
  queryRows(
    connection,
    sql`SELECT t.id FROM ${table(parent)} t WHERE t.id = ANY (${ints(ids)}) ORDER BY t.id FOR NO KEY UPDATE`,
  )

/** Writes what is kept of one record, and returns what is calculated from that. */
const rollUpOne = async (
  connection: Queryable,
  { catalog, entity, userId }: Writing,
  rollups: readonly Rollup[],
  id: number,
): Promise<Wholes> => {
  const values = await readResults(connection, entity, rollups, id)
  const statement = updateStatement({
    ...{ entity, userId, values, change: { operation: 'change' } },
    row: sql`SELECT t.* FROM ${table(entity)} t WHERE t.id = ${int(id)}`,
    selected: [raw('c.id IS NOT NULL AS changed')],
  })
  const [row] = await catchConflicts(new Map(), () =>
    queryOnce<{ changed: boolean }>(connection, statement),
  ).catch((error: unknown) => {
    throw error instanceof WriteRejected ? tooLarge(rollups[0]) : error
  })
  if (!row?.changed) return new Map()
  const names = [...values.keys(), ...calculatedColumns(entity)].map(({ name }) => name)
  return findWholes(connection, affectedRollups({ catalog, entity }, names), id)
}

const readResults = async (
  connection: Queryable,
  parent: Entity,
  rollups: readonly Rollup[],
  id: number,
): Promise<ReadonlyMap<Column, SqlValue>> => {
  const cells = rollups.map(
    (rollup, index) => sql`${raw(rollupSql(rollup))}::text AS ${ref(`r${index}`)}`,
  )
  const [row] = await queryOnce<Record<string, string | null>>(
    connection,
    sql`SELECT ${join(cells, ', ')} FROM ${table(parent)} t WHERE t.id = ${int(id)}`,
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
