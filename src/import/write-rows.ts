/** Writes rows of a run: in sets, and those that are refused there as by the endpoint for one record. */
import { type Connection, type Queryable, queryOnce } from '../database/pool.ts'
import { anyOf, bigint, int, join, ref, type Sql, sql, tableName, text } from '../database/sql.ts'
import type { Column } from '../definitions/catalog.ts'
import { isFileColumn } from '../definitions/files.ts'
import { needsTransaction } from '../records/write/change-record.ts'
import { conditionsOf, validationConditions } from '../records/write/conditions.ts'
import {
  changeSetOf,
  createSetOf,
  createsSets,
  divide,
  writesSets,
} from '../records/write/divided-sets.ts'
import { lockAhead } from '../records/write/lock-record.ts'
import { numbersOfSet } from '../records/write/take-numbers.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import type { WriteNeeds } from '../records/write/write-needs.ts'
import type { OpenRun } from './open-run.ts'
import {
  defaultSql,
  enteredCells,
  historyCells,
  inPlaces,
  isChangedBy,
  isUnresolved,
  resolvedRows,
  valueOfMatched,
  type Written,
} from './staged-rows.ts'
import { writeSingleRow } from './write-single-row.ts'

/** Places of rows by what they are: arrays, because an object for each row would outlive the batch. */
type Targets = {
  /** Of new records. */
  readonly added: readonly number[]
  /** Of records that are matched, and the ids of these. */
  readonly matched: readonly number[]
  readonly matches: readonly number[]
  /** Those with a link that leads to no record. */
  readonly unresolved: readonly number[]
}

const findTargets = async (
  database: Queryable,
  open: OpenRun,
  places: readonly number[],
): Promise<Targets> => {
  const links = open.columns.filter(({ path }) => path).map((one) => isUnresolved(one, 'v'))
  const listOf = (value: Sql, which: Sql) =>
    sql`coalesce(array_agg(${value} ORDER BY f._n) FILTER (WHERE ${which}), '{}')`
  const isMatched = sql`NOT f.is_unresolved AND f._match IS NOT NULL`
  const [found] = await queryOnce<Targets>(
    database,
    sql`
      SELECT ${listOf(sql`f._n`, sql`NOT f.is_unresolved AND f._match IS NULL`)} AS added,
        ${listOf(sql`f._n`, isMatched)} AS matched,
        ${listOf(sql`f._match`, isMatched)} AS matches,
        ${listOf(sql`f._n`, sql`f.is_unresolved`)} AS unresolved
      FROM (
        SELECT v._n, v._match, ${anyOf(links)} AS is_unresolved
        FROM ${resolvedRows(open, inPlaces(places))} v
      ) f`,
  )
  return found ?? { added: [], matched: [], matches: [], unresolved: [] }
}

/** Writes the rows of these places, in a transaction. Of a trial, rows that link to rows of the file are left out. */
export const writePlaces = async (
  connection: Connection,
  open: OpenRun,
  places: readonly number[],
  { isTrial = false } = {},
): Promise<Written> => {
  const done: Written = { created: [], changed: [], unchanged: 0, faults: [], lines: [] }
  const alone = (n: number) => writeSingleRow(connection, open, n, done)
  const { creating, updating } = setContexts(open)
  let rest = places
  while (rest.length > 0) {
    const { added, matched, matches, unresolved } = await findTargets(connection, open, rest)
    if (added.length + matched.length === 0) break
    const pairs = matched.map((n, at): Matched => ({ n, id: matches[at] ?? 0 }))
    await divide(connection, pairs, {
      together: updating && ((set) => changeSet(connection, open, updating, set, done)),
      alone: ({ n }) => alone(n),
    })
    await divide(connection, added, {
      together: creating && ((set) => createSet(connection, open, creating, set, done)),
      alone,
    })
    // Those that link to a row that has been written now.
    rest = unresolved
  }
  if (!isTrial) for (const n of rest) await alone(n)
  return done
}

/** A row with the record that it is written over. */
type Matched = { readonly n: number; readonly id: number }

/** Uploads become files of one record after the other, and lines are written with their record. */
export const isWrittenSingly = ({ columns, lists }: Pick<OpenRun, 'columns' | 'lists'>): boolean =>
  lists.length > 0 || columns.some(({ column }) => isFileColumn(column))

/** Who writes in sets; undefined: rows of this kind are written one by one, or not at all. */
const setContexts = (open: OpenRun): Pick<OpenRun, 'creating' | 'updating'> => {
  const { creating, updating, plan } = open
  const inSets = !isWrittenSingly(open)
  const creates = inSets && plan.mode !== 'update' && creating && createsSets(creating)
  const updates = inSets && plan.mode !== 'insert' && updating && writesSets(updating)
  return {
    creating: creates ? creating : undefined,
    updating: updates ? updating : undefined,
  }
}

/** What a row gives a link, or what it has without it. */
const linkOf = (open: OpenRun, link: Column, other: Sql): Sql =>
  open.columns.some(({ name }) => name === link.name)
    ? sql`coalesce(${ref(link.name, 'v')}, ${other})`
    : other

const createSet = async (
  connection: Connection,
  open: OpenRun,
  context: WriteContext,
  places: readonly number[],
  done: Written,
): Promise<void> => {
  const { userId } = context
  const rows = sql`(SELECT * FROM ${resolvedRows(open, inPlaces(places))} w ORDER BY w._n)`
  const conditions = [...conditionsOf(context, 'create'), ...validationConditions(context)]
  const needs: WriteNeeds = {
    links: new Map(),
    conditions,
    rows: (links) => {
      const cells = links.map((link) => {
        const byDefault = link.isSystem ? int(userId) : defaultSql(open, link)
        return sql`${linkOf(open, link, byDefault)} AS ${ref(link.name)}`
      })
      return sql`(SELECT ${join([sql`0 AS id`, ...cells], ', ')} FROM ${rows} v)`
    },
  }
  if (needsTransaction(context)) await lockAhead(connection, context, needs, 'new')
  const entered = enteredCells(open)
  const numbers = numbersOfSet(context, {
    rows,
    entered,
    given: new Set(open.columns.map(({ name }) => name)),
  })
  await numbers.lock(connection)
  const cells = [...entered, ...numbers.cells, ...historyCells(open)]
  const ids = await createSetOf(connection, context, {
    rows: numbers.rows,
    cells,
    conditions,
  })
  await numbers.raise(connection)
  if (cells.some(({ column }) => column.name === 'id')) await raiseIds(connection, open, ids)
  for (const id of ids) done.created.push(id)
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

const changeSet = async (
  connection: Connection,
  open: OpenRun,
  context: WriteContext,
  targets: readonly Matched[],
  done: Written,
): Promise<void> => {
  const written = open.columns.map(({ column }) => column).filter((one) => isChangedBy(open, one))
  if (written.length === 0) {
    done.unchanged += targets.length
    return
  }
  const changed = await changeSetOf(connection, context, {
    ids: targets.map(({ id }) => id),
    rows: resolvedRows(open, inPlaces(targets.map(({ n }) => n))),
    cells: written.map((column) => ({
      column,
      value: valueOfMatched(open.plan, column, 'v', 'b', defaultSql(open, column)),
    })),
    linkOf: (link) => linkOf(open, link, ref(link.name, 't')),
    operation: 'change',
  })
  for (const id of changed) done.changed.push(id)
  done.unchanged += targets.length - changed.length
}
