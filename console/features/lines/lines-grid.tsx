/** The table in which the lines of a record are typed: its cells are those of lists, and it is saved with the record. */
import {
  type ClipboardEvent,
  type PointerEvent,
  type ReactNode,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { IconButton } from '../../parts/button.tsx'
import { closeIcon, icon } from '../../parts/icons.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'
import { kindOf } from '../format/field-kinds.ts'
import { ChangedCell } from '../grid/cell-editor.tsx'
import { cellKey } from '../grid/cell-edits.tsx'
import { cellId, type Place } from '../grid/grid-props.ts'
import { ListCell } from '../grid/list-cell.tsx'
import { useReading } from '../session/session.ts'
import type { ListColumn } from '../values/columns.ts'
import { OutdatedMark } from '../values/outdated-mark.tsx'
import { isOutdated } from '../values/own-fields.ts'
import { isNewLine } from './line-drafts.ts'
import { isTyped, type LineRow } from './line-rows.ts'
import { usePaste } from './paste.ts'
import { copiedText, printTable } from './table-text.ts'
import { type CellRange, cornersOf, isWithin, onLineKey, useLineKeys } from './use-line-keys.ts'
import type { Lines, LinesForm } from './use-lines.ts'
import './lines.css'

type GridProps = { readonly form: LinesForm; readonly lines: Lines; readonly label: string }

/** Its rows, and what keys, the mouse and the clipboard do with them. */
export const LinesGrid = ({ form, lines, label }: GridProps): ReactNode => {
  const { typed, child: entity } = form.related
  const { rows, active } = lines
  const id = useId()
  const grid = useRef<HTMLDivElement>(null)
  const [anchor, setAnchor] = useState<Place>()
  const range: CellRange = { from: anchor ?? active, to: active }
  const go = (place: Place, isExtended = false) => {
    setAnchor(isExtended ? (anchor ?? active) : undefined)
    lines.setActive(place)
  }
  const { onPaste, said } = usePaste(form, lines)
  const pointer = useDrag(go)
  useLineKeys()
  // What keys lead to is in view.
  useEffect(() => {
    const cell = document.getElementById(cellId(id, active))
    cell?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [id, active])
  const onPasted = (event: ClipboardEvent) => {
    const { firstRow: row, firstColumn: column } = cornersOf(range)
    if (event.target === event.currentTarget) onPaste(event, { row, column })
  }
  const onCopy = (event: ClipboardEvent) => {
    if (event.target !== event.currentTarget) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', copied(range))
  }
  const reading = useReading()
  const copied = (of: CellRange): string => {
    const { firstRow, lastRow, firstColumn, lastColumn } = cornersOf(of)
    const columns = typed.slice(firstColumn, lastColumn + 1)
    const inRange = rows.slice(firstRow, lastRow + 1)
    return printTable(
      inRange.map(({ row }) => columns.map((one) => copiedText(row, one, { reading, entity }))),
    )
  }
  return (
    <div className="lines-scroll">
      <div
        ref={grid}
        className="lines-grid"
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={typed.length + 1}
        aria-multiselectable
        {...(rows.length > 0 && { 'aria-activedescendant': cellId(id, active) })}
        style={{
          gridTemplateColumns: `repeat(${typed.length}, max-content) minmax(${endOf(form)}px, 1fr)`,
        }}
        onKeyDown={(event) => onLineKey(event, lines, { columns: typed.length, range, go })}
        onCopy={onCopy}
        onPaste={onPasted}
      >
        <Head columns={typed} />
        {rows.map((row, index) => (
          <Row
            key={row.row.id}
            form={form}
            lines={lines}
            row={row}
            index={index}
            id={id}
            pointer={pointer}
            range={anchor ? range : undefined}
          />
        ))}
      </div>
      <p role="status" className="visually-hidden">
        {said}
      </p>
    </div>
  )
}

/** The width of the buttons of a row. */
const endOf = ({ related }: LinesForm): number => (related.field.orderBy ? 104 : 40)

const Head = ({ columns }: { readonly columns: readonly ListColumn[] }): ReactNode => (
  <div role="row" aria-rowindex={1} className="lines-row">
    {columns.map(({ path, label, field, link }, at) => (
      <div
        key={path}
        role="columnheader"
        aria-colindex={at + 1}
        className="lines-title"
        dir="auto"
        data-numeric={(!link && kindOf(field).isNumber) || undefined}
      >
        {label}
      </div>
    ))}
    <div role="columnheader" aria-colindex={columns.length + 1}>
      <span className="visually-hidden">{useWorkTexts().record.removeNow}</span>
    </div>
  </div>
)

/** Selects cells while the pointer is held down. */
const useDrag = (go: (place: Place, isExtended?: boolean) => void) => {
  const isDown = useRef(false)
  useEffect(() => {
    const end = () => {
      isDown.current = false
    }
    window.addEventListener('pointerup', end)
    return () => window.removeEventListener('pointerup', end)
  }, [])
  return {
    onDown: ({ pointerType, shiftKey, button }: PointerEvent, place: Place) => {
      if (button !== 0) return
      isDown.current = pointerType === 'mouse'
      go(place, shiftKey)
    },
    onEnter: (place: Place) => isDown.current && go(place, true),
  }
}

type RowProps = GridRow & {
  readonly range: CellRange | undefined
  readonly pointer: ReturnType<typeof useDrag>
}

type GridRow = {
  readonly form: LinesForm
  readonly lines: Lines
  readonly row: LineRow
  readonly index: number
  /** Of the grid. */
  readonly id: string
}

const Row = ({ form, lines, row, index, id, range, pointer }: RowProps): ReactNode => {
  const { typed } = form.related
  const texts = useWorkTexts().lines
  const { common } = useTexts()
  const fault = lines.lineFaults.get(row.row.id)
  const isRemoved = row.line?.isRemoved === true
  const isMovable = lines.active.row === index && mayMove(form, lines)
  const mayRemove = isNewLine({ key: row.row.id }) || form.rights.mayRemove
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="lines-row"
      data-new={!row.saved || undefined}
      data-removed={isRemoved || undefined}
    >
      {typed.map((column, at) => {
        const place = { row: index, column: at }
        const isActive = lines.active.row === index && lines.active.column === at
        return (
          // The keys of a grid are those of the grid itself, which has the focus.
          <div
            key={column.path}
            id={cellId(id, place)}
            role="gridcell"
            className="grid-cell"
            aria-colindex={at + 1}
            aria-readonly={!lines.fieldAt(place)}
            aria-selected={range ? isWithin(range, place) : isActive}
            data-label={column.label}
            data-numeric={(!column.link && kindOf(column.field).isNumber) || undefined}
            data-active={isActive || undefined}
            data-picked={(range && isWithin(range, place)) || undefined}
            data-typed={isTyped(row, column) || undefined}
            onPointerDown={(event) => {
              // A finger chooses a cell first, and opens it then.
              if (isActive && event.pointerType !== 'mouse') lines.cells.start(place)
              else pointer.onDown(event, place)
            }}
            onPointerEnter={() => pointer.onEnter(place)}
            onDoubleClick={() => lines.cells.start(place)}
          >
            <Cell
              form={form}
              lines={lines}
              row={row}
              column={column}
              isActive={isActive}
              index={index}
            />
          </div>
        )
      })}
      <div role="gridcell" aria-colindex={typed.length + 1} className="lines-end">
        {isMovable && (
          <>
            <IconButton
              tabIndex={-1}
              icon={upIcon}
              label={texts.moveUp(index + 1)}
              onClick={() => lines.move({ ...lines.active, row: index }, -1)}
            />
            <IconButton
              tabIndex={-1}
              icon={downIcon}
              label={texts.moveDown(index + 1)}
              onClick={() => lines.move({ ...lines.active, row: index }, 1)}
            />
          </>
        )}
        {mayRemove && (
          <IconButton
            tabIndex={-1}
            icon={closeIcon}
            label={isRemoved ? common.undo : texts.remove(index + 1)}
            onClick={() => lines.toggle({ row: index, column: 0 })}
          />
        )}
      </div>
      {fault !== undefined && (
        <div role="gridcell" className="lines-fault">
          <p role="alert" dir="auto">
            {fault}
          </p>
        </div>
      )}
    </div>
  )
}

const upIcon = icon('M4 10l4-4 4 4')
const downIcon = icon('M4 6l4 4 4-4')

/** Whether the rows have positions that the user may write. */
const mayMove = ({ related: { field, typed } }: LinesForm, { active, fieldAt }: Lines): boolean => {
  const column = typed.findIndex(({ path }) => path === field.orderBy)
  return column >= 0 && fieldAt({ row: active.row, column }) !== undefined
}

type CellProps = Omit<GridRow, 'id'> & {
  readonly column: ListColumn
  readonly isActive: boolean
}

const Cell = ({ form, lines, row, column, isActive, index }: CellProps): ReactNode => {
  const { child } = form.related
  const { cells } = lines
  const isOpen = cells.open?.place.row === index && cells.open.listColumn.path === column.path
  const show = (shown: LineRow['row']) =>
    // A new line is no record that could be opened.
    isNewLine({ key: shown.id }) && column.path === child.displayField ? (
      <span dir="auto">{String(shown[column.path] ?? '')}</span>
    ) : (
      <ListCell row={shown} column={column} entity={child} />
    )
  const isOld =
    column.place.length === 1 &&
    isOutdated(column.field, (name) => name in (row.line?.values ?? {}))
  if (!isOpen && !cells.edits.has(cellKey(row.row.id, column)))
    return (
      <>
        {show(row.row)}
        {isOld && row.saved && <OutdatedMark isShort />}
      </>
    )
  return (
    <Suspense fallback={show(row.row)}>
      <ChangedCell
        row={row.row}
        column={column}
        cells={cells}
        show={show}
        isActive={isActive}
        isOpen={isOpen}
      />
    </Suspense>
  )
}
