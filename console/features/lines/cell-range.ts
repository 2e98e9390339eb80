/** A range of cells between two corners: the active cell, and where the selection began. */
import type { Place } from '../grid/grid-props.ts'

export type CellRange = { readonly from: Place; readonly to: Place }

const sorted = (one: number, other: number) => [Math.min(one, other), Math.max(one, other)] as const

/** Its first and last rows and columns. */
export const cornersOf = ({ from, to }: CellRange) => {
  const [firstRow, lastRow] = sorted(from.row, to.row)
  const [firstColumn, lastColumn] = sorted(from.column, to.column)
  return { firstRow, lastRow, firstColumn, lastColumn }
}

export const isWithin = (range: CellRange, { row, column }: Place): boolean => {
  const { firstRow, lastRow, firstColumn, lastColumn } = cornersOf(range)
  return row >= firstRow && row <= lastRow && column >= firstColumn && column <= lastColumn
}

const steps: Readonly<Record<string, Place>> = {
  ArrowDown: { row: 1, column: 0 },
  ArrowUp: { row: -1, column: 0 },
  ArrowRight: { row: 0, column: 1 },
  ArrowLeft: { row: 0, column: -1 },
  Home: { row: 0, column: -1000 },
  End: { row: 0, column: 1000 },
  PageDown: { row: 15, column: 0 },
  PageUp: { row: -15, column: 0 },
  'Ctrl+Home': { row: -10_000, column: -1000 },
  'Ctrl+End': { row: 10_000, column: 1000 },
}

const within = (value: number, size: number): number => Math.max(0, Math.min(value, size - 1))

/** The place that a key leads to; undefined for other keys. Arrows point as they do in the page. */
export const placeAfter = (
  { key, ctrlKey, metaKey, altKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  { row, column }: Place,
  size: { readonly rows: number; readonly columns: number; readonly isMirrored: boolean },
): Place | undefined => {
  const step = altKey ? undefined : steps[`${ctrlKey || metaKey ? 'Ctrl+' : ''}${key}`]
  if (!step) return undefined
  const isSideways = key === 'ArrowLeft' || key === 'ArrowRight'
  const columns = size.isMirrored && isSideways ? -step.column : step.column
  return { row: within(row + step.row, size.rows), column: within(column + columns, size.columns) }
}
