/** The rows and columns of a list: any number of rows, moved through by mouse, keys and screen readers. */
import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
} from 'react'
import { usePageFocus } from '../../parts/use-page-focus.ts'
import { useTexts } from '../../texts/texts.ts'
import { GridHead } from './grid-head.tsx'
import { headActOf } from './grid-head-keys.ts'
import {
  asksForMenu,
  cellId,
  firstPlace,
  headRow,
  type Keys,
  keysOf,
  movedBy,
  type Place,
} from './grid-keys.ts'
import type { GridProps } from './grid-props.ts'
import { GridRow } from './grid-row.tsx'
import { selectByKey, useSelect } from './grid-selection.tsx'
import { showColumn } from './show-column.ts'
import { useGridLayout } from './use-grid-layout.ts'
import { useVirtualRows, type VirtualRows } from './use-virtual-rows.ts'
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

/** The rows in view, and one that somebody edits. */
const shownRows = ({ first, end }: VirtualRows, kept: number | undefined): readonly number[] => {
  const inView = Array.from({ length: end - first }, (_, at) => first + at)
  return kept === undefined || inView.includes(kept) ? inView : [...inView, kept]
}

/** Opens the menu of the active cell, which is the one that was pointed at. */
const openMenu = ({ active, onMenu }: GridProps, id: string): void => {
  const cell = document.getElementById(cellId(id, active))
  if (cell) onMenu(active, cell)
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

const handleKey = (event: KeyboardEvent, props: GridProps, id: string): void => {
  const { active, columns, count = 0, selection } = props
  if (event.target !== event.currentTarget) return
  const keys = keysOf(event)
  const isHead = active.row === headRow
  const row = props.rowAt(active.row)
  if (asksForMenu(keys)) {
    event.preventDefault()
    isHead ? openHeadMenu(props, id) : openMenu(props, id)
    return
  }
  if (isHead && actOnHead(event, keys, props)) return
  if (keys.key === 'Enter' && row) props.onOpen(row)
  if (keys.key === 'F2' && !isHead) props.onEdit(active)
  const place = { index: active.row, row }
  if (selectByKey(event, selection, place, props.hasLetterKeys)) return
  const next = movedBy(keys, active, {
    rows: count,
    columns: columns.length,
    hasHeads: !props.isCards,
  })
  if (!next) return
  event.preventDefault()
  props.onActive(next)
  if (event.shiftKey && !isHead && next.row !== active.row) selection.onExtend(active.row, next.row)
}

const openHeadMenu = ({ active, columns, heads }: GridProps, id: string): void => {
  const head = document.getElementById(cellId(id, active))
  const column = columns[active.column]
  if (head && column) heads.onMenu(column, head)
}

/** False for keys that mean nothing for the head of a column. */
const actOnHead = (
  event: KeyboardEvent,
  keys: Keys,
  { active, columns, heads, onActive }: GridProps,
): boolean => {
  const act = headActOf(keys)
  const column = columns[active.column]
  if (!act || !column) return false
  event.preventDefault()
  onActive({ ...active, column: act(heads, column, active.column, event.currentTarget) })
  return true
}

/** What a row must know of the selection. */
const selectionOf = ({ entity, selection, rowAt }: GridProps, index: number) => {
  const row = rowAt(index)
  return {
    name: row ? String(row[entity.displayField] ?? row.id) : '',
    isSelected: row !== undefined && selection.isSelected(row),
    note: row && selection.noteOf(row),
  }
}

/** Whoever goes to the end of a list before its rows are counted is led on to it when they are. */
const useCountedEnd = ({ active, onActive, count = 0, isCounted }: GridProps): void => {
  const goOn = useEffectEvent(() => active.isEnd && onActive({ ...active, row: count - 1 }))
  useEffect(() => {
    if (isCounted) goOn()
  }, [isCounted])
}

/**
 * Scrolls as little as brings the active cell into view, whenever it moves by keys. What the mouse points at is in view,
 * and must not move away under it.
 */
const useActiveInView = (
  { active, onActive, count = 0 }: GridProps,
  scrolled: RefObject<HTMLElement | null>,
  { scrollTo }: VirtualRows,
): ((place: Place) => void) => {
  const pointed = useRef(active)
  const isCounted = count > 0
  // Whoever comes back to a list finds its row in view.
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
