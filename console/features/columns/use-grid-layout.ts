/** How the columns of a grid stand: their widths, those that stay at its start, and those that have cells. */
import { useMemo } from 'react'
import type { Entity } from '../../api/types.ts'
import type { ListColumn } from '../list/columns.ts'
import {
  type ColumnLook,
  cardLayoutOf,
  columnsWithin,
  type GridLayout,
  layoutOf,
  stayingCount,
} from '../list/grid-layout.ts'

type Columns = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  readonly heads: { readonly look: ColumnLook }
  readonly active: { readonly column: number }
  readonly isCards: boolean
}

/**
 * How the columns of a grid stand that is `width` pixels wide: how many of them stay at its start, and how many have cells.
 * Those have that are in view; all as soon as keys lead to one beyond them.
 */
export const useGridLayout = (grid: Columns, width: number) => {
  const { entity, columns, active, isCards } = grid
  const { look } = grid.heads
  const pins = isCards ? 0 : stayingCount(columns, look, entity.displayField)
  const [layout, within] = useMemo(() => {
    const sizes = isCards ? cardLayoutOf(columns) : layoutOf(columns, look)
    // What stays at the start, with the boxes that select.
    const all: GridLayout = { ...sizes, '--start': `span ${pins + 1}` }
    return [all, isCards ? 0 : columnsWithin(columns, look, width)]
  }, [columns, look, pins, isCards, width])
  return { layout, pins, shown: active.column < within ? within : columns.length }
}
