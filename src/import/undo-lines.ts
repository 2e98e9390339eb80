/** Undoes lines that an import has written with their records: they are removed with these, or both stay. */
import { type Connection, queryOnce } from '../database/pool.ts'
import { anyOf, int, raw, ref, type Sql, sql, table, text } from '../database/sql.ts'
import { partOf } from '../database/transaction.ts'
import { findList, type List } from '../definitions/association-path.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { removeRecord, type WithRecord } from '../records/write/change-record.ts'
import type { Wholes, WriteContext } from '../records/write/write-context.ts'
import { rollUpAll } from '../records/write-many.ts'
import type { ImportRun } from './run-store.ts'

/** A list with who removes its records; undefined: the user removes none. */
export type UndoneList = { readonly list: List; readonly removing: WriteContext | undefined }

type UndoingLines = {
  readonly run: ImportRun
  readonly entity: Entity
  readonly lists: readonly UndoneList[]
  readonly onRemoved: WithRecord
}

/** A record that was created, as it was noted. */
type WithLines = {
  readonly id: number
  readonly version: number
  readonly has_changed_lines: boolean
}

/** Why a record stays. */
export class Kept extends Error {}

export const changedSince = 'It was changed since.'

/** The lists whose records a run has written with its own, as far as they are still there. */
export const listsOf = (
  catalog: Catalog,
  entity: Entity,
  { columns }: Pick<ImportRun['plan'], 'columns'>,
): readonly List[] =>
  [...new Set(columns.flatMap(({ list }) => list ?? []))].flatMap(
    (key) => findList(catalog, entity, key) ?? [],
  )

/** The records of a list that were written with the record of an id, as the rows `c`, and what is noted of them as `l`. */
const linesOf = (runId: number, { target, link }: List, recordId: Sql): Sql => sql`
  docket.import_record l JOIN ${table(target)} c
    ON c.id = l.entity_id AND l.import_id = ${int(runId)} AND l.entity_key = ${text(target.key)}
    AND ${ref(link.name, 'c')} = ${recordId}`

/** Whether records that were written with the record `w` are no more as the import has left them. */
export const changedLines = (runId: number, lists: readonly List[]): Sql =>
  anyOf(
    lists.map(
      (list) => sql`EXISTS (
        SELECT FROM ${linesOf(runId, list, raw('w.entity_id'))}
        WHERE c._is_deleted OR c._version <> l.version
      )`,
    ),
  )

/** Why the user removes none of its records. */
export const lacksDelete = ({ key }: Entity): string =>
  `The permission "delete" on "${key}" is lacking.`

/** Removes what was written with a record, which is locked as the import has left it; whether there are such lists. */
export const removeLines = async (
  connection: Connection,
  { run, entity, lists, onRemoved }: UndoingLines,
  { id, version, has_changed_lines: isChanged }: WithLines,
): Promise<boolean> => {
  if (lists.length === 0) return false
  if (isChanged) throw new Kept('Records that were imported with it were changed since.')
  const locked = await queryOnce(
    connection,
    sql`
      SELECT FROM ${table(entity)} t
      WHERE t.id = ${int(id)} AND NOT t._is_deleted AND t._version = ${int(version)}
      FOR NO KEY UPDATE`,
  )
  if (locked.length === 0) throw new Kept(changedSince)
  for (const { list, removing } of lists) {
    const lines = await queryOnce<{ id: number; version: number }>(
      connection,
      sql`
        SELECT l.entity_id AS id, l.version
        FROM ${linesOf(run.id, list, int(id))}
        ORDER BY l.entity_id DESC`,
    )
    if (lines.length === 0) continue
    if (!removing) throw new Kept(lacksDelete(list.target))
    const laterRollups: Wholes = new Map()
    const context = { ...removing, laterRollups }
    for (const line of lines)
      await removeRecord(
        partOf(connection),
        context,
        { id: line.id, precondition: [line.version] },
        onRemoved,
      )
    await rollUpAll(connection, removing, laterRollups)
  }
  return true
}
