/** Changes of cells that are not saved yet: what a change is, and the reducer that holds them over pages until the session ends. */
import { createContext, type Dispatch, type ReactNode, use, useMemo, useReducer } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity, Field } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import { valueAt } from '../format/format-value.ts'
import type { ListColumn } from '../values/columns.ts'
import { isEntered, isOutdated } from '../values/own-fields.ts'
import type { Place } from './grid-props.ts'

/** A cell of a row as it was on the screen when its change began. */
export type EditedCell = {
  readonly place: Place
  /** The name of the record. */
  readonly name: string
  readonly row: ListRow
  readonly listColumn: ListColumn
  /** The field of the record that it changes, and its column. */
  readonly field: Field
  readonly column: string
  /** The value that was on the screen. */
  readonly base: unknown
}

/** What the user typed, and the name of the linked record if the cell shows a link. */
export type Typed = { readonly mine: unknown; readonly linked: string | undefined }

/** What a change says of a row. */
type WrittenCell = Pick<EditedCell, 'listColumn' | 'column'> & Typed

/** A change that is to be saved. */
export type NewEdit = EditedCell & Typed

type Refused = { readonly kind: 'refused'; readonly error: Error }
type Conflict = { readonly kind: 'conflict'; readonly row: ListRow }

/** A changed cell: being saved, restored from the browser, refused, or changed by another user too. */
export type CellEdit = NewEdit & {
  readonly state: { readonly kind: 'saving' } | { readonly kind: 'kept' } | Refused | Conflict
}

/** By the key of the cell. */
export type CellEdits = ReadonlyMap<string, CellEdit>

/** What became of a change that was sent; a saved one comes with its row as it is now. */
export type Outcome = { readonly kind: 'saved'; readonly row: ListRow } | Refused | Conflict

/** The change that was saved last, and its row as it was then. */
export type SavedCell = { readonly edit: NewEdit; readonly row: ListRow }

type EntityEdits = { readonly edits: CellEdits; readonly saved: SavedCell | undefined }

type Action =
  | { readonly kind: 'send'; readonly edit: CellEdit }
  | { readonly kind: 'settle'; readonly edit: CellEdit; readonly outcome: Outcome }
  | { readonly kind: 'drop'; readonly edit: NewEdit }
  | { readonly kind: 'restore'; readonly edits: CellEdits }
  | { readonly kind: 'closeSaved' }

export type EditAction = Action & { readonly entity: string }

/** Names the cell of a record in every list that shows it. */
export const cellKey = (id: number, { path }: Pick<ListColumn, 'path'>): string => `${id} ${path}`

const keyOf = ({ row, listColumn }: NewEdit): string => cellKey(row.id, listColumn)

const without = (edits: CellEdits, edit: NewEdit): CellEdits => {
  const rest = new Map(edits)
  rest.delete(keyOf(edit))
  return rest
}

const settled = (edits: CellEdits, edit: CellEdit, outcome: Outcome): CellEdits => {
  // The cell has been changed once more since this change was sent.
  if (edits.get(keyOf(edit)) !== edit) return edits
  if (outcome.kind === 'saved') return without(edits, edit)
  return new Map(edits).set(keyOf(edit), { ...edit, state: outcome })
}

const reduceOne = ({ edits, saved }: EntityEdits, action: Action): EntityEdits => {
  switch (action.kind) {
    case 'send':
      return { edits: new Map(edits).set(keyOf(action.edit), action.edit), saved }
    case 'settle': {
      const { edit, outcome } = action
      return {
        edits: settled(edits, edit, outcome),
        saved: outcome.kind === 'saved' ? { edit, row: outcome.row } : saved,
      }
    }
    case 'drop':
      return { edits: without(edits, action.edit), saved }
    case 'restore':
      return { edits: new Map([...action.edits, ...edits]), saved }
    case 'closeSaved':
      return { edits, saved: undefined }
  }
}

type AllEdits = Readonly<Record<string, EntityEdits>>

const noEdits: EntityEdits = { edits: new Map(), saved: undefined }

const reduce = (all: AllEdits, action: EditAction): AllEdits => ({
  ...all,
  [action.entity]: reduceOne(all[action.entity] ?? noEdits, action),
})

const EditsContext = createContext<readonly [AllEdits, Dispatch<EditAction>]>([{}, () => undefined])

/** Holds the changes of all lists, so that they outlive the list in which they were made. */
export const CellEditsProvider = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [all, dispatch] = useReducer(reduce, {})
  // The same value until a change: lists are not rendered again when another page is shown.
  const value = useMemo(() => [all, dispatch] as const, [all])
  return <EditsContext value={value}>{children}</EditsContext>
}

/** The changes of the cells of an entity, and how they change. */
export const useCellEdits = (entity: string) => {
  const [all, dispatch] = use(EditsContext)
  return { ...(all[entity] ?? noEdits), dispatch }
}

/** Whether a cell shows a value that was calculated before a change that is not saved. */
export const isRowOutdated = (edits: CellEdits, { id }: ListRow, column: ListColumn): boolean =>
  edits.size > 0 &&
  column.place.length === 1 &&
  isOutdated(column.field, (path) => edits.has(cellKey(id, { path })))

/** The name of the linked record in the row of a cell. */
export const linkedIn = ({ row, listColumn }: EditedCell): string | undefined => {
  const name = listColumn.link ? valueAt(row, listColumn.place) : undefined
  return name === null || name === undefined ? undefined : String(name)
}

/** The row as it will be when the change is saved. */
export const withEdit = (
  row: ListRow,
  { listColumn: { link, place }, column, mine, linked }: WrittenCell,
): ListRow => {
  const [key = column, name = ''] = place
  if (!link) return { ...row, [column]: mine }
  return { ...row, [column]: mine, [key]: mine === null ? null : { [name]: linked ?? mine } }
}

/** The field that the cells of a column change: the row's own, or the link to the record that the cell names. */
export const editedField = (
  { fields, permissions }: Entity,
  { place, link, path }: ListColumn,
): Field | undefined => {
  if (permissions.update === false) return undefined
  const column = link ? link.idColumn : place.length === 1 ? path : undefined
  const field = fields.find((one) => one.column !== null && one.column === column)
  return field && isEntered(field) && !kindOf(field).isStructured ? field : undefined
}
