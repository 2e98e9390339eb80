/** The changes of cells that are not saved: shown at once, sent one after the other, and kept where they are refused. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import type { ListRequest } from '../../api/queries.ts'
import {
  type CellEdit,
  type CellEdits,
  cellEditsQuery,
  cellKey,
  type NewEdit,
  noEdits,
} from './cell-edits.ts'

const keyOf = ({ row, listColumn }: NewEdit): string => cellKey(row.id, listColumn)

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

/** How changes are saved: loaded with the editor, which comes before any. */
export const loadSaving = () => import('./save-cell.ts')

export type CellEditing = {
  readonly edits: CellEdits
  readonly save: (edit: NewEdit) => void
  /** Gives a change up. */
  readonly drop: (edit: NewEdit) => void
}

/** `onSettled` hears of every change that was sent, with what became of it. */
export const useCellEdits = (
  list: ListRequest,
  onSettled: (edit: CellEdit) => void,
): CellEditing => {
  const client = useQueryClient()
  const { entity } = list
  const { data: edits = noEdits } = useQuery(cellEditsQuery(entity))
  const queues = useRef(new Map<number, Promise<void>>())
  useWarning(edits)
  return useMemo(() => {
    const { queryKey } = cellEditsQuery(entity)
    const update = (edit: NewEdit, next: CellEdit | undefined) =>
      client.setQueryData<CellEdits>(queryKey, (now = noEdits) => {
        const all = new Map(now)
        if (next) all.set(keyOf(edit), next)
        else all.delete(keyOf(edit))
        return all
      })
    const isLast = (edit: CellEdit) => client.getQueryData(queryKey)?.get(keyOf(edit)) === edit
    const settle = async (edit: CellEdit) => {
      const state = await loadSaving()
        .then(({ sendCell }) => sendCell(client, list, edit))
        .catch((error: unknown) => ({ kind: 'refused', error: asError(error) }) as const)
      // The cell may have been changed once more meanwhile.
      if (isLast(edit)) update(edit, state && { ...edit, state })
      if (state) onSettled({ ...edit, state })
    }
    const save = (given: NewEdit) => {
      const edit: CellEdit = { ...given, state: { kind: 'saving' } }
      update(edit, edit)
      const before = queues.current.get(edit.row.id) ?? Promise.resolve()
      queues.current.set(
        edit.row.id,
        before.then(() => settle(edit)),
      )
    }
    return { edits, save, drop: (edit) => update(edit, undefined) }
  }, [client, entity, list, edits, onSettled])
}

/** The browser asks before it throws away what is not saved. */
const useWarning = (edits: CellEdits): void => {
  const isPending = edits.size > 0
  useEffect(() => {
    if (!isPending) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isPending])
}
