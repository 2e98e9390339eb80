/** What a grid shows, and what it says of what users do with it. */
import type { ReactNode } from 'react'
import type { Entity, RecordRow } from '../../api/types.ts'
import type { ListColumn } from './columns.ts'
import type { GridSelection } from './grid-selection.tsx'
import type { Sorting } from './list-state.ts'

export type GridProps = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  /** Of the rows; undefined while they are counted. */
  readonly count: number | undefined
  readonly rowHeight: number
  readonly sortings: readonly Sorting[]
  readonly rowAt: (index: number) => RecordRow | undefined
  readonly renderCell: (row: RecordRow, column: ListColumn) => ReactNode
  readonly onSort: (column: ListColumn, isAdded: boolean) => void
  readonly renderMenu: (column: ListColumn) => ReactNode
  readonly selection: GridSelection
  readonly onOpen: (row: RecordRow) => void
  /** Called with the rows that are on the screen. */
  readonly onRange: (first: number, end: number) => void
}
