/**
 * Files with several rows for one record: the first of them has the record and perhaps one of its lines, the others have further
 * lines (docs/import.md).
 */
import { type Entity, uniqueIndexes } from '../../definitions/catalog.ts'
import { maxLines } from '../../definitions/lines.ts'
import type { MappedColumn } from './mapping.ts'
import { type Cell, emptyCell, type SheetRow } from './sheet.ts'

/** Positions of columns in the cells of a row. */
type Positions = readonly number[]

/** The columns by which rows of one record are known. */
export type LineColumns = {
  /** Those of the record, also such as are not written. */
  readonly own: Positions
  readonly ofLines: Positions
  /** Those of the record that together identify it. */
  readonly keys: readonly Positions[]
}

/** Undefined: the file has records without lines. */
export const lineColumnsOf = (
  entity: Entity,
  columns: readonly MappedColumn[],
): LineColumns | undefined => {
  const ofLines = columns.filter(({ list }) => list)
  if (ofLines.length === 0) return undefined
  const own = columns.filter(({ list }) => !list)
  const keys = [['id'], ...uniqueIndexes(entity).map((index) => index.columns)].flatMap((names) => {
    const found = names.flatMap((name) => own.find(({ column }) => column.name === name) ?? [])
    return found.length === names.length ? [positionsOf(found)] : []
  })
  return { own: positionsOf(own), ofLines: positionsOf(ofLines), keys }
}

const positionsOf = (columns: readonly MappedColumn[]): Positions =>
  columns.map(({ position }) => position)

/** What a row is, in the order of the file. */
type RowKind = {
  /** The first row of the record to which it adds lines; null: it is the first one. */
  readonly recordRow: number | null
  /** Why that cannot be decided. */
  readonly fault?: string
}

const isEmpty = ({ kind, text }: Cell): boolean =>
  kind === 'empty' || (text !== '' && text.trim() === '')

/**
 * A row has further lines of the record above it if its cells of the record are empty, or are the same and identify it. Where they are
 * the same and nothing identifies the record, it may be another one that is alike.
 */
export const createLineFinder = ({ own, ofLines, keys }: LineColumns) => {
  let first: SheetRow | undefined
  let lines = 0
  const cellOf = ({ cells }: SheetRow, position: number) => cells[position] ?? emptyCell
  return (row: SheetRow): RowKind => {
    const isFilled = (position: number) => !isEmpty(cellOf(row, position))
    const record = first
    const isLine = ofLines.some(isFilled)
    const isSame =
      record !== undefined &&
      isLine &&
      own.every((at) => cellOf(row, at).text === cellOf(record, at).text)
    if (
      record &&
      isLine &&
      (!own.some(isFilled) || (isSame && keys.some((key) => key.every(isFilled))))
    ) {
      lines += 1
      const recordRow = record.row
      const fault = `is line ${lines} of row ${recordRow}: at most ${maxLines} are written with a record`
      return lines <= maxLines ? { recordRow } : { recordRow, fault }
    }
    first = row
    lines = isLine ? 1 : 0
    const fault = `has the same cells as row ${record?.row}, and nothing says whether it is the same record: add a column that identifies the record, or leave these cells empty in rows with further lines of it`
    return { recordRow: null, ...(isSame && { fault }) }
  }
}
