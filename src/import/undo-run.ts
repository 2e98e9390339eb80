/** Undoing a whole import: what it created is removed, what it changed gets back what it had, unless it was changed since. */
import type { Caller } from '../auth/caller.ts'
import { type Connection, execute, type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import { bound, int, ints, sql, table, text } from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import { type Entity, writableColumns } from '../definitions/catalog.ts'
import { errorKinds } from '../error-kinds.ts'
import { ApiError } from '../errors.ts'
import { parseLosslessJson } from '../http/json/lossless-json.ts'
import { createWriteContext } from '../records/record-request.ts'
import { changeRecord, removeRecord, type WithRecord } from '../records/write/change-record.ts'
import type { WriteContext } from '../records/write/write-context.ts'
import { callerOfRun, contextsOf, type ImportDeps, RunRefused } from './open-run.ts'
import type { WrittenRecord } from './row-values.ts'
import { changeRun, type Viewer, wrongState } from './run-list.ts'
import { enqueueRun, type ImportRun, updateRun } from './run-store.ts'

/** Remembers what a batch has written, in its transaction. */
export const noteRecords = async (
  connection: Queryable,
  { id, entity }: { readonly id: number; readonly entity: Entity },
  records: readonly WrittenRecord[],
): Promise<void> => {
  if (records.length === 0) return
  await execute(
    connection,
    sql`
      INSERT INTO docket.import_record (import_id, entity_id, is_created, version)
      SELECT ${int(id)}, t.id, w.is_created, t._version
      FROM unnest(${ints(records.map((one) => one.id))}, ${bound(
        records.map((one) => one.isCreated),
        'boolean[]',
      )})
        AS w (id, is_created)
      JOIN ${table(entity)} t ON t.id = w.id
      ON CONFLICT (import_id, entity_id) DO UPDATE SET version = EXCLUDED.version`,
  )
}

/** What was written and is as the import has left it. */
const isUntouched = sql`(t.id IS NOT NULL AND NOT t._is_deleted AND t._version = w.version)`

const shownKept = 1000

export type UndoPlan = {
  readonly removed: number
  readonly taken_back: number
  readonly kept: number
  readonly records: { readonly id: number; readonly reason: string | null }[]
}

/** What an undo would do now; after one, which records it has left and why. */
export const planUndo = async (
  database: Queryable,
  { id }: ImportRun,
  entity: Entity | undefined,
): Promise<UndoPlan> => {
  if (!entity) return { removed: 0, taken_back: 0, kept: 0, records: [] }
  const rows = sql`docket.import_record w LEFT JOIN ${table(entity)} t ON t.id = w.entity_id
    WHERE w.import_id = ${int(id)}`
  const isKept = sql`(w.reason IS NOT NULL OR NOT ${isUntouched})`
  const [counts] = await queryOnce<Omit<UndoPlan, 'records'>>(
    database,
    sql`
      SELECT count(*) FILTER (WHERE w.is_created AND NOT ${isKept})::integer AS removed,
        count(*) FILTER (WHERE NOT w.is_created AND NOT ${isKept})::integer AS taken_back,
        count(*) FILTER (WHERE ${isKept})::integer AS kept
      FROM ${rows}`,
  )
  const records = await queryOnce<UndoPlan['records'][number]>(
    database,
    sql`
      SELECT w.entity_id AS id, w.reason
      FROM ${rows} AND ${isKept}
      ORDER BY w.entity_id
      LIMIT ${int(shownKept)}`,
  )
  return { removed: 0, taken_back: 0, kept: 0, ...counts, records }
}

/** Has a run undone by a job; throws import.wrong-state. */
export const undoRun = (pool: Pool, viewer: Viewer, id: number): Promise<void> =>
  changeRun(pool, viewer, id, (connection) => async (run) => {
    const isWritten = run.state === 'done' || (run.state === 'stopped' && run.is_checked)
    if (!isWritten && run.state !== 'undone')
      throw wrongState(run, 'only one that has written records is undone')
    await execute(
      connection,
      sql`UPDATE docket.import_record w SET reason = NULL WHERE w.import_id = ${int(id)}`,
    )
    await updateRun(connection, id, { state: 'undoing', error: null })
    await enqueueRun(connection, id)
  })

export type UndoDeps = ImportDeps & { readonly onRemoved: WithRecord }

const batchRecords = 200

type ToUndo = {
  readonly id: number
  readonly is_created: boolean
  readonly version: number
  /** JSON: what its last change in the history has changed. */
  readonly changes: string | null
}

/** Undoes some records, the last written first; whether there are more. */
export const undoBatch = async (
  connection: Connection,
  deps: UndoDeps,
  run: ImportRun,
): Promise<boolean> => {
  const entity = deps.catalog.entities.get(run.entity_key)
  if (!entity) throw new RunRefused(`There is no ${run.entity_key} any more.`)
  const caller = await callerOfRun(connection, run)
  const rows = await queryOnce<ToUndo>(
    connection,
    sql`
      SELECT w.entity_id AS id, w.is_created, w.version, h.changes::text AS changes
      FROM docket.import_record w
      LEFT JOIN LATERAL (
        SELECT e.changes
        FROM docket.history e
        WHERE e.entity_key = ${text(entity.key)} AND e.entity_id = w.entity_id AND e.operation = 'change'
        ORDER BY e.id DESC
        LIMIT 1
      ) h ON NOT w.is_created
      WHERE w.import_id = ${int(run.id)} AND w.reason IS NULL
      ORDER BY w.entity_id DESC
      LIMIT ${int(batchRecords)}`,
  )
  const write = writerOf(deps, caller, entity)
  for (const row of rows) await undoOne(connection, run, row, write)
  if (rows.length < batchRecords) await updateRun(connection, run.id, { state: 'undone' })
  return rows.length === batchRecords
}

type UndoOne = (connection: Connection, row: ToUndo) => Promise<unknown>

const writerOf = (deps: UndoDeps, caller: Caller, entity: Entity): UndoOne => {
  const scope = deps.permissions.scopeOf(caller, 'delete', entity)
  const removing: WriteContext = createWriteContext(deps, { caller, entity, scope })
  const { updating } = contextsOf(deps, { caller, entity })
  return async (connection, { id, is_created: isCreated, version, changes }) => {
    const target = { id, precondition: [version] }
    const writer = partOf(connection)
    if (isCreated) {
      if (scope === 'none') throw new Kept(`The permission "delete" on "${entity.key}" is lacking.`)
      return removeRecord(writer, { ...removing, isQuiet: true }, target, deps.onRemoved)
    }
    const body = valuesBefore(entity, changes)
    if (!updating || !body) throw new Kept('What it had before is not known.')
    return changeRecord(writer, { ...updating, isQuiet: true }, target, body)
  }
}

/** Why a record stays. */
class Kept extends Error {}

/** What a change has overwritten; undefined where the history does not tell. */
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

const undoOne = async (
  connection: Connection,
  run: ImportRun,
  row: ToUndo,
  write: UndoOne,
): Promise<void> => {
  const where = sql`w.import_id = ${int(run.id)} AND w.entity_id = ${int(row.id)}`
  try {
    await partOf(connection).transact((within) => write(within, row))
    await execute(connection, sql`DELETE FROM docket.import_record w WHERE ${where}`)
  } catch (error) {
    const reason = text(reasonOf(error))
    await execute(
      connection,
      sql`UPDATE docket.import_record w SET reason = ${reason} WHERE ${where}`,
    )
  }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof Kept) return error.message
  if (!(error instanceof ApiError) || errorKinds[error.code].status >= 500) throw error
  if (error.code === 'record.stale') return 'It was changed since.'
  return [error.message, ...error.errors.map(({ path, message }) => `${path} ${message}`)].join(' ')
}
