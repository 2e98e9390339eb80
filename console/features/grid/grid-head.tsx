/** The heads of the columns: names, order, width, and the menu of each. */
import { memo, type PointerEvent, type ReactNode, useRef } from 'react'
import { moreIcon } from '../../parts/icons.tsx'
import { useTexts } from '../../texts/texts.ts'
import { kindOf } from '../format/field-kinds.ts'
import type { ListColumn } from '../values/columns.ts'
import { pinOf } from './grid-layout.ts'
import { cellId, type GridHeads, type GridProps, headRow } from './grid-props.ts'
import { SelectAllBox } from './grid-selection.tsx'
import type { Sorting } from './list-state.ts'

type HeadProps = Pick<GridProps, 'columns' | 'heads' | 'selection'> & {
  /** Of the grid. */
  readonly id: string
  /** The column whose head keys work on. */
  readonly activeColumn: number | undefined
  readonly isCards: boolean
  /** How many columns stay at the start. */
  readonly pins: number
  /** Called when the end of a column is dragged. */
  readonly onWidth: () => void
}

export const GridHead = ({ selection, isCards, ...titles }: HeadProps): ReactNode => {
  const texts = useTexts()
  return (
    <div className="grid-head" role="row" aria-rowindex={1} onPointerEnter={titles.heads.onNear}>
      <div className="grid-start" role="presentation">
        <div className="grid-title" role="columnheader" aria-colindex={1}>
          {isCards ? texts.selection.label : <SelectAllBox selection={selection} />}
        </div>
        <Titles {...titles} from={0} to={titles.pins} />
      </div>
      <Titles {...titles} from={titles.pins} to={titles.columns.length} />
    </div>
  )
}

type TitlesProps = Omit<HeadProps, 'selection' | 'isCards'> & {
  /** The first of the columns, and the one behind the last. */
  readonly from: number
  readonly to: number
}

/** Not rendered again while rows come and go. */
const Titles = memo(
  ({ id, columns, heads, activeColumn, pins, onWidth, from, to }: TitlesProps): ReactNode =>
    columns.slice(from, to).map((column, place) => {
      const at = from + place
      return (
        <div
          key={column.path}
          id={cellId(id, { row: headRow, column: at })}
          className="grid-title"
          role="columnheader"
          aria-colindex={at + 2}
          aria-sort={orderOf(heads.sortings, column)}
          data-numeric={kindOf(column.field).isNumber || undefined}
          data-active={at === activeColumn || undefined}
          data-pinned={pinOf(at, pins)}
        >
          <Title column={column} heads={heads} at={at} onWidth={onWidth} />
        </div>
      )
    }),
)

type TitleProps = Pick<HeadProps, 'onWidth'> & {
  readonly column: ListColumn
  readonly heads: GridHeads
  readonly at: number
}

const Title = ({ column, heads, at, onWidth }: TitleProps): ReactNode => {
  const { list } = useTexts()
  const wasOpen = useRef(false)
  const capture = ({ currentTarget, pointerId }: PointerEvent<HTMLElement>) =>
    currentTarget.setPointerCapture(pointerId)
  return (
    <>
      <button
        type="button"
        tabIndex={-1}
        onPointerDown={(event) => {
          // A finger scrolls.
          if (event.button !== 0 || event.pointerType === 'touch') return
          capture(event)
          const { currentTarget, nativeEvent } = event
          heads.act(({ drag }) => drag(currentTarget, nativeEvent, at))
        }}
        onClick={(event) => heads.onSort(column, event.shiftKey)}
      >
        <span dir="auto" title={column.label}>
          {column.label}
        </span>
        <Arrow sortings={heads.sortings} column={column} />
      </button>
      <button
        type="button"
        className="button"
        data-look="icon"
        aria-label={list.columnMenu(column.label)}
        title={list.columnMenu(column.label)}
        aria-haspopup="menu"
        tabIndex={-1}
        // A press closes an open menu by itself.
        onPointerDown={() => {
          wasOpen.current = heads.openMenu === column.path
        }}
        onClick={({ currentTarget }) => {
          if (!wasOpen.current) heads.onMenu(column, currentTarget)
          wasOpen.current = false
        }}
      >
        {moreIcon}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys and the menu change widths too */}
      <span
        className="grid-resize"
        onPointerDown={(event) => {
          if (event.button !== 0) return
          capture(event)
          onWidth()
          const { currentTarget, nativeEvent } = event
          heads.act(({ dragWidth }) => dragWidth(currentTarget, nativeEvent, at))
        }}
        onDoubleClick={({ currentTarget }) => heads.act(({ fit }) => fit(currentTarget, at))}
      />
    </>
  )
}

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
  return (
    <span
      className="grid-arrow"
      aria-hidden="true"
    >{`${sorting.isDescending ? '↓' : '↑'}${place}`}</span>
  )
}
