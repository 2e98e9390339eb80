/** Changes of cells that the browser has kept, as changes of the list that is open now. */
import type { KeptDraft } from '../../api/own/drafts.ts'
import type { Entity } from '../../api/types.ts'
import type { ListColumn } from '../values/columns.ts'
import { type CellEdit, cellKey, editedField, type printEdit } from './cell-edits.ts'

type Kept = ReturnType<typeof printEdit>[1]

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' && value !== null && 'path' in value && 'base' in value

type Shown = { readonly entity: Entity; readonly columns: readonly ListColumn[] }

const restoreEdit = (kept: Kept, { entity, columns }: Shown): CellEdit | undefined => {
  const { id, version, name, path, base, mine, linked } = kept
  const listColumn = columns.find((one) => one.path === path)
  const field = listColumn && editedField(entity, listColumn)
  if (!listColumn || !field?.column) return undefined
  const { column } = field
  return {
    // As far as it was on the screen; where it stands now is known when its row comes into view.
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

/** What the list shows, by cell, and what is left for another list. */
export const restoreEdits = (values: KeptDraft['values'], shown: Shown) => {
  const restored = new Map<string, CellEdit>()
  const left: [string, unknown][] = []
  for (const [key, value] of values) {
    const edit = isKept(value) ? restoreEdit(value, shown) : undefined
    if (edit) restored.set(cellKey(edit.row.id, edit.listColumn), edit)
    else left.push([key, value])
  }
  return { restored, left }
}
