/** What a grid shows, what it calls when users do something, and how its cells are named. */
import type { FocusEventHandler, ReactNode } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import type { ListColumn } from '../values/columns.ts'
import type { ColumnActs } from './column-acts.ts'
import type { ColumnLook } from './grid-layout.ts'
import type { GridSelection } from './grid-selection.tsx'
import type { Sorting } from './list-state.ts'

export type Place = {
  readonly row: number
  readonly column: number
  /** Whether the end of the list is meant, wherever it is. */
  readonly isEnd?: boolean
}

/** Where a list begins; this very object means that the user has not moved yet. */
export const firstPlace: Place = { row: 0, column: 0 }

/** The row of the heads. */
export const headRow = -1

/** Names the element of a cell. */
export const cellId = (grid: string, { row, column }: Place): string => `${grid}-${row}-${column}`

export type RenderCell = (
  row: ListRow,
  column: ListColumn,
  place: {
    readonly index: number
    readonly isActive: boolean
    readonly isFirst: boolean
    /** The room of its text in pixels; undefined in cards. */
    readonly room: number | undefined
  },
) => ReactNode

/** What the heads of the columns show and do; columns are named by their indexes. */
export type GridHeads = {
  readonly sortings: readonly Sorting[]
  readonly look: ColumnLook
  /** The path of the column whose menu is open. */
  readonly openMenu: string | undefined
  /** The pointer comes to the heads. */
  readonly onNear: () => void
  readonly onSort: (column: ListColumn, isAdded: boolean) => void
  /** Opens the menu of a column at an element. */
  readonly onMenu: (column: ListColumn, anchor: Element) => void
  /** Changes columns, once the code for it is loaded. */
  readonly act: (run: (acts: ColumnActs) => void) => void
  readonly mayMove: (from: number, to: number) => boolean
}

export type GridProps = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  /** The number of rows, or of those that have been read until all are counted; undefined while there are none. */
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
  /** Opens the menu of a cell at its element. */
  readonly onMenu: (place: Place, cell: Element) => void
  readonly selection: GridSelection
  /** Whether letters alone do something (WCAG 2.1.4). */
  readonly hasLetterKeys: boolean
  readonly onOpen: (row: ListRow) => void
  readonly onFocus: FocusEventHandler
  /** Called with the rows that are on the screen. */
  readonly onRange: (first: number, end: number) => void
}
