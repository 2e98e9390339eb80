/** A row of a grid; while its record is on the way it keeps its place. */
import { memo, type ReactNode } from 'react'
import type { RecordRow } from '../../api/types.ts'
import { isNumeric } from '../values/format-value.ts'
import type { ListColumn } from './columns.ts'
import { cellId, type Place } from './grid-keys.ts'
import type { GridLayout } from './grid-layout.ts'
import { SelectCell } from './grid-selection.tsx'

type RowProps = {
  /** Of the grid. */
  readonly id: string
  readonly index: number
  readonly columns: readonly ListColumn[]
  readonly rowHeight: number
  readonly layout: GridLayout
  readonly row: RecordRow | undefined
  readonly activeColumn: number | undefined
  /** What the record is called. */
  readonly name: string
  readonly isSelected: boolean
  readonly onSelect: (index: number, row: RecordRow, isRange: boolean) => void
  readonly render: (row: RecordRow, column: ListColumn) => ReactNode
  readonly onActivate: (place: Place) => void
}

export const GridRow = memo((props: RowProps): ReactNode => {
  const { id, index, row, activeColumn } = props
  return (
    <div
      className="grid-row"
      role="row"
      aria-rowindex={index + 2}
      aria-busy={row === undefined || undefined}
      aria-selected={props.isSelected}
      data-active={activeColumn === undefined ? undefined : ''}
      style={{ ...props.layout, blockSize: props.rowHeight }}
    >
      <SelectCell
        name={props.name}
        isSelected={props.isSelected}
        isWaiting={row === undefined}
        onActivate={() => props.onActivate({ row: index, column: activeColumn ?? 0 })}
        onSelect={(isRange) => row && props.onSelect(index, row, isRange)}
      />
      {props.columns.map((column, at) => (
        // The keys of a grid are those of the grid itself, which has the focus.
        <div
          key={column.path}
          id={cellId(id, { row: index, column: at })}
          className="grid-cell"
          role="gridcell"
          aria-colindex={at + 2}
          data-numeric={isNumeric(column.field) || undefined}
          data-active={at === activeColumn || undefined}
          onPointerDown={() => props.onActivate({ row: index, column: at })}
        >
          {row ? props.render(row, column) : <span className="grid-wait" />}
        </div>
      ))}
    </div>
  )
})
