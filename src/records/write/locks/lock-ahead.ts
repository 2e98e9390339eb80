/**
 * Locks all that a write needs before it reads any of it, in one order, by entity and id, so that writers wait for each other
 * and never both. Which records these are is read first, and again once they are locked: if links have changed meanwhile, all
 * locks are given back, and it begins anew.
 */
import { type Queryable, queryShaped } from '../../../database/pool.ts'
import {
  allOf,
  anyOf,
  ints,
  notDeleted,
  type Sql,
  sql,
  table,
  text,
} from '../../../database/sql.ts'
import { getEntity } from '../../../definitions/catalog.ts'
import { apiError } from '../../../errors.ts'
import { compileScope } from '../../../query/compile-select.ts'
import { mayWrite } from '../native-guards.ts'
import type { WriteContext } from '../write-context.ts'
import { findNeeded, type NeededRecords } from './needed-records.ts'
import { compileNeeds, needsOthers, type Way, type WriteNeeds } from './write-needs.ts'

/**
 * Locks all that the writes of some records need, and returns those of the records that may be written: the others are not
 * locked. In a transaction.
 */
export const lockAhead = (
  connection: Queryable,
  context: WriteContext,
  needs: WriteNeeds,
  ids: readonly number[],
  which: Sql = notDeleted('t'),
): Promise<ReadonlySet<number>> =>
  untilStill(connection, async () => {
    const written = await findWritable(connection, context, needs, ids, which)
    const isStill = written.length === 0 || (await holdStill(connection, context, needs, written))
    return isStill ? { locked: new Set(written) } : undefined
  })

/** The same for a new record, before it is written: a row that links to others already holds a part of them. */
export const lockAheadOfNew = (
  connection: Queryable,
  context: WriteContext,
  needs: WriteNeeds,
): Promise<undefined> =>
  untilStill(connection, async () => {
    const isStill = await holdStill(connection, context, needs, 'new')
    return isStill ? { locked: undefined } : undefined
  })

const maxTries = 20

/** Works behind a savepoint until there is a result. */
const untilStill = async <T>(
  connection: Queryable,
  work: () => Promise<{ readonly locked: T } | undefined>,
): Promise<T> => {
  for (let tries = 0; tries < maxTries; tries++) {
    await connection.query('SAVEPOINT ahead')
    const result = await work()
    const end = result ? '' : 'ROLLBACK TO SAVEPOINT ahead; '
    await connection.query(`${end}RELEASE SAVEPOINT ahead`)
    if (result) return result.locked
  }
  throw apiError('request.contended', 'The links of these records change all the time.', {
    headers: { 'Retry-After': '1' },
  })
}

/** Locks; false if links have changed meanwhile, so that others are needed. */
const holdStill = async (
  connection: Queryable,
  context: WriteContext,
  needs: WriteNeeds,
  ids: readonly number[] | 'new',
): Promise<boolean> => {
  const held = await findNeeded(connection, context, needs, ids)
  await lockAll(connection, context, held)
  return (
    !needsOthers(context, needs) ||
    isWithin(await findNeeded(connection, context, needs, ids), held)
  )
}

const findWritable = async (
  connection: Queryable,
  context: WriteContext,
  { ways }: WriteNeeds,
  ids: readonly number[],
  which: Sql,
): Promise<readonly number[]> => {
  const { entity, scope, access } = context
  const conditions = (ways ?? []).flatMap(({ condition }) => condition ?? [])
  const compiled = compileNeeds(context, conditions)
  const holds = new Map(conditions.map((one, at) => [one, compiled.conditions[at]] as const))
  const inWay = ({ step, condition }: Way): Sql =>
    allOf([
      step === undefined ? sql`true` : sql`t._step = ${text(step)}`,
      (condition && holds.get(condition)) ?? sql`true`,
    ])
  const select = sql`
    SELECT t.id
    FROM ${table(entity)} t${compiled.joins}
    WHERE t.id = ANY (${ints(ids)}) AND ${which} AND ${mayWrite(context)}
      AND ${compileScope(scope, entity.hasOwner, 't')}
      AND ${compileScope(access.readScope(entity), entity.hasOwner, 't')}
      AND ${ways ? anyOf(ways.map(inWay)) : sql`true`}`
  return (await queryShaped<{ id: number }>(connection, select)).map(({ id }) => id)
}

/** All of one entity in the same mode: two of them would need an order of their own. */
const lockAll = async (
  connection: Queryable,
  { catalog }: WriteContext,
  held: NeededRecords,
): Promise<void> => {
  const byKey = [...held].toSorted(([one], [other]) => (one < other ? -1 : 1))
  for (const [key, { ids, isWritten }] of byKey) {
    if (ids.size === 0) continue
    // NO KEY: ids never change, so writers of records that link to these neither wait nor deadlock.
    const mode = isWritten ? sql`FOR NO KEY UPDATE` : sql`FOR SHARE`
    const select = sql`
      SELECT FROM ${table(getEntity(catalog, key))} t
      WHERE t.id = ANY (${ints([...ids])})
      ORDER BY t.id
      ${mode}`
    await queryShaped(connection, select)
  }
}

const isWithin = (needed: NeededRecords, held: NeededRecords): boolean =>
  [...needed].every(([key, { ids, isWritten }]) => {
    const locked = held.get(key)
    if (ids.size === 0) return true
    return locked !== undefined && (locked.isWritten || !isWritten) && ids.isSubsetOf(locked.ids)
  })
