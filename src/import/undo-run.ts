/** Undoing a whole import: what it created is removed, what it changed gets back what it had, unless it was changed since. */
import type { Origin } from '../audit/record-audit.ts'
import { execute, type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import { int, ints, sql, table, text } from '../database/sql.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { auditAsked } from './audit-run.ts'
import type { OpenRun } from './open-run.ts'
import { changeRun, type Viewer, wrongState } from './run-list.ts'
import { enqueueRun, type ImportRun, updateRun } from './run-store.ts'
import type { Written } from './staged-rows.ts'
import { changedLines, listsOf } from './undo-lines.ts'

/** Remembers what a batch has written, in its transaction. */
export const noteRecords = async (
  connection: Queryable,
  { id, entity, lists }: Pick<OpenRun, 'id' | 'entity' | 'lists'>,
  { created, changed, lines }: Pick<Written, 'created' | 'changed' | 'lines'>,
): Promise<void> => {
  await noteOf(connection, { id, entity, key: '' }, { created, changed })
  for (const target of new Set(lists.map((one) => one.entity))) {
    const { key } = target
    const ids = lines.flatMap((one) => (one.entityKey === key ? [one.id] : []))
    await noteOf(connection, { id, entity: target, key }, { created: ids, changed: [] })
  }
}

const noteOf = async (
  connection: Queryable,
  { id, entity, key }: { readonly id: number; readonly entity: Entity; readonly key: string },
  { created, changed }: Pick<Written, 'created' | 'changed'>,
): Promise<void> => {
  if (created.length + changed.length === 0) return
  await execute(
    connection,
    sql`
      INSERT INTO docket.import_record (import_id, entity_key, entity_id, is_created, version)
      SELECT ${int(id)}, ${text(key)}, t.id, w.is_created, t._version
      FROM (
        SELECT unnest(${ints(created)}) AS id, true AS is_created
        UNION ALL
        SELECT unnest(${ints(changed)}), false
      ) w
      JOIN ${table(entity)} t ON t.id = w.id
      ON CONFLICT (import_id, entity_key, entity_id) DO UPDATE SET version = EXCLUDED.version`,
  )
}

/** On the rows `w` and `t`: what was written and is as the import has left it. */
export const isUntouched = sql`(t.id IS NOT NULL AND NOT t._is_deleted AND t._version = w.version)`

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
  catalog: Catalog,
  { id, entity_key: key, plan }: ImportRun,
): Promise<UndoPlan> => {
  const entity = catalog.entities.get(key)
  if (!entity) return { removed: 0, taken_back: 0, kept: 0, records: [] }
  const rows = sql`docket.import_record w LEFT JOIN ${table(entity)} t ON t.id = w.entity_id
    WHERE w.import_id = ${int(id)} AND w.entity_key = ''`
  const hasChangedLines = changedLines(id, listsOf(catalog, entity, plan))
  const isKept = sql`(w.reason IS NOT NULL OR NOT ${isUntouched} OR ${hasChangedLines})`
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
export const undoRun = (pool: Pool, viewer: Viewer, id: number, origin: Origin): Promise<void> =>
  changeRun(pool, viewer, id, (connection) => async (run) => {
    const isWritten = run.state === 'done' || (run.state === 'stopped' && run.is_checked)
    const isPartly = run.written !== null && (run.state === 'ready' || run.state === 'stopped')
    if (!isWritten && !isPartly && run.state !== 'undone')
      throw wrongState(run, 'only one that has written records is undone')
    await execute(
      connection,
      sql`UPDATE docket.import_record w SET reason = NULL WHERE w.import_id = ${int(id)}`,
    )
    const counts = isPartly && !isWritten ? run.written : null
    await updateRun(connection, id, { state: 'undoing', error: null, ...(counts && { counts }) })
    await auditAsked(connection, { caller: viewer.caller, origin }, 'undoImport', run)
    await enqueueRun(connection, id)
  })
