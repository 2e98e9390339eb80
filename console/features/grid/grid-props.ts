/** What a grid shows, and what it says of what users do with it. */
import type { FocusEventHandler, ReactNode } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import type { ListColumn } from '../values/columns.ts'
import type { Place } from './grid-keys.ts'
import type { ColumnLook } from './grid-layout.ts'
import type { GridSelection } from './grid-selection.tsx'
import type { Sorting } from './list-state.ts'

export type RenderCell = (
  row: ListRow,
  column: ListColumn,
  place: {
    readonly index: number
    readonly isActive: boolean
    readonly isFirst: boolean
    /** Of its text, in pixels, where that is known. */
    readonly room: number | undefined
  },
) => ReactNode

/** What the heads of the columns show and do; columns are named by their places. */
export type GridHeads = {
  readonly sortings: readonly Sorting[]
  readonly look: ColumnLook
  /** The path of the column whose menu is open. */
  readonly openMenu: string | undefined
  /** The pointer comes to the heads. */
  readonly onNear: () => void
  readonly onSort: (column: ListColumn, isAdded: boolean) => void
  /** Opens the menu of a column beside an element. */
  readonly onMenu: (column: ListColumn, anchor: Element) => void
  /** Makes a column of the grid that the element is in a step wider or narrower, or as wide as its content. */
  readonly onWiden: (inside: Element, at: number, steps: 1 | -1) => void
  readonly onFit: (inside: Element, at: number) => void
  /** False where it may not go. */
  readonly onMove: (from: number, to: number) => boolean
  /** The end of a column, or its head, is dragged by a pointer that the element has captured. */
  readonly onDragWidth: (handle: HTMLElement, event: PointerEvent, at: number) => void
  readonly onDrag: (button: HTMLElement, event: PointerEvent, at: number) => void
}

export type GridProps = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  /** Of the rows, or of those that are there while the others are counted; undefined while there are none. */
  readonly count: number | undefined
  readonly isCounted: boolean
  readonly rowHeight: number
  /** Whether each row is a card: the first column above the others, and no heads. */
  readonly isCards: boolean
  readonly heads: GridHeads
  readonly rowAt: (index: number) => ListRow | undefined
  readonly renderCell: RenderCell
  /** The cell that keys work on. */
  readonly active: Place
  readonly onActive: (place: Place) => void
  /** A row that stays rendered wherever the list is scrolled to. */
  readonly keptRow: number | undefined
  /** Whether cells of a column are never edited. */
  readonly isReadOnly: (column: ListColumn) => boolean
  readonly onEdit: (place: Place) => void
  /** Opens the menu of a cell beside its element. */
  readonly onMenu: (place: Place, cell: Element) => void
  readonly selection: GridSelection
  /** Whether letters alone do something (WCAG 2.1.4). */
  readonly hasLetterKeys: boolean
  readonly onOpen: (row: ListRow) => void
  readonly onFocus: FocusEventHandler
  /** Called with the rows that are on the screen. */
  readonly onRange: (first: number, end: number) => void
}
