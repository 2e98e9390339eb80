/** What changes the columns of a list: their places stand in its address, widths and pins belong to the user. */
import type { ListColumn } from '../list/columns.ts'
import { type ColumnLook, pinnedCount } from '../list/grid-layout.ts'
import { type ListSearch, withColumns } from '../list/list-state.ts'
import { allowedWidth, withPin, withWidths } from './column-look.ts'

/** What is dragged, and what measures: loaded when the pointer comes to the heads, or a column is to fit. */
export const loadDrag = () => import('./column-drag.ts')
const loadFit = () => import('./fitted-width.ts')

// Of one key or click.
const widthStep = 16

type Options = {
  /** Those that are shown, in their order. */
  readonly columns: readonly ListColumn[]
  readonly search: ListSearch
  readonly onChange: (search: ListSearch) => void
  readonly look: ColumnLook
  readonly onLook: (look: ColumnLook) => void
}

export type ColumnActs = ReturnType<typeof columnActs>

export const columnActs = ({ columns, search, onChange, look, onLook }: Options) => {
  const pins = pinnedCount(columns, look)
  const setWidths = (widths: ColumnLook['widths']) => onLook(withWidths(look, widths))
  const setWidth = (at: number, width: number) => {
    const column = columns[at]
    if (column) setWidths({ [column.path]: allowedWidth(width) })
  }
  /** Pinned columns stay before the others. */
  const mayMove = (from: number, to: number) =>
    to >= 0 && to < columns.length && from < pins === to < pins
  return {
    ...{ look, setWidths, mayMove },
    /** Makes a column a step wider, or narrower. */
    widen: (inside: Element, at: number, steps: 1 | -1) => {
      const head = inside.closest('[role=grid]')?.querySelectorAll('[role=columnheader]')[at + 1]
      if (head) setWidth(at, head.getBoundingClientRect().width + steps * widthStep)
    },
    /** Makes a column so wide that what is on the screen is whole. */
    fit: async (inside: Element, at: number) => {
      const grid = inside.closest('[role=grid]')
      if (grid) setWidth(at, (await loadFit()).fittedWidth(grid, at))
    },
    usualWidth: (at: number) => {
      const widths = Object.entries(look.widths).filter(([path]) => path !== columns[at]?.path)
      onLook({ ...look, widths: Object.fromEntries(widths) })
    },
    togglePin: ({ path }: ListColumn) => onLook(withPin(look, path)),
    /** False where it may not go. */
    move: (from: number, to: number): boolean => {
      const paths = columns.map(({ path }) => path)
      const path = paths[from]
      if (path === undefined || !mayMove(from, to)) return false
      onChange(withColumns(search, paths.toSpliced(from, 1).toSpliced(to, 0, path)))
      return true
    },
  }
}
