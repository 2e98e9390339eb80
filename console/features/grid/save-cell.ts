/** Saves a cell with the version that was on the screen; what others have saved in between is never overwritten. */
import type { QueryClient } from '@tanstack/react-query'
import { ApiProblem, send } from '../../api/client.ts'
import { type ListRequest, userKey } from '../../api/queries.ts'
import { forgetOtherLists, putRows, readRows } from '../../api/rows/changed-rows.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { RecordRow } from '../../api/types.ts'
import { type CellEdit, withEdit } from './cell-edits.ts'
import { type SavedCell, savedCellQuery } from './saved-cell.ts'

type Saved = 'saved' | 'conflict'

// Others may change the same record again and again; each time it is read and tried once more.
const mostTries = 10

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Throws what the service answers; `conflict` if somebody else has changed the same field to another value. */
const saveCell = async (entity: string, edit: CellEdit): Promise<Saved> => {
  const { row, column, base, mine } = edit
  const path = `/${entity}/${row.id}`
  let etag = `"${String(row._version)}"`
  for (let tried = 1; ; tried++) {
    try {
      await send(path, { method: 'PATCH', headers: { 'If-Match': etag }, body: { [column]: mine } })
      return 'saved'
    } catch (error) {
      if (!isStale(error) || tried === mostTries) throw error
    }
    const current = await send<RecordRow>(path)
    const theirs = current.value[column]
    if (isSame(theirs, mine)) return 'saved'
    if (!isSame(theirs, base)) return 'conflict'
    // Only other fields have changed: they stay as they are.
    if (current.etag === undefined) return 'conflict'
    etag = current.etag
  }
}

const isStale = (error: unknown): boolean => error instanceof ApiProblem && error.status === 412

/** Shows the row as it is now. */
const readAgain = async (
  client: QueryClient,
  list: ListRequest,
  row: ListRow,
): Promise<ListRow> => {
  const read = await readRows(list, [row])
  putRows(client, list, read)
  return read.get(row.id) ?? row
}

/** Sends one change; undefined: it is saved. Throws why the service could not take it. */
export const sendCell = async (
  client: QueryClient,
  list: ListRequest,
  edit: CellEdit,
): Promise<CellEdit['state'] | undefined> => {
  const { row } = edit
  const saved = await saveCell(list.entity, edit)
  if (saved === 'conflict') return { kind: 'conflict', row: await readAgain(client, list, row) }
  const now = await readAgain(client, list, row).catch(() => {
    const changed = withEdit(row, edit)
    putRows(client, list, new Map([[row.id, changed]]))
    return changed
  })
  const last: SavedCell = { edit, row: now }
  client.setQueryData<SavedCell | null>(savedCellQuery(list.entity).queryKey, () => last)
  void client.invalidateQueries({ queryKey: [userKey, 'record', list.entity, row.id] })
  void forgetOtherLists(client, list)
  return undefined
}
