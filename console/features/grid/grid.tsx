/** The rows and columns of a list: any number of rows, moved through by mouse, keys and screen readers. */
import {
  type MouseEvent,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useMemo,
  useRef,
} from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import { usePageFocus } from '../../parts/focus.ts'
import { useTexts } from '../../texts/texts.ts'
import { kindOf } from '../format/field-kinds.ts'
import type { ListColumn } from '../values/columns.ts'
import { GridHead } from './grid-head.tsx'
import { handleKey, openMenu } from './grid-keys.ts'
import {
  cardLayoutOf,
  columnsWithin,
  type GridLayout,
  layoutOf,
  pinnedCount,
  pinOf,
  roomsOf,
} from './grid-layout.ts'
import { cellId, firstPlace, type GridProps, headRow, type Place } from './grid-props.ts'
import { Checkbox, useSelect } from './grid-selection.tsx'
import { readFont } from './text-width.ts'
import { useVirtualRows, type VirtualRows } from './virtual-rows.ts'
import './grid.css'

const headHeight = 36

/** A grid with one tab stop; the active cell moves by keys, by index and not by pixels. */
export const Grid = (props: GridProps): ReactNode => {
  const { entity, columns, rowHeight, active, heads, isCards, onRange } = props
  const count = props.count ?? 0
  const texts = useTexts()
  const id = useId()
  const scrolled = useRef<HTMLDivElement>(null)
  const rows = useVirtualRows(scrolled, {
    count,
    rowHeight,
    headHeight: isCards ? 0 : headHeight,
  })
  const { first, end } = rows
  useEffect(() => onRange(first, end), [onRange, first, end])
  usePageFocus(scrolled)
  const onPoint = useActiveInView(props, scrolled, rows)
  useCountedEnd(props)
  const onSelect = useSelect(props.selection)
  const { layout, pins, rooms, shown } = useGridLayout(props, rows.width)
  return (
    <div
      ref={scrolled}
      className="grid"
      role="grid"
      data-cards={isCards || undefined}
      data-pins={pins > 0 || undefined}
      data-moved={active !== firstPlace || undefined}
      style={layout}
      tabIndex={0}
      aria-label={texts.list.label(entity.name)}
      aria-rowcount={props.count === undefined ? -1 : count + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      {...(count > 0 && { 'aria-activedescendant': cellId(id, active) })}
      onKeyDown={(event) => handleKey(event, props, id)}
      onContextMenu={(event) => handleMenu(event, props, id)}
      onFocus={props.onFocus}
    >
      <GridHead
        id={id}
        columns={columns}
        heads={heads}
        isCards={isCards}
        pins={pins}
        onWidth={rows.showAll}
        selection={props.selection}
        activeColumn={active.row === headRow ? active.column : undefined}
      />
      <div className="grid-spacer" role="presentation" style={{ blockSize: rows.spacer }}>
        <div
          className="grid-rows"
          role="presentation"
          style={{ transform: `translateY(${rows.start}px)` }}
        >
          {shownRows(rows, props.keptRow).map((index) => (
            <GridRow
              key={index}
              id={id}
              index={index}
              columns={columns}
              shown={shown}
              rooms={rooms}
              rowHeight={rowHeight}
              pins={pins}
              row={props.rowAt(index)}
              activeColumn={index === active.row ? active.column : undefined}
              start={(index - rows.base) * rowHeight}
              isAway={index < first || index >= end}
              isReadOnly={props.isReadOnly}
              renderCell={props.renderCell}
              onActive={onPoint}
              onEdit={props.onEdit}
              onSelect={onSelect}
              {...selectionOf(props, index)}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

// Cards are as wide as the grid.
const noRooms: readonly number[] = []

/** How many columns stay at the start: the pinned ones; if none is, the first one if it names the record. */
const stayingCount = ({ entity, columns, heads, isCards }: GridProps): number => {
  if (isCards) return 0
  return pinnedCount(columns, heads.look) || (columns[0]?.path === entity.displayField ? 1 : 0)
}

/**
 * The layout of a grid of this width: its CSS properties, how many columns stay at the start (`pins`), how many have cells
 * (`shown`: those in view, and all once keys go beyond them), and the room of a text in each of them.
 */
const useGridLayout = (grid: GridProps, width: number) => {
  const { columns, active, isCards } = grid
  const { look } = grid.heads
  const pins = stayingCount(grid)
  const [layout, within, rooms] = useMemo(() => {
    const sizes = isCards ? cardLayoutOf(columns) : layoutOf(columns, look)
    // The checkboxes stay at the start too.
    const all: GridLayout = { ...sizes, '--start': `span ${pins + 1}` }
    if (isCards) return [all, 0, noRooms]
    readFont()
    return [all, columnsWithin(columns, look, width), roomsOf(columns, look)]
  }, [columns, look, pins, isCards, width])
  return { layout, pins, rooms, shown: active.column < within ? within : columns.length }
}

type RowProps = Pick<
  GridProps,
  'columns' | 'rowHeight' | 'isReadOnly' | 'renderCell' | 'onActive' | 'onEdit'
> & {
  /** Of the grid. */
  readonly id: string
  readonly index: number
  /** Where it begins among the rows, in pixels. */
  readonly start: number
  /** How many columns have cells: the others are not in view yet. */
  readonly shown: number
  /** The room of a text in each column, in pixels; empty in cards. */
  readonly rooms: readonly number[]
  /** How many columns are pinned. */
  readonly pins: number
  readonly row: ListRow | undefined
  readonly activeColumn: number | undefined
  /** The name of the record. */
  readonly name: string
  readonly isSelected: boolean
  readonly onSelect: (index: number, row: ListRow, isRange: boolean) => void
  /** Whether it is rendered out of view. */
  readonly isAway: boolean
  readonly note: string | undefined
}

/** A row; while its record is being read it keeps its place. */
const GridRow = memo((props: RowProps): ReactNode => {
  const { index, row, columns, shown, pins, activeColumn } = props
  const { selection: texts } = useTexts()
  const cells = columns.slice(0, shown).map((column, at) => cellOf(props, column, at))
  return (
    <div
      className="grid-row"
      role="row"
      aria-rowindex={index + 2}
      aria-busy={row === undefined || undefined}
      aria-selected={props.isSelected}
      data-active={activeColumn === undefined ? undefined : ''}
      data-mark={row?.$mark}
      data-away={props.isAway || undefined}
      style={{ blockSize: props.rowHeight, insetBlockStart: props.isAway ? -1000 : props.start }}
    >
      <div className="grid-start" role="presentation">
        <div
          className="grid-cell grid-select"
          role="gridcell"
          aria-colindex={1}
          onPointerDown={() => props.onActive({ row: index, column: activeColumn ?? 0 })}
        >
          <Checkbox
            label={texts.select(props.name)}
            note={props.isSelected ? props.note : undefined}
            isChecked={props.isSelected}
            isDisabled={row === undefined}
            onChange={(isRange) => row && props.onSelect(index, row, isRange)}
          />
        </div>
        {cells.slice(0, pins)}
      </div>
      {cells.slice(pins)}
    </div>
  )
})

// Not a component, because a list has hundreds of cells.
const cellOf = (props: RowProps, column: ListColumn, at: number): ReactNode => {
  const { index, row } = props
  const isActive = at === props.activeColumn
  const place: Place = { row: index, column: at }
  return (
    // The keys of a grid are those of the grid itself, which has the focus.
    <div
      key={column.path}
      id={cellId(props.id, place)}
      className="grid-cell"
      role="gridcell"
      data-label={column.label}
      aria-colindex={at + 2}
      aria-readonly={props.isReadOnly(column)}
      data-numeric={kindOf(column.field).isNumber || undefined}
      data-active={isActive || undefined}
      data-pinned={pinOf(at, props.pins)}
      onPointerDown={() => props.onActive(place)}
      onDoubleClick={() => props.onEdit(place)}
    >
      {row ? (
        props.renderCell(row, column, { index, isActive, isFirst: at === 0, room: props.rooms[at] })
      ) : (
        <span className="grid-wait" />
      )}
    </div>
  )
}

/** The indexes of the rows in view, and of the row that is being edited. */
const shownRows = ({ first, end }: VirtualRows, kept: number | undefined): readonly number[] => {
  const inView = Array.from({ length: end - first }, (_, at) => first + at)
  return kept === undefined || inView.includes(kept) ? inView : [...inView, kept]
}

const handleMenu = (event: MouseEvent, props: GridProps, id: string): void => {
  const { target } = event
  // Links and inputs have a menu of the browser.
  if (!(target instanceof Element) || target.closest('a, input, select, textarea')) return
  if (!target.closest('[role=gridcell][id]')) return
  event.preventDefault()
  if (event.buttons === 0) {
    openMenu(props, id)
    return
  }
  // The end of the click would close what it opened.
  const ended = new AbortController()
  const open = () => {
    ended.abort()
    setTimeout(() => openMenu(props, id))
  }
  for (const end of ['pointerup', 'pointercancel'])
    window.addEventListener(end, open, { signal: ended.signal })
}

/** What a row shows of the selection. */
const selectionOf = ({ entity, selection, rowAt }: GridProps, index: number) => {
  const row = rowAt(index)
  return {
    name: row ? String(row[entity.displayField] ?? row.id) : '',
    isSelected: row !== undefined && selection.isSelected(row),
    note: row && selection.noteOf(row),
  }
}

/** Ctrl+End, pressed before the rows are counted, leads to the last one as soon as they are. */
const useCountedEnd = ({ active, onActive, count = 0, isCounted }: GridProps): void => {
  const goOn = useEffectEvent(() => active.isEnd && onActive({ ...active, row: count - 1 }))
  useEffect(() => {
    if (isCounted) goOn()
  }, [isCounted])
}

/** Scrolls a grid to the side until a column is in view, and not behind pinned ones. */
const showColumn = (grid: HTMLElement | null, column: number): void => {
  // The first head is that of the checkboxes.
  const head = grid?.querySelectorAll('[role=columnheader]')[column + 1]
  if (!grid || !head || head.hasAttribute('data-pinned')) return
  const { left, right } = head.getBoundingClientRect()
  const box = grid.getBoundingClientRect()
  const pinned = grid
    .querySelector('[role=columnheader][data-pinned=last]')
    ?.getBoundingClientRect()
  const isMirrored = getComputedStyle(grid).direction === 'rtl'
  const start = pinned && !isMirrored ? pinned.right : box.left
  const end = pinned && isMirrored ? pinned.left : box.left + grid.clientWidth
  if (left < start) grid.scrollBy({ left: left - start })
  else if (right > end) grid.scrollBy({ left: Math.min(right - end, left - start) })
}

/**
 * Scrolls as little as brings the active cell into view, whenever it moves by keys. A cell that the mouse points at is in
 * view, and must not move away under it.
 */
const useActiveInView = (
  { active, onActive, count = 0 }: GridProps,
  scrolled: RefObject<HTMLElement | null>,
  { scrollTo }: VirtualRows,
): ((place: Place) => void) => {
  const pointed = useRef(active)
  const isCounted = count > 0
  // A user who comes back to a list finds the active row in view.
  const showFirst = useEffectEvent(() => active.row > 0 && scrollTo(active.row))
  useEffect(() => {
    if (isCounted) showFirst()
  }, [isCounted])
  const show = useEffectEvent((place: Place) => {
    if (place === pointed.current) return
    if (place.row !== headRow) scrollTo(place.row)
    showColumn(scrolled.current, place.column)
  })
  useEffect(() => show(active), [active])
  return useCallback(
    (place) => {
      pointed.current = place
      onActive(place)
    },
    [onActive],
  )
}
