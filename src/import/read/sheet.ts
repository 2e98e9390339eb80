/**
 * A file that people have, as rows of cells: CSV, a workbook, or JSON that was exported. Files are read from the disk, of
 * every format: a workbook needs random access, and the others are looked through before they are read.
 *
 * How it is used (`openSheet` of open-sheet.ts → `mapHeads` of mapping.ts → `readCell` of cell-value.ts):
 *
 *     const sheet = await openSheet(file, given, usualLimits)            // throws SheetFault: the file as a whole
 *     const { columns, issues } = mapHeads(project, entity, sheet, given) // decides marks and order of days per column
 *     for await (const batch of sheet.rows) for (const { row, cells, fault } of batch)
 *       for (const column of columns) readCell(column, cells[column.position] ?? emptyCell)
 *
 * `rows` reads the file again from its first row each time that it is iterated; the file stays open.
 */
import {
  type decimalMarks,
  separators as dialectSeparators,
} from '../../definitions/values/rules/csv-dialects.ts'

export const formats = ['csv', 'xlsx', 'ndjson', 'json'] as const
export type SheetFormat = (typeof formats)[number]

/** Encodings of texts, by the labels of the Encoding Standard. */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1250'] as const
export type TextEncoding = (typeof encodings)[number]

/** Those that exports write, too. */
export const separators = Object.values(dialectSeparators)
export type CellSeparator = (typeof separators)[number]

export type DecimalMark = (typeof decimalMarks)[keyof typeof decimalMarks]
/** The order of the parts of a day. */
export type DayOrder = 'YMD' | 'DMY' | 'MDY'

/**
 * What the file has in a cell. Of CSV a cell is a text, or empty; `""` is the empty text. Numbers are plain (`1200000`, `-0.5`)
 * or with a percent sign, days and times as in ISO 8601 (`2026-01-05`, `2026-01-05 14:30:00`, `14:30:00`), booleans `true` and `false`,
 * JSON its text; an error is what a cell cannot have (`#N/A`, a formula without its value), as a fault.
 */
export type Cell = { readonly text: string; readonly kind: CellKind }
export type CellKind = 'text' | 'number' | 'date' | 'boolean' | 'json' | 'error' | 'empty'

export const emptyCell: Cell = { text: '', kind: 'empty' }

/** Whether cells hold nothing but blanks, as spreadsheets leave them behind a table. */
export const isBlank = (cells: readonly Cell[]): boolean =>
  cells.every(({ text }) => text === '' || text.trim() === '')

export type SheetRow = {
  /** As a spreadsheet shows it, from 1. */
  readonly row: number
  /** Of a text: the line on which the row begins, from 1, which is another one after cells of several lines. */
  readonly line: number
  /** At most as many as heads; those at the end that are empty may be missing. */
  readonly cells: readonly Cell[]
  /** What is wrong with the whole row. */
  readonly fault?: string
  /** Where an export was continued in another sheet: its name. */
  readonly sheet?: string
}

/** What was found in the file, or assumed of it, to be said to people. */
export type SheetNote = {
  readonly about: 'format' | 'encoding' | 'separator' | 'sheet' | 'heads' | 'decimal' | 'dates'
  readonly message: string
}

/** What is wrong with a column of the file, by its head. */
export type HeadIssue = {
  readonly position: number
  readonly head: string
  readonly message: string
  /** Whether no field is known for it, so that it may be left out with all others of its kind. */
  readonly isUnknown?: boolean
}

export type Dialect = {
  readonly format: SheetFormat
  /** Of texts. */
  readonly encoding: TextEncoding | undefined
  /** Of CSV. */
  readonly separator: CellSeparator | undefined
  /** As given for the whole file; those of a column are in `MappedColumn`. */
  readonly decimal: DecimalMark | undefined
  readonly dates: DayOrder | undefined
  /** Of a workbook: the name of the sheet that is read. */
  readonly sheet: string | undefined
  /** Of a workbook: the names of all sheets. */
  readonly sheets?: readonly string[]
  readonly notes: readonly SheetNote[]
}

/** What people say about the file; it wins over what is found. */
export type GivenDialect = {
  readonly format?: SheetFormat | undefined
  readonly encoding?: TextEncoding | undefined
  readonly separator?: CellSeparator | undefined
  readonly decimal?: DecimalMark | undefined
  readonly dates?: DayOrder | undefined
  readonly sheet?: string | undefined
  /** Those of the project (BCP 47): where they are the languages of programs, files that are not Unicode are Windows-1252 or Windows-1250. */
  readonly languages?: readonly string[] | undefined
}

export type SheetLimits = {
  /** Columns. */
  readonly heads: number
  /** UTF-16 units of one cell. */
  readonly cell: number
  /** UTF-16 units of one row. */
  readonly row: number
  /** Bytes of a workbook's parts when they are unpacked, in all. */
  readonly unpacked: number
  /** How many times as large as packed a part may be that unpacks to more than a MiB. */
  readonly ratio: number
  /** Bytes of the texts that cells of a workbook share, which are kept in memory. */
  readonly sharedTexts: number
}

export const usualLimits: SheetLimits = {
  heads: 1_000,
  cell: 4_000_000,
  row: 8_000_000,
  unpacked: 4 * 1024 ** 3,
  ratio: 200,
  sharedTexts: 128 * 1024 ** 2,
}

export type Sheet = {
  readonly dialect: Dialect
  /**
   * As they stand in the file, without blanks at their ends, and each once (`uniqueHeads`); empty ones above empty columns are left out
   * at the end.
   */
  readonly heads: readonly string[]
  /** The first rows after the head, from which forms of numbers and days are found. */
  readonly sample: readonly SheetRow[]
  /** Every row after the head that is not empty, in batches. Throws SheetFault where the file cannot be read on. */
  readonly rows: AsyncIterable<readonly SheetRow[]>
}

/** Why a file cannot be read, or not further; `row` where it is known, and `line` of a text. */
export class SheetFault extends Error {
  readonly row: number | undefined
  readonly line: number | undefined
  constructor(message: string, row?: number, line?: number) {
    super(message)
    this.row = row
    this.line = line
  }
}

/** A sheet before its head is told from its rows; each call of `rows` reads from the beginning. */
export type OpenGrid = {
  readonly dialect: Dialect
  readonly rows: () => AsyncIterable<readonly SheetRow[]>
}

/** Letters of a column, as a spreadsheet names it, from 0. */
export const columnLetters = (position: number): string =>
  position < 0
    ? ''
    : columnLetters(Math.floor(position / 26) - 1) + String.fromCharCode(65 + (position % 26))
