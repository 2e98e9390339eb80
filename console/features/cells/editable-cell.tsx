/** A cell of a list with what is being changed in it: the value at once, an editor, or why it was not saved. */
import { lazy, type ReactNode, Suspense, use } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { alertIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import { OutdatedMark } from '../calculated/outdated.ts'
import type { ListColumn } from '../list/columns.ts'
import { ListCell } from '../list/list-cell.tsx'
import { cellKey, isRowOutdated, withEdit } from './cell-edits.ts'
import { loadSaving } from './use-cell-edits.ts'
import { CellsContext } from './use-cells.ts'
import './cells.css'

const loadEditor = () => import('./cell-editor.tsx')
const CellEditor = lazy(async () => ({ default: (await loadEditor()).CellEditor }))
const CellNote = lazy(async () => ({ default: (await import('./cell-note.tsx')).CellNote }))

/** Loads what a change of a cell needs before it is needed. */
export const prepareEditor = (): void => {
  // Whoever edits while the service is away is told then.
  void Promise.all([loadEditor(), loadSaving()]).catch(() => undefined)
}

type CellProps = {
  readonly row: ListRow
  readonly index: number
  readonly column: ListColumn
  readonly entity: Entity
  readonly isActive: boolean
}

export const EditableCell = ({ row, index, column, entity, isActive }: CellProps): ReactNode => {
  const cells = use(CellsContext)
  // A list has hundreds of cells, and seldom one that was changed.
  const edit = cells?.edits.size ? cells.edits.get(cellKey(row.id, column)) : undefined
  const isFailed = edit !== undefined && edit.state.kind !== 'saving'
  const isPast = cells !== undefined && isRowOutdated(cells.edits, row, column)
  const { open } = cells ?? {}
  const isOpen = open?.place.row === index && open.listColumn.path === column.path
  const isDecided = isOpen && open.isDecision
  return (
    <>
      <ListCell row={edit && !isFailed ? withEdit(row, edit) : row} {...{ column, entity }} />
      {isPast && (
        <Suspense>
          <OutdatedMark isShort />
        </Suspense>
      )}
      {isFailed && <span className="cell-failed">{alertIcon}</span>}
      {(isOpen || isFailed) && (
        <Suspense>
          {isOpen && !isDecided && <CellEditor cell={open} edit={edit} />}
          {isFailed && (isOpen ? isDecided : isActive) && (
            <CellNote {...{ row, column, edit }} hasFocus={isOpen} />
          )}
        </Suspense>
      )}
    </>
  )
}

/** Says of a row what became of it since the list was read. */
export const RowMark = ({ row }: { readonly row: ListRow }): ReactNode => {
  const { marks } = useTexts().cells
  return row.$mark ? <span className="row-mark">{marks[row.$mark]}</span> : null
}
