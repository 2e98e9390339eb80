/** Editing in the cells of a list: which one is open, what is typed into it, and where it goes on from there. */
import { useQueryClient } from '@tanstack/react-query'
import { createContext, useCallback, useMemo, useRef, useState } from 'react'
import type { ListRequest } from '../../api/queries.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import type { ListColumn } from '../values/columns.ts'
import {
  type CellEdit,
  type CellEdits,
  cellKey,
  type EditedCell,
  editedField,
  mayChange,
} from './cell-edits.ts'
import type { Place } from './grid-keys.ts'
import { type CellEditing, useCellEdits } from './use-cell-edits.ts'
import { useKeptCells } from './use-kept-cells.ts'

/** Where to go on after a cell: stay, or edit the next or previous one. */
export type Move = 'stay' | 'next' | 'previous'

/** What an editor gives: the value, and what a linked record is called. */
export type Typed = { readonly value: unknown; readonly linked: string | undefined }

type OpenCell = EditedCell & {
  /** Between two values, instead of typing one. */
  readonly isDecision: boolean
}

export type Cells = {
  readonly entity: string
  readonly edits: CellEdits
  /** The cell that is open. */
  readonly open: OpenCell | undefined
  readonly start: (place: Place) => void
  readonly save: (cell: EditedCell, typed: Typed) => void
  /** Closes the cell that is open. */
  readonly close: (move: Move) => void
  /** Decides between what the user typed and what somebody else has saved. */
  readonly decide: (edit: CellEdit, isMine: boolean) => void
}

/** What is known of cells, for each of them. */
export const CellsContext = createContext<Cells | undefined>(undefined)

type Options = {
  readonly entity: Entity
  readonly list: ListRequest
  readonly columns: readonly ListColumn[]
  readonly rowAt: (index: number) => ListRow | undefined
  readonly onActive: (place: Place) => void
}

export const useCells = (options: Options) => {
  const [said, setSaid] = useState('')
  const say = useSaying(setSaid)
  const { permissions } = options.entity
  const { cells: texts } = useTexts()
  useShortcuts(permissions.update === false ? [] : [{ keys: 'F2', label: texts.shortcut }])
  const editing = useCellEdits(options.list, say.settled)
  const { open, start, close } = useOpenCell(options, editing, say.fixed)
  const { edits, save: send, drop } = editing
  const { key } = options.entity
  useKeptCells(options, edits)
  const cells = useMemo<Cells>(
    () => ({
      entity: key,
      edits,
      open,
      start,
      close,
      save: (cell, { value, linked }) => {
        if (isSame(value, cell.base)) drop({ ...cell, mine: value, linked })
        else send({ ...cell, mine: value, linked })
      },
      decide: (edit, isMine) => {
        if (!isMine || edit.state.kind !== 'conflict') return drop(edit)
        const { row } = edit.state
        send({ ...edit, row, base: row[edit.column] })
      },
    }),
    [key, edits, open, start, close, send, drop],
  )
  return { cells, said }
}

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

/** What is said to those who do not see the cell. */
const useSaying = (setSaid: (text: string) => void) => {
  const { cells } = useTexts()
  return useMemo(
    () => ({
      fixed: ({ label }: ListColumn) => setSaid(cells.fixed(label)),
      settled: ({ name, listColumn, state }: CellEdit) => {
        const cell = cells.cell(listColumn.label, name)
        if (state.kind === 'conflict') setSaid(`${cell}: ${cells.conflict}`)
        if (state.kind === 'refused') setSaid(`${cell}: ${cells.refused} ${state.error.message}`)
      },
    }),
    [cells, setSaid],
  )
}

/** The cell that is open, as it was when it was opened. */
const useOpenCell = (
  { entity, columns, rowAt, onActive }: Options,
  { edits }: CellEditing,
  onFixed: (column: ListColumn) => void,
) => {
  const client = useQueryClient()
  const [open, setOpen] = useState<OpenCell>()
  const attempt = useRef(0)
  const start = useCallback(
    async (place: Place) => {
      attempt.current += 1
      const mine = attempt.current
      const column = columns[place.column]
      const cell = cellAt({ entity, columns, rowAt, edits }, place)
      const isFree = cell !== undefined && (await mayChange(client, entity, cell.row.id))
      // The user has gone on while the service was asked.
      if (mine !== attempt.current) return
      if (isFree) setOpen(cell)
      else if (column) onFixed(column)
    },
    [client, entity, columns, rowAt, edits, onFixed],
  )
  const close = useCallback(
    (move: Move) => {
      attempt.current += 1
      setOpen(undefined)
      const next =
        open && move !== 'stay' && nextPlace({ entity, columns, rowAt }, open.place, move)
      if (!next) return
      onActive(next)
      void start(next)
    },
    [entity, columns, rowAt, open, onActive, start],
  )
  return { open, start: useCallback((place: Place) => void start(place), [start]), close }
}

type Known = Pick<Options, 'entity' | 'columns' | 'rowAt'>

/** What a change of the cell begins with: a change that was refused, what is on its way, or the row. */
const cellAt = (
  { entity, columns, rowAt, edits }: Known & { readonly edits: CellEdits },
  place: Place,
): OpenCell | undefined => {
  const row = rowAt(place.row)
  const listColumn = columns[place.column]
  const field = listColumn && editedField(entity, listColumn)
  if (!row || !listColumn || !field?.column || row.$mark === 'gone') return undefined
  const edit = edits.get(cellKey(row.id, listColumn))
  if (edit && edit.state.kind !== 'saving')
    return { ...edit, place, isDecision: edit.state.kind === 'conflict' }
  const base = edit ? edit.mine : row[field.column]
  const name = String(row[entity.displayField] ?? row.id)
  return { place, name, row, listColumn, field, column: field.column, base, isDecision: false }
}

/** The next place that can be edited, over the ends of rows too. */
const nextPlace = (
  { entity, columns, rowAt }: Known,
  place: Place,
  move: 'next' | 'previous',
): Place | undefined => {
  const step = move === 'next' ? 1 : -1
  const size = columns.length
  let at = place.row * size + place.column + step
  // A whole row and its neighbour's beginning hold every column that there is.
  for (let tried = 0; tried < size && at >= 0; tried++, at += step) {
    const next = { row: Math.floor(at / size), column: at % size }
    const column = columns[next.column]
    const row = rowAt(next.row)
    if (row && row.$mark !== 'gone' && column && editedField(entity, column)) return next
  }
  return undefined
}
