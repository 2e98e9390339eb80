/** Undoes what a run has written, in sets of records, as the requests of its user would. */
import type { Caller } from '../auth/caller.ts'
import { type Connection, execute, queryOnce } from '../database/pool.ts'
import {
  anyOf,
  int,
  ints,
  join,
  raw,
  ref,
  type Sql,
  sql,
  table,
  text,
  texts,
} from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import {
  type Column,
  type Entity,
  numberedColumns,
  writableColumns,
} from '../definitions/catalog.ts'
import { longestOf } from '../definitions/values/rules/text-rules.ts'
import { errorKinds } from '../error-kinds.ts'
import { ApiError } from '../errors.ts'
import { parseLosslessJson } from '../http/json/lossless-json.ts'
import { createWriteContext } from '../records/record-request.ts'
import { changeRecord, removeRecord, type WithRecord } from '../records/write/change-record.ts'
import { checkGivenValues } from '../records/write/check-values.ts'
import {
  changeSetOf,
  divide,
  type SetOfChanges,
  SetRefused,
  writesSets,
} from '../records/write/divided-sets.ts'
import { asksForFiles } from '../records/write/take-files.ts'
import { linkExists, type WriteContext } from '../records/write/write-context.ts'
import { systemValue } from '../records/write/write-needs.ts'
import { updateSet } from '../records/write/write-sets.ts'
import type { Values } from '../records/write/write-statements.ts'
import { mostInSets, mostOneByOne, type Pace } from './batch-pace.ts'
import { callerOfRun, contextsOf, type ImportDeps, RunRefused } from './open-run.ts'
import { type ImportRun, updateRun } from './run-store.ts'
import {
  changedLines,
  changedSince,
  Kept,
  lacksDelete,
  listsOf,
  removeLines,
  type UndoneList,
} from './undo-lines.ts'
import { isUntouched } from './undo-run.ts'

export type UndoDeps = ImportDeps & { readonly onRemoved: WithRecord }

type ToUndo = {
  readonly id: number
  readonly is_created: boolean
  readonly version: number
  /** Whether records that were written with it are no more as the import has left them. */
  readonly has_changed_lines: boolean
  /** Whether it is as the import has left it. */
  readonly is_untouched: boolean
  /** JSON: what its last change in the history has changed. */
  readonly changes: string | null
}

type Undoing = {
  readonly connection: Connection
  readonly deps: UndoDeps
  readonly run: ImportRun
  readonly entity: Entity
  readonly lists: readonly UndoneList[]
  /** Undefined: the user removes none. */
  readonly removing: WriteContext | undefined
  /** Undefined: the user changes none. */
  readonly updating: WriteContext | undefined
}

/** Undoes a batch of records, the last written first; whether there are more. */
export const undoBatch = async (
  connection: Connection,
  deps: UndoDeps,
  run: ImportRun,
  pace: Pace,
): Promise<boolean> => {
  const entity = deps.catalog.entities.get(run.entity_key)
  if (!entity) throw new RunRefused(`There is no ${run.entity_key} any more.`)
  const caller = await callerOfRun(connection, run)
  const lists = listsOf(deps.catalog, entity, run.plan).map((list) => ({
    list,
    removing: writersOf(deps, caller, list.target).removing,
  }))
  const undoing = { connection, deps, run, entity, lists, ...writersOf(deps, caller, entity) }
  return pace(mostOf(undoing), async (most) => {
    const rows = await findRows(undoing, most)
    await remove(
      undoing,
      rows.filter((row) => row.is_created),
    )
    await takeBack(
      undoing,
      rows.filter((row) => !row.is_created),
    )
    if (rows.length < most) await updateRun(connection, run.id, { state: 'undone' })
    return rows.length === most
  })
}

const writersOf = (deps: UndoDeps, caller: Caller, entity: Entity) => {
  const scope = deps.permissions.scopeOf(caller, 'delete', entity)
  const { updating } = contextsOf(deps, { caller, entity })
  const removing = createWriteContext(deps, { caller, entity, scope })
  return {
    removing: scope === 'none' ? undefined : { ...removing, isQuiet: true },
    updating: updating && { ...updating, isQuiet: true },
  }
}

const mostOf = ({ removing, updating, lists }: Undoing): number =>
  lists.length > 0 ||
  (removing && !writesSets(removing, 'delete')) ||
  (updating && !writesSets(updating))
    ? mostOneByOne
    : mostInSets

const findRows = ({ connection, run, entity, lists }: Undoing, most: number): Promise<ToUndo[]> =>
  queryOnce<ToUndo>(
    connection,
    sql`
      SELECT w.entity_id AS id, w.is_created, w.version, ${isUntouched} AS is_untouched,
        ${changedLines(
          run.id,
          lists.map(({ list }) => list),
        )} AS has_changed_lines, h.changes::text AS changes
      FROM docket.import_record w
      LEFT JOIN ${table(entity)} t ON t.id = w.entity_id
      LEFT JOIN LATERAL (
        SELECT e.changes
        FROM docket.history e
        WHERE e.entity_key = ${text(entity.key)} AND e.entity_id = w.entity_id AND e.operation = 'change'
        ORDER BY e.id DESC
        LIMIT 1
      ) h ON NOT w.is_created
      WHERE w.import_id = ${int(run.id)} AND w.entity_key = '' AND w.reason IS NULL
      ORDER BY w.entity_id DESC
      LIMIT ${int(most)}`,
  )

/** Removes records that the import has created. */
const remove = async (undoing: Undoing, rows: readonly ToUndo[]): Promise<void> => {
  const { connection, deps, entity, removing } = undoing
  const removeOne: UndoOne = async (within, row) => {
    const { id, version } = row
    if (!removing) throw new Kept(lacksDelete(entity))
    const precondition = (await removeLines(within, { ...undoing, onRemoved: deps.onRemoved }, row))
      ? 'any'
      : [version]
    await removeRecord(partOf(within), removing, { id, precondition }, deps.onRemoved)
    await freeNumbers(within, undoing, [row])
  }
  const isDeleted = [...systemValue(entity, '_is_deleted', true).keys()]
  const removeSet = async (set: readonly ToUndo[], context: WriteContext) => {
    await changeAll(undoing, context, set, {
      rows: rowsOf(set, []),
      cells: isDeleted.map((column) => ({ column, value: sql`true` })),
      linkOf: () => undefined,
      operation: 'remove',
    })
    await freeNumbers(connection, undoing, set)
    const ids = set.map(({ id }) => id)
    await deps.onRemoved(connection, { entityKey: entity.key, ids, author: context.author })
  }
  const isSet = undoing.lists.length === 0 && removing && writesSets(removing, 'delete')
  for (const [mayBeSet, group] of Map.groupBy(rows, (row) => row.is_untouched))
    await undoAll(
      undoing,
      group,
      isSet && mayBeSet ? (set) => removeSet(set, removing) : undefined,
      removeOne,
    )
}

/**
 * The number of a removed record stays taken, but the file that gave it is to be imported again: its place takes one that no series
 * gives. The history of the record has the number that it had.
 */
const freeNumbers = async (
  connection: Connection,
  { run, entity, removing }: Undoing,
  removed: readonly ToUndo[],
): Promise<void> => {
  const given = new Set(run.plan.columns.map(({ name }) => name))
  const cells = numberedColumns(entity)
    .filter(({ name }) => given.has(name))
    .map((column) => {
      const most = int(longestOf(column.field) ?? 0)
      const free = sql`right('undone-' || b.id, ${most})`
      return { column, value: sql`CASE WHEN ${ref(column.name, 'b')} IS NOT NULL THEN ${free} END` }
    })
  if (!removing || cells.length === 0) return
  const { author } = removing
  const rows = rowsOf(removed, [])
  await execute(connection, updateSet({ entity, author, rows, cells, withEvents: false }))
}

/** Gives records that the import has changed what they had before; those in sets of which the same columns were changed. */
const takeBack = async (undoing: Undoing, rows: readonly ToUndo[]): Promise<void> => {
  const { entity, updating } = undoing
  const bodies = new Map(rows.map((row) => [row, valuesBefore(entity, row.changes)]))
  const changeOne: UndoOne = async (within, row) => {
    const body = bodies.get(row)
    if (!updating || !body) throw new Kept('What it had before is not known.')
    await changeRecord(partOf(within), updating, { id: row.id, precondition: [row.version] }, body)
  }
  const isSet = updating && writesSets(updating)
  const valuesOf = (row: ToUndo): Values => {
    if (!isSet || !row.is_untouched) return new Map()
    const { values, issues } = checkGivenValues({ ...updating, body: bodies.get(row) })
    return issues.length === 0 && !asksForFiles(values) ? values : new Map()
  }
  const checked = rows.map((row) => ({ row, values: valuesOf(row) }))
  const columnsOf = (values: Values) => [...values.keys()].map(({ name }) => name).join()
  for (const group of Map.groupBy(checked, ({ values }) => columnsOf(values)).values()) {
    const given = new Map(group.map(({ row, values }) => [row, values]))
    const columns = [...(group[0]?.values.keys() ?? [])]
    const changeSet = (set: readonly ToUndo[], context: WriteContext) =>
      giveBack(undoing, context, set, { columns, valuesOf: given })
    await undoAll(
      undoing,
      [...given.keys()],
      updating && columns.length > 0 ? (set) => changeSet(set, updating) : undefined,
      changeOne,
    )
  }
}

type Given = {
  readonly columns: readonly Column[]
  readonly valuesOf: ReadonlyMap<ToUndo, Values>
}

const giveBack = async (
  undoing: Undoing,
  context: WriteContext,
  set: readonly ToUndo[],
  { columns, valuesOf }: Given,
): Promise<void> => {
  const { connection, entity } = undoing
  const textOf = (row: ToUndo, column: Column) => {
    const value = valuesOf.get(row)?.get(column) ?? null
    return value === null ? null : String(value)
  }
  const rows = rowsOf(
    set,
    columns.map((column) => texts(set.map((row) => textOf(row, column)))),
  )
  const cells = columns.map((column, at) => ({
    column,
    value: sql`${raw(`v.c${at}`)}::${raw(column.type.cast)}`,
  }))
  const lost = cells.flatMap(({ column, value }) => {
    const target = context.catalog.entities.get(column.target ?? '')
    const isNew = sql`${value} IS DISTINCT FROM ${ref(column.name, 't')}`
    return target
      ? sql`(${isNew} AND ${value} IS NOT NULL AND NOT ${linkExists(context, target, value)})`
      : []
  })
  const found = await queryOnce(
    connection,
    sql`
      SELECT FROM ${rows} v
      JOIN ${table(entity)} t ON t.id = v._match
      WHERE ${anyOf(lost)}
      LIMIT 1`,
  )
  if (found.length > 0) throw new SetRefused()
  await changeAll(undoing, context, set, {
    rows,
    cells,
    linkOf: (link) => cells.find(({ column }) => column === link)?.value,
    operation: 'change',
  })
}

/** Records as a row source: `_match`, the version that the import has left, and texts `c0`, `c1` and so on. */
const rowsOf = (set: readonly ToUndo[], cells: readonly Sql[]): Sql => {
  const names = ['_match', 'version', ...cells.map((_, at) => `c${at}`)]
  const ids = ints(set.map(({ id }) => id))
  const versions = ints(set.map(({ version }) => version))
  return sql`(
    SELECT * FROM unnest(${join([ids, versions, ...cells], ', ')}) AS w (${raw(names.join(', '))})
  )`
}

/** Changes them while nobody else has; throws SetRefused unless all of them may be. */
const changeAll = async (
  { connection }: Undoing,
  context: WriteContext,
  set: readonly ToUndo[],
  change: Pick<SetOfChanges, 'rows' | 'cells' | 'linkOf' | 'operation'>,
): Promise<void> => {
  const changed = await changeSetOf(connection, context, {
    ...change,
    ids: set.map(({ id }) => id),
    condition: sql`b._version = v.version`,
  })
  if (changed.length < set.length) throw new SetRefused()
}

/** What a change has overwritten; undefined where the history does not say it. */
const valuesBefore = (entity: Entity, changes: string | null) => {
  if (changes === null) return undefined
  const parsed = parseLosslessJson(changes) as Readonly<
    Record<string, { readonly before?: unknown }>
  >
  const names = new Set(writableColumns(entity).map(({ name }) => name))
  const before = Object.entries(parsed).filter(([name]) => names.has(name))
  return before.length === 0
    ? undefined
    : Object.fromEntries(before.map(([name, { before: value = null }]) => [name, value]))
}

type UndoOne = (connection: Connection, row: ToUndo) => Promise<void>

/** Undoes them in sets if that is given, else one by one; those that stay have the reason noted. */
const undoAll = (
  { connection, run }: Undoing,
  rows: readonly ToUndo[],
  undoSet: ((set: readonly ToUndo[]) => Promise<void>) | undefined,
  undoOne: UndoOne,
): Promise<void> => {
  const isOf = (ids: readonly number[]) =>
    sql`w.import_id = ${int(run.id)} AND w.entity_key = '' AND w.entity_id = ANY (${ints(ids)})`
  const forget = (set: readonly ToUndo[]) =>
    execute(
      connection,
      sql`DELETE FROM docket.import_record w WHERE ${isOf(set.map(({ id }) => id))}`,
    )
  return divide(connection, rows, {
    together:
      undoSet &&
      (async (set) => {
        await undoSet(set)
        await forget(set)
      }),
    alone: async (row) => {
      try {
        await partOf(connection).transact((within) => undoOne(within, row))
        await forget([row])
      } catch (error) {
        const reason = text(reasonOf(error))
        await execute(
          connection,
          sql`UPDATE docket.import_record w SET reason = ${reason} WHERE ${isOf([row.id])}`,
        )
      }
    },
  })
}

const reasonOf = (error: unknown): string => {
  if (error instanceof Kept) return error.message
  if (!(error instanceof ApiError) || errorKinds[error.code].status >= 500) throw error
  if (error.code === 'record.stale') return changedSince
  return [error.message, ...error.errors.map(({ path, message }) => `${path} ${message}`)].join(' ')
}
