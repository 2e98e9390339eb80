/**
 * Sets of records that are written by one statement, with all that a write of one record asks. A set that is refused is divided until
 * single records are left, which are written as by the endpoint for one record: why it refuses one is reported. Sets are faster, and
 * decide nothing that single writes do not.
 */
import { roleKeysOf } from '../../auth/caller.ts'
import { isRefusal } from '../../database/database-errors.ts'
import { type Connection, type Queryable, queryOnce } from '../../database/pool.ts'
import { join, ref, type Sql, sql, table } from '../../database/sql.ts'
import { partOf } from '../../database/transaction.ts'
import type { Column } from '../../definitions/catalog.ts'
import { lockingLists, lockingSteps, locksOfStep } from '../../definitions/step-locks.ts'
import { hasEvery } from '../../query/access.ts'
import { findUnmetOfEach } from '../../query/conditions/decide-conditions.ts'
import type { Condition } from '../../query/criteria/criteria.ts'
import { readsCallerDefaults } from './caller-defaults.ts'
import { conditionsOf, validationConditions } from './conditions.ts'
import { lockAhead } from './lock-record.ts'
import { addWholes, affectedRollups, findWholes, rollUp } from './roll-up.ts'
import type { WriteContext } from './write-context.ts'
import { WriteRejected } from './write-rejected.ts'
import { insertSet, type SetCell, updateSet } from './write-sets.ts'

/** A set of which not every record may be written so. */
export class SetRefused extends Error {}

// Fewer are written one by one, when not all of them may be.
const fewRecords = 8

/** Whether records may be written in sets; what decides record by record otherwise is asked of each. */
export const writesSets = (
  context: WriteContext,
  right: 'update' | 'delete' = 'update',
): boolean => {
  const { entity } = context
  const roleKeys = roleKeysOf(context)
  const steps = entity.definition.workflow?.steps ?? []
  return (
    decidesAlike(context, right) &&
    !steps.some(({ key }) => locksOfStep(entity, key, roleKeys) !== undefined)
  )
}

/** Whether new records may be written in sets: not those that take a default from what their user links to. */
export const createsSets = (context: WriteContext): boolean =>
  decidesAlike(context, 'update') && !readsCallerDefaults(context.entity)

const decidesAlike = (context: WriteContext, right: 'update' | 'delete'): boolean => {
  const { entity, catalog, roles = [] } = context
  const roleKeys = roleKeysOf(context)
  const isLocked = lockingLists(catalog, entity).some(
    (list) => lockingSteps(list, roleKeys).length > 0,
  )
  const isAlike = roles.every(
    ({ rights, scopeOf }) =>
      Object.keys(rights.conditions).length === 0 &&
      [scopeOf(right), scopeOf('read')].every((scope) => scope === 'none' || hasEvery(scope)),
  )
  return !entity.isNative && !isLocked && isAlike
}

type Ways<T> = {
  /** Writes all of them, or throws; undefined: these are not written in sets. */
  readonly together: ((items: readonly T[]) => Promise<void>) | undefined
  readonly alone: (item: T) => Promise<void>
}

/** Writes them together, or in smaller sets where that is refused. */
export const divide = async <T>(
  connection: Connection,
  items: readonly T[],
  ways: Ways<T>,
): Promise<void> => {
  const { together, alone } = ways
  if (items.length === 0) return
  if (together && (await isWritten(connection, () => together(items)))) return
  if (together && items.length > fewRecords) {
    const middle = items.length >> 1
    await divide(connection, items.slice(0, middle), ways)
    await divide(connection, items.slice(middle), ways)
  } else for (const item of items) await alone(item)
}

/** False, and nothing is written, if it is refused. */
const isWritten = async (connection: Connection, work: () => Promise<void>): Promise<boolean> => {
  try {
    await partOf(connection).transact(work)
    return true
  } catch (error) {
    if (error instanceof SetRefused || error instanceof WriteRejected || isRefusal(error))
      return false
    throw error
  }
}

/** Throws SetRefused unless all records meet the conditions. */
const requireMet = async (
  database: Queryable,
  context: WriteContext,
  ids: readonly number[],
  conditions: readonly Condition[],
): Promise<void> => {
  const conditional = new Map(conditions.map((condition) => [condition, condition]))
  const found = await findUnmetOfEach(
    database,
    context,
    { entity: context.entity, ids },
    conditional,
  )
  if ([...found.values()].some(({ size }) => size > 0)) throw new SetRefused()
}

type NewSet = {
  /** In the order in which they are written. */
  readonly rows: Sql
  readonly cells: readonly SetCell[]
  /** What each record meets once it is written. */
  readonly conditions: readonly Condition[]
}

/** Creates a record of each row, and calculates what follows from them; returns their ids in order. What they need is locked. */
export const createSetOf = async (
  connection: Connection,
  context: WriteContext,
  { conditions, ...set }: NewSet,
): Promise<readonly number[]> => {
  const { entity, author } = context
  const statement = insertSet({ entity, author, ...set, withEvents: !context.isQuiet })
  const [created] = await queryOnce<{ ids: number[] }>(connection, statement)
  const ids = created?.ids ?? []
  const rollups = affectedRollups(context)
  if (rollups.length > 0)
    await rollUp(connection, context, await findWholes(connection, rollups, ids))
  await requireMet(connection, context, ids, conditions)
  return ids
}

export type SetOfChanges = {
  readonly ids: readonly number[]
  /** Of each record a row `v`, whose `_match` is its id. */
  readonly rows: Sql
  /** What is written, from the row `v` and the record as it is, `b`. */
  readonly cells: readonly SetCell[]
  /** A link as it will be, from the row `v` and the record `t`; undefined: as it is. */
  readonly linkOf: (link: Column) => Sql | undefined
  readonly operation: 'change' | 'remove'
  /** On the rows `v` and `b`. */
  readonly condition?: Sql
}

/** Changes or removes records; returns the ids of those in which a value differed. Throws SetRefused unless all of them may be. */
export const changeSetOf = async (
  connection: Connection,
  context: WriteContext,
  { ids, rows, cells, linkOf, operation, ...set }: SetOfChanges,
): Promise<readonly number[]> => {
  const { entity, author } = context
  const right = operation === 'remove' ? 'delete' : 'update'
  const columns = cells.map(({ column }) => column)
  const names = columns.map(({ name }) => name)
  const validations = operation === 'remove' ? [] : validationConditions(context, columns)
  const conditions = conditionsOf(context, right)
  const linkCell = (link: Column) =>
    sql`${linkOf(link) ?? ref(link.name, 't')} AS ${ref(link.name)}`
  const needs = {
    columns: names,
    links: new Map(),
    conditions: [...conditions, ...validations],
    rows: (links: readonly Column[]) => sql`(
      SELECT ${join([sql`t.id`, ...links.map(linkCell)], ', ')}
      FROM ${rows} v
      JOIN ${table(entity)} t ON t.id = v._match
    )`,
  }
  const locked = await lockAhead(connection, context, needs, ids)
  if (locked.size < ids.length) throw new SetRefused()
  await requireMet(connection, context, ids, conditions)
  const rollups = affectedRollups(context, names)
  const wholes = await findWholes(connection, rollups, ids)
  const withEvents = !context.isQuiet
  const statement = updateSet({ entity, author, rows, cells, operation, withEvents, ...set })
  const changed = (await queryOnce<{ id: number }>(connection, statement)).map(({ id }) => id)
  addWholes(wholes, await findWholes(connection, rollups, changed))
  if (wholes.size > 0) await rollUp(connection, context, wholes)
  await requireMet(connection, context, changed, [...conditions, ...validations])
  return changed
}
