/** The heads of the columns: names, order, and the menu of each. */
import { memo, type ReactNode } from 'react'
import { isNumeric } from '../values/format-value.ts'
import type { ListColumn } from './columns.ts'
import type { GridLayout } from './grid-layout.ts'
import type { GridProps } from './grid-props.ts'
import { SelectAll } from './grid-selection.tsx'
import type { Sorting } from './list-state.ts'

type HeadProps = Pick<GridProps, 'columns' | 'sortings' | 'onSort' | 'renderMenu' | 'selection'> & {
  readonly layout: GridLayout
}

export const GridHead = ({
  columns,
  sortings,
  onSort,
  renderMenu,
  selection,
  layout,
}: HeadProps): ReactNode => (
  <div className="grid-head" role="row" aria-rowindex={1} style={layout}>
    <SelectAll selection={selection} />
    <Titles {...{ columns, sortings, onSort, renderMenu }} />
  </div>
)

type TitlesProps = Omit<HeadProps, 'selection' | 'layout'>

/** They stay as they are while rows come and go. */
const Titles = memo(
  ({ columns, sortings, onSort, renderMenu }: TitlesProps): ReactNode =>
    columns.map((column, at) => (
      <div
        key={column.path}
        className="grid-title"
        role="columnheader"
        aria-colindex={at + 2}
        aria-sort={orderOf(sortings, column)}
        data-numeric={isNumeric(column.field) || undefined}
      >
        <button type="button" tabIndex={-1} onClick={(event) => onSort(column, event.shiftKey)}>
          <span dir="auto">{column.label}</span>
          <Arrow sortings={sortings} column={column} />
        </button>
        {renderMenu(column)}
      </div>
    )),
)

const sortingOf = (sortings: readonly Sorting[], { path }: ListColumn) =>
  sortings.find((sorting) => sorting.path === path)

const orderOf = (sortings: readonly Sorting[], column: ListColumn) => {
  const sorting = sortingOf(sortings, column)
  if (!sorting) return 'none'
  return sorting.isDescending ? 'descending' : 'ascending'
}

type ArrowProps = { readonly sortings: readonly Sorting[]; readonly column: ListColumn }

/** The direction of the order, and its place where there are several. */
const Arrow = ({ sortings, column }: ArrowProps): ReactNode => {
  const sorting = sortingOf(sortings, column)
  if (!sorting) return null
  const place = sortings.length > 1 ? sortings.indexOf(sorting) + 1 : ''
  return <span aria-hidden="true">{`${sorting.isDescending ? '↓' : '↑'}${place}`}</span>
}
