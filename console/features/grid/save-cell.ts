/** Saves a cell with the version that was on the screen, so that no value of another user is overwritten. */
import type { QueryClient } from '@tanstack/react-query'
import { send, statusOf } from '../../api/client.ts'
import { type ListRequest, userKey } from '../../api/queries.ts'
import { isUnread } from '../../api/record.ts'
import { forgetOtherLists, putRows, readRows } from '../../api/rows/changed-rows.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { RecordRow } from '../../api/types.ts'
import { isSame } from '../values/entered.ts'
import { type NewEdit, type Outcome, withEdit } from './cell-edits.tsx'

// Other users may change the same record again and again; each time it is read and tried once more.
const mostTries = 10

/** Throws the answer of the service; a conflict is another value that another user has given the same field. */
const writeCell = async (
  entity: string,
  edit: NewEdit,
): Promise<'saved' | 'unread' | 'conflict'> => {
  const { row, column, base, mine } = edit
  const path = `/${entity}/${row.id}`
  let etag = `"${String(row._version)}"`
  for (let tried = 1; ; tried++) {
    try {
      const headers = { 'If-Match': etag }
      const body = { [column]: mine }
      const { value } = await send<object>(path, { method: 'PATCH', headers, body })
      return isUnread(value) ? 'unread' : 'saved'
    } catch (error) {
      if (statusOf(error) !== 412 || tried === mostTries) throw error
    }
    const current = await send<RecordRow>(path)
    const theirs = current.value[column]
    if (isSame(theirs, mine)) return 'saved'
    if (!isSame(theirs, base) || current.etag === undefined) return 'conflict'
    // Only other fields have changed: they stay as they are.
    etag = current.etag
  }
}

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

/** Saves one change. Throws why the service could not take it. */
export const sendCell = async (
  client: QueryClient,
  list: ListRequest,
  edit: NewEdit,
): Promise<Outcome> => {
  const { row } = edit
  const kind = await writeCell(list.entity, edit)
  if (kind === 'conflict') return { kind, row: await readAgain(client, list, row) }
  const put = (changed: ListRow): ListRow => {
    putRows(client, list, new Map([[row.id, changed]]))
    return changed
  }
  const current =
    kind === 'unread'
      ? put({ ...withEdit(row, edit), $mark: 'unread' })
      : await readAgain(client, list, row).catch(() => put(withEdit(row, edit)))
  void client.invalidateQueries({ queryKey: [userKey, 'record', list.entity, row.id] })
  void forgetOtherLists(client, list)
  return { kind: 'saved', row: current }
}
