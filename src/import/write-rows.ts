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
  isChangedBy,
  type Written,
  type WrittenRecord,
} from './row-values.ts'
import { inPlaces, isUnresolved, resolvedRows, valueOfMatched } from './staged-rows.ts'
import { writeSingleRow } from './write-single-row.ts'

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
    await writeTargets(connection, open, matched, done, open.updating, changeSet)
    await writeTargets(connection, open, others, done, open.creating, createSet)
    // Those that link to a row that has been written now.
    rest = targets.filter((one) => !one.is_resolved).map(({ n }) => n)
  }
  if (!isTrial) for (const n of rest) await writeSingleRow(connection, open, n, done)
  return done
}

/** Uploads become files of one record after the other. */
export const writesFiles = ({ columns }: Pick<OpenRun, 'columns'>): boolean =>
  columns.some(({ column }) => isFileColumn(column))

type WriteSet = (
  connection: Connection,
  open: OpenRun,
  context: WriteContext,
  targets: readonly Target[],
) => Promise<Omit<Written, 'faults'>>

const writeTargets = async (
  connection: Connection,
  open: OpenRun,
  targets: readonly Target[],
  done: Written,
  context: WriteContext | undefined,
  write: WriteSet,
): Promise<void> => {
  const mayBeSet = write === createSet ? createsSets : writesSets
  const isSet = context && mayBeSet(context) && isOfMode(open, targets) && !writesFiles(open)
  await divide(connection, targets, {
    together: isSet
      ? async (items) => addCounts(done, await write(connection, open, context, items))
      : undefined,
    alone: ({ n }) => writeSingleRow(connection, open, n, done),
  })
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

/** What a row gives a link, or what it has without it. */
const linkOf = (open: OpenRun, link: Column, other: Sql): Sql =>
  open.columns.some(({ name }) => name === link.name)
    ? sql`coalesce(${ref(link.name, 'v')}, ${other})`
    : other

const recordsOf = (ids: readonly number[], isCreated: boolean): WrittenRecord[] =>
  ids.map((id) => ({ id, isCreated }))

const createSet: WriteSet = async (connection, open, context, targets) => {
  const { userId } = context
  const places = targets.map(({ n }) => n)
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
  const written = open.columns.map(({ column }) => column).filter((one) => isChangedBy(open, one))
  if (written.length === 0)
    return { created: 0, changed: 0, unchanged: targets.length, records: [] }
  const ids = targets.flatMap(({ match }) => match ?? [])
  const changed = await changeSetOf(connection, context, {
    ids,
    rows: resolvedRows(open, inPlaces(targets.map(({ n }) => n))),
    cells: written.map((column) => ({
      column,
      value: valueOfMatched(open.plan, column, 'v', 'b', defaultSql(open, column)),
    })),
    linkOf: (link) => linkOf(open, link, ref(link.name, 't')),
    operation: 'change',
  })
  const records = recordsOf(changed, false)
  return { created: 0, changed: changed.length, unchanged: ids.length - changed.length, records }
}
