/**
 * Writes rows of a run: sets of them by one statement, with all that a write of one record asks. A set that is refused is divided until
 * single rows are left, which are written as by the endpoint for one record: why it refuses one is the fault of the row. Sets are
 * faster, and decide nothing that single writes do not.
 */
import { roleKeysOf } from '../auth/caller.ts'
import { type Connection, type Queryable, queryOnce } from '../database/pool.ts'
import { lockCounters } from '../database/series.ts'
import {
  anyOf,
  bigint,
  int,
  join,
  ref,
  type Sql,
  sql,
  table,
  tableName,
  text,
} from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import type { Column } from '../definitions/catalog.ts'
import { isGivenOn } from '../definitions/series.ts'
import { lockingLists, lockingSteps, locksOfStep } from '../definitions/step-locks.ts'
import { callerDefaultOf } from '../definitions/values/field-defaults.ts'
import { hasEvery } from '../query/access.ts'
import { findUnmetOfEach } from '../query/conditions/decide-conditions.ts'
import type { Condition } from '../query/criteria/criteria.ts'
import { needsTransaction } from '../records/write/change-record.ts'
import { conditionsOf, validationConditions } from '../records/write/conditions.ts'
import { lockAhead } from '../records/write/lock-record.ts'
import { addWholes, affectedRollups, findWholes, rollUp } from '../records/write/roll-up.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import type { WriteNeeds } from '../records/write/write-needs.ts'
import { WriteRejected } from '../records/write/write-rejected.ts'
import { insertSet, updateSet } from '../records/write/write-sets.ts'
import type { OpenRun } from './open-run.ts'
import {
  countersOfNew,
  defaultSql,
  historyCells,
  isChangedBy,
  newCells,
  type Written,
  type WrittenRecord,
} from './row-values.ts'
import { inPlaces, isUnresolved, resolvedRows, valueOfMatched } from './staged-rows.ts'
import { writeRow } from './write-row.ts'

/** A set of which not every row may be written so. */
class SetRefused extends Error {}

// Fewer are written one by one, when not all of them may be.
const fewRows = 8

/** Whether rows may be written in sets; what decides record by record otherwise is asked of each. */
export const writesSets = (context: WriteContext): boolean => {
  const { entity, catalog, roles = [] } = context
  if (entity.isNative) return false
  const roleKeys = roleKeysOf(context)
  const steps = entity.definition.workflow?.steps ?? []
  const isLocked =
    lockingLists(catalog, entity).some((list) => lockingSteps(list, roleKeys).length > 0) ||
    steps.some(({ key }) => locksOfStep(entity, key, roleKeys) !== undefined)
  const isAlike = roles.every(
    ({ rights, scopeOf }) =>
      Object.keys(rights.conditions).length === 0 &&
      [scopeOf('update'), scopeOf('read')].every((scope) => scope === 'none' || hasEvery(scope)),
  )
  return !isLocked && isAlike
}

/**
 * Whether new records may be written in sets: not those that take numbers or defaults of their user, which statements of single writes
 * have.
 */
export const createsSets = (context: WriteContext): boolean =>
  writesSets(context) &&
  !context.entity.columns.some(
    ({ series, field }) =>
      (series && isGivenOn(series, 'create')) || callerDefaultOf(field) !== undefined,
  )

type Target = { readonly n: number; readonly match: number | null; readonly is_resolved: boolean }

const findTargets = (
  database: Queryable,
  open: OpenRun,
  places: readonly number[],
): Promise<Target[]> => {
  const links = open.columns.filter(({ path }) => path).map((one) => isUnresolved(one, 'v'))
  return queryOnce<Target>(
    database,
    sql`
      SELECT v._n AS n, v._match AS match, NOT ${anyOf(links)} AS is_resolved
      FROM ${resolvedRows(open, inPlaces(places))} v
      ORDER BY v._n`,
  )
}

/** Writes the rows of these places, in a transaction. Of a trial, rows that link to rows of the file are left out. */
export const writePlaces = async (
  connection: Connection,
  open: OpenRun,
  places: readonly number[],
  { isTrial = false } = {},
): Promise<Written> => {
  const done: Written = { created: 0, changed: 0, unchanged: 0, faults: [], records: [] }
  let rest = places
  while (rest.length > 0) {
    const targets = await findTargets(connection, open, rest)
    const ready = targets.filter((one) => one.is_resolved)
    if (ready.length === 0) break
    const matched = ready.filter(({ match }) => match !== null)
    const others = ready.filter(({ match }) => match === null)
    await divide(connection, open, matched, done, open.updating, changeSet)
    await divide(connection, open, others, done, open.creating, createSet)
    // Those that link to a row that has been written now.
    rest = targets.filter((one) => !one.is_resolved).map(({ n }) => n)
  }
  if (!isTrial) for (const n of rest) await writeRow(connection, open, n, done)
  return done
}

type WriteSet = (
  connection: Connection,
  open: OpenRun,
  context: WriteContext,
  targets: readonly Target[],
) => Promise<Omit<Written, 'faults'>>

const divide = async (
  connection: Connection,
  open: OpenRun,
  targets: readonly Target[],
  done: Written,
  context: WriteContext | undefined,
  write: WriteSet,
): Promise<void> => {
  if (targets.length === 0) return
  const mayBeSet = write === createSet ? createsSets : writesSets
  if (context && mayBeSet(context) && isOfMode(open, targets)) {
    const written = await attempt(connection, () => write(connection, open, context, targets))
    if (written) return addCounts(done, written)
    if (targets.length > fewRows) {
      const middle = targets.length >> 1
      await divide(connection, open, targets.slice(0, middle), done, context, write)
      await divide(connection, open, targets.slice(middle), done, context, write)
      return
    }
  }
  for (const { n } of targets) await writeRow(connection, open, n, done)
}

const isOfMode = ({ plan }: OpenRun, [one]: readonly Target[]): boolean =>
  plan.mode !== (one?.match === null ? 'update' : 'insert')

const addCounts = (
  done: Written,
  { created, changed, unchanged, records }: Omit<Written, 'faults'>,
) => {
  for (const one of records) done.records.push(one)
  done.created += created
  done.changed += changed
  done.unchanged += unchanged
}

/** Undefined, and nothing is written, if it is refused. */
const attempt = async <T>(
  connection: Connection,
  work: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await partOf(connection).transact(work)
  } catch (error) {
    if (error instanceof SetRefused || error instanceof WriteRejected || isRefusal(error))
      return undefined
    throw error
  }
}

// SQLSTATE classes: 22 data exception, 23 integrity violation, 54 a limit of PostgreSQL.
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && /^(22|23|54)/.test(String((error as { code?: unknown }).code ?? ''))

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

/** The links of rows as they will be, for the records that their write needs. */
const linksOf = (
  open: OpenRun,
  links: readonly Column[],
  rows: Sql,
  { id, other }: { readonly id: Sql; readonly other: (link: Column) => Sql },
): Sql => {
  const cells = links.map((link) => {
    const isGiven = open.columns.some(({ name }) => name === link.name)
    const value = isGiven ? sql`coalesce(${ref(link.name, 'v')}, ${other(link)})` : other(link)
    return sql`${value} AS ${ref(link.name)}`
  })
  return sql`(SELECT ${join([sql`${id} AS id`, ...cells], ', ')} FROM ${rows})`
}

const recordsOf = (ids: readonly number[], isCreated: boolean): WrittenRecord[] =>
  ids.map((id) => ({ id, isCreated }))

const createSet: WriteSet = async (connection, open, context, targets) => {
  const { entity, author, userId } = context
  const places = targets.map(({ n }) => n)
  const rows = sql`(SELECT * FROM ${resolvedRows(open, inPlaces(places))} w ORDER BY w._n)`
  const conditions = [...conditionsOf(context, 'create'), ...validationConditions(context)]
  const needs: WriteNeeds = {
    links: new Map(),
    conditions,
    rows: (links) =>
      linksOf(open, links, sql`${rows} v`, {
        id: sql`0`,
        other: (link) => (link.isSystem ? int(userId) : defaultSql(open, link)),
      }),
  }
  if (needsTransaction(context)) await lockAhead(connection, context, needs, 'new')
  const counters = countersOfNew(open)
  if (counters)
    await lockCounters(connection, entity, sql`${rows} v CROSS JOIN LATERAL ${counters}`)
  const cells = [...newCells(open), ...historyCells(open)]
  const statement = insertSet({ entity, author, rows, cells, withEvents: open.plan.notify })
  const created = await queryOnce<{ id: number }>(connection, statement)
  const ids = created.map(({ id }) => id)
  if (cells.some(({ column }) => column.name === 'id')) await raiseIds(connection, open, ids)
  const rollups = affectedRollups(context)
  if (rollups.length > 0)
    await rollUp(connection, context, await findWholes(connection, rollups, ids))
  await requireMet(connection, context, ids, conditions)
  return { created: ids.length, changed: 0, unchanged: 0, records: recordsOf(ids, true) }
}

/** New records of the service have ids above those that were given. */
const raiseIds = (
  database: Queryable,
  { entity }: OpenRun,
  ids: readonly number[],
): Promise<unknown> =>
  queryOnce(
    database,
    sql`
      SELECT setval(q.sequence, q.highest)
      FROM (
        SELECT pg_get_serial_sequence(${text(tableName(entity.key))}, 'id')::regclass AS sequence,
          ${bigint(Math.max(0, ...ids))} AS highest
      ) q
      WHERE coalesce(pg_sequence_last_value(q.sequence), 0) < q.highest`,
  )

const changeSet: WriteSet = async (connection, open, context, targets) => {
  const { entity, author } = context
  const written = open.columns.map(({ column }) => column).filter((one) => isChangedBy(open, one))
  if (written.length === 0)
    return { created: 0, changed: 0, unchanged: targets.length, records: [] }
  const ids = targets.flatMap(({ match }) => match ?? [])
  const rows = resolvedRows(open, inPlaces(targets.map(({ n }) => n)))
  const validations = validationConditions(context, written)
  const conditions = conditionsOf(context, 'update')
  const names = written.map(({ name }) => name)
  const locked = await lockAhead(
    connection,
    context,
    {
      columns: names,
      links: new Map(),
      conditions: [...conditions, ...validations],
      rows: (links) =>
        linksOf(open, links, sql`${rows} v JOIN ${table(entity)} t ON t.id = v._match`, {
          id: sql`t.id`,
          other: (link) => ref(link.name, 't'),
        }),
    },
    ids,
  )
  if (locked.size < ids.length) throw new SetRefused()
  await requireMet(connection, context, ids, conditions)
  const rollups = affectedRollups(context, names)
  const wholes = await findWholes(connection, rollups, ids)
  const cells = written.map((column) => ({
    column,
    value: valueOfMatched(open.plan, column, 'v', 'b', defaultSql(open, column)),
  }))
  const statement = updateSet({ entity, author, rows, cells, withEvents: open.plan.notify })
  const changed = (await queryOnce<{ id: number }>(connection, statement)).map(({ id }) => id)
  addWholes(wholes, await findWholes(connection, rollups, changed))
  if (wholes.size > 0) await rollUp(connection, context, wholes)
  await requireMet(connection, context, changed, [...conditions, ...validations])
  const records = recordsOf(changed, false)
  return { created: 0, changed: changed.length, unchanged: ids.length - changed.length, records }
}
