/** What changes the columns of a list, loaded when the pointer or keys come to its heads: their places stand in its address, widths and pins belong to the user. */
import type { ListColumn } from '../values/columns.ts'
import { allowedWidth, withPin, withWidths } from './column-look.ts'
import { fittedWidth } from './fitted-width.ts'
import { type ColumnLook, mayMove } from './grid-layout.ts'
import { type ListSearch, withColumns } from './list-state.ts'

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
  const setWidths = (widths: ColumnLook['widths']) => onLook(withWidths(look, widths))
  const setWidth = (at: number, width: number) => {
    const column = columns[at]
    if (column) setWidths({ [column.path]: allowedWidth(width) })
  }
  return {
    look,
    setWidths,
    mayMove: (from: number, to: number) => mayMove(columns, look, from, to),
    /** Makes a column a step wider, or narrower. */
    widen: (inside: Element, at: number, steps: 1 | -1) => {
      const head = inside.closest('[role=grid]')?.querySelectorAll('[role=columnheader]')[at + 1]
      if (head) setWidth(at, head.getBoundingClientRect().width + steps * widthStep)
    },
    /** Makes a column so wide that what is on the screen is whole. */
    fit: (inside: Element, at: number) => {
      const grid = inside.closest('[role=grid]')
      if (grid) setWidth(at, fittedWidth(grid, at))
    },
    usualWidth: (at: number) => {
      const widths = Object.entries(look.widths).filter(([path]) => path !== columns[at]?.path)
      onLook({ ...look, widths: Object.fromEntries(widths) })
    },
    togglePin: ({ path }: ListColumn) => onLook(withPin(look, path)),
    move: (from: number, to: number) => {
      const paths = columns.map(({ path }) => path)
      const path = paths[from]
      if (path === undefined || !mayMove(columns, look, from, to)) return
      onChange(withColumns(search, paths.toSpliced(from, 1).toSpliced(to, 0, path)))
    },
  }
}
