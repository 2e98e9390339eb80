/** A row of a grid; while its record is on the way it keeps its place. */
import { memo, type ReactNode } from 'react'
import type { ListRow } from '../../api/rows/rows.ts'
import { isNumeric } from '../format/format-value.ts'
import type { ListColumn } from '../values/columns.ts'
import { cellId, type Place } from './grid-keys.ts'
import { pinOf } from './grid-layout.ts'
import type { GridProps } from './grid-props.ts'
import { SelectCell } from './grid-selection.tsx'

type RowProps = Pick<
  GridProps,
  'columns' | 'rowHeight' | 'isReadOnly' | 'renderCell' | 'onActive' | 'onEdit'
> & {
  /** Of the grid. */
  readonly id: string
  readonly index: number
  /** Where it begins among the rows, in pixels. */
  readonly start: number
  /** How many columns are shown; of others a row has nothing until somebody comes to them. */
  readonly shown: number
  /** How much room a text has in each column, in pixels, as far as that is known. */
  readonly rooms: readonly number[]
  /** How many columns are pinned. */
  readonly pins: number
  readonly row: ListRow | undefined
  readonly activeColumn: number | undefined
  /** What the record is called. */
  readonly name: string
  readonly isSelected: boolean
  readonly onSelect: (index: number, row: ListRow, isRange: boolean) => void
  /** Whether it is rendered, but not where it would be seen. */
  readonly isAway: boolean
  readonly note: string | undefined
}

export const GridRow = memo((props: RowProps): ReactNode => {
  const { index, row, columns, shown, pins, activeColumn } = props
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
        <SelectCell
          name={props.name}
          isSelected={props.isSelected}
          note={props.note}
          isWaiting={row === undefined}
          onActivate={() => props.onActive({ row: index, column: activeColumn ?? 0 })}
          onSelect={(isRange) => row && props.onSelect(index, row, isRange)}
        />
        {cells.slice(0, pins)}
      </div>
      {cells.slice(pins)}
    </div>
  )
})

// No component of its own, for a list has hundreds of cells.
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
      data-numeric={isNumeric(column.field) || undefined}
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
