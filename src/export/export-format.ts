/** What an export format is; each one is a row of `export-formats.ts`. */
import type { CellKind } from '../definitions/field-types/field-type.ts'
import type { PlannedColumn } from '../query/select-plan.ts'
import type { Batch, RowFrame } from './threads/copy-out.ts'

/** A column of an export: what it is called and where it comes from. */
export type ExportColumn = PlannedColumn & { readonly header: string }

export type ExportSheet = {
  readonly columns: readonly ExportColumn[]
  /** A title for formats that have one. */
  readonly name: string
  /** Text that a spreadsheet would run gets a leading apostrophe. */
  readonly escapesFormulas: boolean
  /** CSV begins with a byte order mark. */
  readonly hasByteOrderMark: boolean
  /** The IANA zone in which a format for people shows times. */
  readonly timeZone: string
}

/** What of a sheet stands around its rows: plain data, that a thread can be given. */
export type SheetHead = Omit<ExportSheet, 'columns'> & { readonly columns: readonly SheetColumn[] }

export type SheetColumn = {
  readonly header: string
  readonly cell: CellKind
  /** In characters of a usual value. */
  readonly width: number
}

export type ExportFormat = {
  readonly name: string
  readonly contentType: string
  readonly extension: string
  /** SQL select list: one expression per column, or one expression for the whole row. */
  readonly list: (sheet: ExportSheet) => string
  /** Options of COPY. */
  readonly copyOptions: string
  readonly frame: RowFrame
  /** Puts what goes before, between and after the rows around the batches. */
  readonly encode: (batches: AsyncIterable<Batch>, head: SheetHead) => AsyncIterable<Buffer>
  /** Longest text of a cell, in characters. */
  readonly longestCell: number | undefined
}

// One column whose text never holds these two control characters is never quoted by COPY, so its
// text arrives as it is.
export const rowAsItIs = `FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01'`
