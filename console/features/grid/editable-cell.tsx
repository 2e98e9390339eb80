/** What the cells of a list show: their values, which can be changed. */
import { lazy, type ReactNode, Suspense, useCallback } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { type CellEdits, cellKey, isRowOutdated } from './cell-edits.ts'
import type { CellPlace, KnownOfCells } from './changed-cell.tsx'
import type { RenderCell } from './grid-props.ts'
import { cellContent } from './list-cell.tsx'
import { loadSaving } from './use-cell-edits.ts'
import type { Cells } from './use-cells.ts'
import './cells.css'

const loadEditor = () => import('./changed-cell.tsx')
const ChangedCell = lazy(async () => ({ default: (await loadEditor()).ChangedCell }))

/** Loads what a change of a cell needs before it is needed. */
export const prepareEditor = (): void => {
  // Whoever edits while the service is away is told then.
  void Promise.all([loadEditor(), loadSaving()]).catch(() => undefined)
}

/** What the cells of a list show; the function is another one when any of them may show something else. */
export const useRenderCell = (entity: Entity, cells: Cells, words: string): RenderCell => {
  const reading = useReading()
  const { marks } = useTexts().cells
  return useCallback(
    (row, column, { isFirst, room, ...place }) => {
      const isMarked = isFirst && row.$mark !== undefined
      const content = editableContent(
        { row, column, ...place },
        { entity, cells, reading, words },
        isMarked ? undefined : room,
      )
      if (!isMarked || !row.$mark) return content
      return (
        <>
          {content}
          <span className="row-mark">{marks[row.$mark]}</span>
        </>
      )
    },
    [entity, cells, reading, words, marks],
  )
}

const editableContent = (
  place: CellPlace,
  known: KnownOfCells,
  room: number | undefined,
): ReactNode => {
  const { row, column, index } = place
  const { edits, open } = known.cells
  const isOpen = open?.place.row === index && open.listColumn.path === column.path
  const content = cellContent({ row, column, room, entity: known.entity }, known)
  if (!isOpen && !isChanged(edits, row, column)) return content
  return (
    <Suspense fallback={content}>
      <ChangedCell {...place} {...known} open={isOpen ? open : undefined} />
    </Suspense>
  )
}

// A list has hundreds of cells, and seldom one that was changed.
const isChanged = (edits: CellEdits, row: ListRow, column: ListColumn): boolean =>
  edits.size > 0 && (edits.has(cellKey(row.id, column)) || isRowOutdated(edits, row, column))
