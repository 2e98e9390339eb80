/** What a grid shows, and what it says of what users do with it. */
import type { FocusEventHandler, ReactNode } from 'react'
import type { ListRow } from '../../api/rows.ts'
import type { Entity } from '../../api/types.ts'
import type { ListColumn } from './columns.ts'
import type { Place } from './grid-keys.ts'
import type { GridSelection } from './grid-selection.tsx'
import type { Sorting } from './list-state.ts'

export type RenderCell = (
  row: ListRow,
  column: ListColumn,
  place: { readonly index: number; readonly isActive: boolean; readonly isFirst: boolean },
) => ReactNode

export type GridProps = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  /** Of the rows; undefined while they are counted. */
  readonly count: number | undefined
  readonly rowHeight: number
  /** Whether each row is a card: the first column above the others, and no heads. */
  readonly isCards: boolean
  readonly sortings: readonly Sorting[]
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
  readonly onSort: (column: ListColumn, isAdded: boolean) => void
  readonly renderMenu: (column: ListColumn) => ReactNode
  readonly selection: GridSelection
  readonly onOpen: (row: ListRow) => void
  readonly onFocus: FocusEventHandler
  /** Called with the rows that are on the screen. */
  readonly onRange: (first: number, end: number) => void
}
