/** What keys do with the head of a column. */
import type { ListColumn } from '../values/columns.ts'
import type { Keys } from './grid-keys.ts'
import type { GridHeads } from './grid-props.ts'

/** Gives the place where the column is afterwards. */
type HeadAct = (heads: GridHeads, column: ListColumn, at: number, grid: Element) => number

const sort =
  (isAdded: boolean): HeadAct =>
  ({ onSort }, column, at) => {
    onSort(column, isAdded)
    return at
  }

const widen =
  (steps: 1 | -1): HeadAct =>
  ({ onWiden }, _column, at, grid) => {
    onWiden(grid, at, steps)
    return at
  }

const move =
  (by: 1 | -1): HeadAct =>
  ({ onMove }, _column, at) =>
    onMove(at, at + by) ? at + by : at

const headActs: Readonly<Record<string, HeadAct>> = {
  Enter: sort(false),
  'Shift+Enter': sort(true),
  'Shift+ArrowRight': widen(1),
  'Shift+ArrowLeft': widen(-1),
  'Ctrl+ArrowRight': move(1),
  'Ctrl+ArrowLeft': move(-1),
}

/** What keys do with the head of a column; undefined: nothing. */
export const headActOf = ({
  key,
  shiftKey,
  ctrlKey,
  metaKey,
  altKey,
}: Keys): HeadAct | undefined =>
  altKey || metaKey
    ? undefined
    : headActs[`${ctrlKey ? 'Ctrl+' : ''}${shiftKey ? 'Shift+' : ''}${key}`]
