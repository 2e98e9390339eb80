/** Editing in the cells of a list: which cell is open, how a change is saved, and which cell follows. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type Dispatch, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { isOpenTo } from '../../api/open-actions.ts'
import { actionsQuery, type ListRequest } from '../../api/queries.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import type { ListColumn } from '../values/columns.ts'
import { useKeptCells } from './cell-drafts.ts'
import {
  type CellEdit,
  type CellEdits,
  cellKey,
  type EditAction,
  type EditedCell,
  editedField,
  type NewEdit,
  type Outcome,
  useCellEdits,
} from './cell-edits.tsx'
import type { Place } from './grid-props.ts'

/** Where to go after a cell: stay, or edit the next or previous one, or in a form the one below. */
export type Move = 'stay' | 'next' | 'previous' | 'below'

type OpenCell = EditedCell & {
  /** Whether the user decides between two values instead of typing one. */
  readonly isDecision: boolean
}

export type Cells = {
  readonly entity: Entity
  /** Whether a form keeps what is typed, and saves it later. */
  readonly isForm?: true
  readonly edits: CellEdits
  readonly open: OpenCell | undefined
  readonly start: (place: Place) => void
  /** Closes the cell that is open. */
  readonly close: (move: Move) => void
  readonly save: (edit: NewEdit) => void
  readonly drop: (edit: NewEdit) => void
}

type Shown = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  readonly rowAt: (index: number) => ListRow | undefined
}

type Options = Shown & {
  readonly list: ListRequest
  readonly onActive: (place: Place) => void
}

/** `said` is for users who do not see the cell. */
export const useCells = (options: Options): { readonly cells: Cells; readonly said: string } => {
  const { entity, list } = options
  const { cells: texts } = useTexts()
  const [said, setSaid] = useState('')
  useShortcuts(entity.permissions.update === false ? [] : [{ keys: 'F2', label: texts.shortcut }])
  const { edits, dispatch } = useCellEdits(entity.key)
  useWarning(edits.size > 0)
  useKeptCells(options, edits, dispatch)
  const sayOutcome = useCallback(
    ({ name, listColumn }: NewEdit, outcome: Outcome) => {
      const cell = texts.cell(listColumn.label, name)
      if (outcome.kind === 'conflict') setSaid(`${cell}: ${texts.conflict}`)
      if (outcome.kind === 'refused') setSaid(`${cell}: ${texts.refused} ${outcome.error.message}`)
    },
    [texts],
  )
  const save = useSending(list, dispatch, sayOutcome)
  const sayFixed = useCallback(({ label }: ListColumn) => setSaid(texts.fixed(label)), [texts])
  const { open, start, close } = useOpenCell(options, edits, sayFixed)
  const cells = useMemo<Cells>(() => {
    const drop = (edit: NewEdit) => dispatch({ kind: 'drop', entity: entity.key, edit })
    return { entity, edits, open, start, close, save, drop }
  }, [entity, edits, open, start, close, save, dispatch])
  return { cells, said }
}

/** How changes are saved: loaded with the editor, before a change can be made. */
export const loadSaving = () => import('./save-cell.ts')

const refusalOf = (error: unknown): Outcome => ({
  kind: 'refused',
  error: error instanceof Error ? error : new Error(String(error)),
})

/** Sends changes; those of one record one after the other. */
const useSending = (
  list: ListRequest,
  dispatch: Dispatch<EditAction>,
  onSettled: (edit: NewEdit, outcome: Outcome) => void,
): ((edit: NewEdit) => void) => {
  const client = useQueryClient()
  const queues = useRef(new Map<number, Promise<void>>())
  return useCallback(
    (change) => {
      const { entity } = list
      const edit: CellEdit = { ...change, state: { kind: 'saving' } }
      dispatch({ kind: 'send', entity, edit })
      const settle = async () => {
        const outcome = await loadSaving()
          .then(({ sendCell }) => sendCell(client, list, edit))
          .catch(refusalOf)
        dispatch({ kind: 'settle', entity, edit, outcome })
        onSettled(edit, outcome)
      }
      const before = queues.current.get(edit.row.id) ?? Promise.resolve()
      queues.current.set(edit.row.id, before.then(settle))
    },
    [client, list, dispatch, onSettled],
  )
}

/** The browser asks before it throws away changes that are not saved. */
const useWarning = (hasChanges: boolean): void => {
  useEffect(() => {
    if (!hasChanges) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [hasChanges])
}

/** The cell that is open, as it was when it was opened. */
const useOpenCell = (
  { entity, columns, rowAt, onActive }: Options,
  edits: CellEdits,
  onFixed: (column: ListColumn) => void,
) => {
  const client = useQueryClient()
  const [open, setOpen] = useState<OpenCell>()
  const attempt = useRef(0)
  const start = useCallback(
    async (place: Place) => {
      attempt.current += 1
      const own = attempt.current
      const column = columns[place.column]
      const cell = cellAt({ entity, columns, rowAt }, edits, place)
      const isFree = cell !== undefined && (await mayChange(client, entity, cell))
      // The user has gone on while the service was asked.
      if (own !== attempt.current) return
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

/** Whether the user may change a field of a record; the service is asked where the role alone does not decide it. */
const mayChange = async (
  client: QueryClient,
  { key, isNative, permissions }: Entity,
  { row: { id }, field }: OpenCell,
): Promise<boolean> => {
  const { update, conditional } = permissions
  if (update === true && !isNative && !conditional.includes('update')) return true
  const actions = await client.fetchQuery(actionsQuery(key, id)).catch(() => undefined)
  return actions !== undefined && isOpenTo(actions, field.key)
}

const isOutOfReach = ({ $mark }: ListRow): boolean => $mark === 'gone' || $mark === 'unread'

/** The row, column and field of a cell that can be edited. */
const editableAt = ({ entity, columns, rowAt }: Shown, place: Place) => {
  const row = rowAt(place.row)
  const listColumn = columns[place.column]
  const field = listColumn && editedField(entity, listColumn)
  if (!row || !listColumn || !field?.column || isOutOfReach(row)) return undefined
  return { row, listColumn, field, column: field.column }
}

/** A cell with the value that its editor begins with: of a change that was refused, of one that is being saved, or of the row. */
const cellAt = (shown: Shown, edits: CellEdits, place: Place): OpenCell | undefined => {
  const found = editableAt(shown, place)
  if (!found) return undefined
  const { row, listColumn, column } = found
  const edit = edits.get(cellKey(row.id, listColumn))
  if (edit && edit.state.kind !== 'saving')
    return { ...edit, place, isDecision: edit.state.kind === 'conflict' }
  const name = String(row[shown.entity.displayField] ?? row.id)
  return { ...found, place, name, base: edit ? edit.mine : row[column], isDecision: false }
}

/** The next place that can be edited, also in another row. */
const nextPlace = (shown: Shown, place: Place, move: Move): Place | undefined => {
  const step = move === 'next' ? 1 : -1
  const size = shown.columns.length
  let at = place.row * size + place.column + step
  // As many places as a row has contain every column once.
  for (let tried = 0; tried < size && at >= 0; tried++, at += step) {
    const next = { row: Math.floor(at / size), column: at % size }
    if (editableAt(shown, next)) return next
  }
  return undefined
}
