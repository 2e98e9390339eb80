/** Saves a cell with the version that was on the screen; what others have saved in between is never overwritten. */
import { ApiProblem, send } from '../../api/client.ts'
import type { RecordRow } from '../../api/types.ts'
import type { CellEdit } from './cell-edits.ts'

export type Saved = 'saved' | 'conflict'

// Others may change the same record again and again; each time it is read and tried once more.
const mostTries = 10

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** Throws what the service answers; `conflict` if somebody else has changed the same field to another value. */
export const saveCell = async (entity: string, edit: CellEdit): Promise<Saved> => {
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
