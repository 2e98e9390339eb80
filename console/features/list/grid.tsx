/** The rows and columns of a list: any number of rows, moved through by mouse, keys and screen readers. */
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { RecordRow } from '../../api/types.ts'
import { useTexts } from '../../texts/texts.ts'
import { GridHead } from './grid-head.tsx'
import { cellId, movedBy, type Place } from './grid-keys.ts'
import { layoutOf } from './grid-layout.ts'
import type { GridProps } from './grid-props.ts'
import { GridRow } from './grid-row.tsx'
import { selectByKey } from './grid-selection.tsx'
import { useVirtualRows } from './use-virtual-rows.ts'
import './grid.css'

const headHeight = 36

/** A grid with one tab stop; the active cell moves by keys, by index and not by pixels. */
export const Grid = (props: GridProps): ReactNode => {
  const { entity, columns, rowHeight, onRange } = props
  const count = props.count ?? 0
  const texts = useTexts()
  const id = useId()
  const scrolled = useRef<HTMLDivElement>(null)
  const rows = useVirtualRows(scrolled, { count, rowHeight, headHeight })
  const { first, end } = rows
  const { active, setActive, onKeyDown } = useKeys(props, rows.scrollTo)
  useEffect(() => onRange(first, end), [onRange, first, end])
  const layout = useMemo(() => layoutOf(columns), [columns])
  return (
    <div
      ref={scrolled}
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label={texts.list.label(entity.name)}
      aria-rowcount={props.count === undefined ? -1 : count + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      {...(count > 0 && { 'aria-activedescendant': cellId(id, active) })}
      onKeyDown={onKeyDown}
    >
      <GridHead {...props} layout={layout} />
      <div className="grid-spacer" role="presentation" style={{ blockSize: rows.spacer }}>
        <div role="presentation" style={{ transform: `translateY(${rows.offset}px)` }}>
          {Array.from({ length: end - first }, (_, at) => first + at).map((index) => (
            <GridRow
              key={index}
              {...{ id, index, columns, rowHeight, layout }}
              row={props.rowAt(index)}
              activeColumn={index === active.row ? active.column : undefined}
              render={props.renderCell}
              onActivate={setActive}
              {...selectionOf(props, index)}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

/** The active cell, and what keys do with it. */
const useKeys = (props: GridProps, scrollTo: (row: number) => void) => {
  const { columns, count = 0, selection } = props
  const [active, setActive] = useState<Place>({ row: 0, column: 0 })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const row = props.rowAt(active.row)
    if (event.key === 'Enter' && row) return props.onOpen(row)
    if (selectByKey(event, selection, { index: active.row, row })) return
    const next = movedBy(event, active, { rows: count, columns: columns.length })
    if (!next) return
    event.preventDefault()
    setActive(next)
    if (event.shiftKey && next.row !== active.row) selection.onExtend(active.row, next.row)
    scrollTo(next.row)
  }
  return { active, setActive, onKeyDown }
}

/** What a row must know of the selection. */
const selectionOf = ({ entity, selection, rowAt }: GridProps, index: number) => {
  const row = rowAt(index)
  return {
    name: row ? String(row[entity.displayField] ?? row.id) : '',
    isSelected: row !== undefined && selection.isSelected(row),
    onSelect: (at: number, chosen: RecordRow, isRange: boolean) =>
      isRange ? selection.onRange(at) : selection.onToggle(at, chosen),
  }
}
