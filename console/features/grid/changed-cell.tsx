/** A cell of a list with what is being changed in it: the value at once, an editor, or why it was not saved. */
import { lazy, type ReactNode, Suspense } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { alertIcon } from '../../parts/icons.tsx'
import type { ListColumn } from '../values/columns.ts'
import { OutdatedMark } from '../values/outdated.ts'
import { CellEditor } from './cell-editor.tsx'
import { cellKey, isRowOutdated, withEdit } from './cell-edits.ts'
import { type CellReading, cellContent } from './list-cell.tsx'
import type { Cells } from './use-cells.ts'

const CellNote = lazy(async () => ({ default: (await import('./cell-note.tsx')).CellNote }))

/** Where a cell is: its record, its column, the index of its row, and whether keys work on it. */
export type CellPlace = {
  readonly row: ListRow
  readonly column: ListColumn
  readonly index: number
  readonly isActive: boolean
}

/** What all cells of a list know. */
export type KnownOfCells = CellReading & { readonly entity: Entity; readonly cells: Cells }

type ChangedProps = CellPlace & KnownOfCells & { readonly open: Cells['open'] }

export const ChangedCell = (props: ChangedProps): ReactNode => {
  const { row, column, isActive, entity, cells, open } = props
  const edit = cells.edits.get(cellKey(row.id, column))
  const isFailed = edit !== undefined && edit.state.kind !== 'saving'
  const isDecided = open?.isDecision === true
  const shown = edit && !isFailed ? withEdit(row, edit) : row
  return (
    <>
      {cellContent({ row: shown, column, entity }, props)}
      {isRowOutdated(cells.edits, row, column) && (
        <Suspense>
          <OutdatedMark isShort />
        </Suspense>
      )}
      {isFailed && <span className="cell-failed">{alertIcon}</span>}
      {(open || isFailed) && (
        <Suspense>
          {open && !isDecided && <CellEditor cell={open} edit={edit} />}
          {isFailed && (open ? isDecided : isActive) && (
            <CellNote row={row} column={column} edit={edit} hasFocus={open !== undefined} />
          )}
        </Suspense>
      )}
    </>
  )
}
