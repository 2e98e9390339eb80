/** How the columns of a grid stand: their widths, those that stay at its start, and those that have cells. */
import { useMemo } from 'react'
import type { Entity } from '../../api/types.ts'
import type { ListColumn } from '../values/columns.ts'
import {
  type ColumnLook,
  cardLayoutOf,
  columnsWithin,
  type GridLayout,
  layoutOf,
  roomsOf,
  stayingCount,
} from './grid-layout.ts'
import { readFont } from './text-width.ts'

type Columns = {
  readonly entity: Entity
  readonly columns: readonly ListColumn[]
  readonly heads: { readonly look: ColumnLook }
  readonly active: { readonly column: number }
  readonly isCards: boolean
}

// Cards are as wide as there is room for.
const noRooms: readonly number[] = []

/**
 * How the columns of a grid stand that is `width` pixels wide: how many of them stay at its start, and how many have cells.
 * Those have that are in view; all as soon as keys lead to one beyond them. And how much room a text has in each of them, as far as that is known.
 */
export const useGridLayout = (grid: Columns, width: number) => {
  const { entity, columns, active, isCards } = grid
  const { look } = grid.heads
  const pins = isCards ? 0 : stayingCount(columns, look, entity.displayField)
  const [layout, within, rooms] = useMemo(() => {
    const sizes = isCards ? cardLayoutOf(columns) : layoutOf(columns, look)
    // What stays at the start, with the boxes that select.
    const all: GridLayout = { ...sizes, '--start': `span ${pins + 1}` }
    if (isCards) return [all, 0, noRooms]
    readFont()
    return [all, columnsWithin(columns, look, width), roomsOf(columns, look)]
  }, [columns, look, pins, isCards, width])
  return { layout, pins, rooms, shown: active.column < within ? within : columns.length }
}
