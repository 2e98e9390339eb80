/** Keeps changes of cells in the browser until they are saved or given up, and restores them when the list is opened again. */
import { type Dispatch, useEffect, useEffectEvent, useRef, useState } from 'react'
import { forgetDraft, type KeptDraft, keepDraft, readDraft } from '../../api/own/drafts.ts'
import type { Entity } from '../../api/types.ts'
import { useSession } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import {
  type CellEdit,
  type CellEdits,
  cellKey,
  type EditAction,
  editedField,
  type NewEdit,
} from './cell-edits.tsx'

type KeptValues = KeptDraft['values']
type Shown = { readonly entity: Entity; readonly columns: readonly ListColumn[] }

/** The names of the drafts: of all changed cells of an entity, and of the cell that is being typed into. */
const changedCellsName = (entity: string): string => `${entity} cells`
export const openCellName = (entity: string): string => `${entity} cell`

export const printEdit = ({ row, name, listColumn, base, mine, linked }: NewEdit) => {
  const { id, _version: version } = row
  const kept = { id, version, name, path: listColumn.path, base, mine, linked }
  return [cellKey(id, listColumn), kept] as const
}

type Kept = ReturnType<typeof printEdit>[1]

export const printDraft = (values: KeptValues): string =>
  JSON.stringify({ values, before: {} } satisfies KeptDraft)

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' && value !== null && 'path' in value && 'base' in value

const restoreEdit = (kept: Kept, { entity, columns }: Shown): CellEdit | undefined => {
  const { id, version, name, path, base, mine, linked } = kept
  const listColumn = columns.find((one) => one.path === path)
  const field = listColumn && editedField(entity, listColumn)
  if (!listColumn || !field?.column) return undefined
  const { column } = field
  return {
    // Its place is known when its row comes into view.
    place: { row: -1, column: -1 },
    row: { id, _version: version, [column]: base },
    name,
    listColumn,
    field,
    column,
    base,
    mine,
    linked,
    state: { kind: 'kept' },
  }
}

/** The changes of columns that the list shows, and what is left for another list. */
const restoreEdits = (values: KeptValues, shown: Shown) => {
  const edits = new Map<string, CellEdit>()
  const left: [string, unknown][] = []
  for (const [key, value] of values) {
    const edit = isKept(value) ? restoreEdit(value, shown) : undefined
    if (edit) edits.set(cellKey(edit.row.id, edit.listColumn), edit)
    else left.push([key, value])
  }
  return { edits, left }
}

/** Restores what was changed before the page was closed, and keeps what is changed now. */
export const useKeptCells = (
  shown: Shown,
  edits: CellEdits,
  dispatch: Dispatch<EditAction>,
): void => {
  const { key } = shown.entity
  const { id } = useSession().me
  const [left, setLeft] = useState<KeptValues>()
  const restore = useEffectEvent((values: KeptValues) => {
    const restored = restoreEdits(values, shown)
    if (restored.edits.size > 0) dispatch({ kind: 'restore', entity: key, edits: restored.edits })
    setLeft(restored.left)
  })
  useEffect(() => {
    let isWanted = true
    const read = async () => {
      const names = [changedCellsName(key), openCellName(key)]
      const drafts = await Promise.all(names.map((name) => readDraft(id, name)))
      if (!isWanted) return
      restore(drafts.flatMap((draft) => draft?.values ?? []))
      void forgetDraft(id, openCellName(key))
    }
    void read()
    return () => {
      isWanted = false
    }
  }, [id, key])
  useStored(key, edits, left)
}

/** `left` are changes of columns that the list does not show; undefined until the drafts have been read. */
const useStored = (key: string, edits: CellEdits, left: KeptValues | undefined): void => {
  const { id } = useSession().me
  const hasStored = useRef(true)
  useEffect(() => {
    if (!left) return
    const values = [...left, ...[...edits.values()].map(printEdit)]
    const name = changedCellsName(key)
    if (values.length > 0) void keepDraft(id, name, printDraft(values))
    else if (hasStored.current) void forgetDraft(id, name)
    hasStored.current = values.length > 0
  }, [id, key, edits, left])
}
