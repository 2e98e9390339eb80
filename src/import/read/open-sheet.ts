/** Opens a file of any format as a sheet: finds out what it is, its heads, and its first rows. */
import type { FileHandle } from 'node:fs/promises'
import { csvRows, findSeparator } from './csv-rows.ts'
import { jsonRecords, jsonRows } from './json-rows.ts'
import {
  columnLetters,
  type Dialect,
  type GivenDialect,
  isBlank,
  type OpenGrid,
  type Sheet,
  SheetFault,
  type SheetLimits,
  type SheetNote,
  type SheetRow,
} from './sheet.ts'
import {
  findEncoding,
  findTextFormat,
  isZip,
  pieceBytes,
  readHead,
  readText,
  refuseOthers,
} from './text-file.ts'
import { uniqueHeads, widthOf } from './unique-heads.ts'
import { openWorkbook } from './workbook-rows.ts'

type Batches = AsyncIterable<readonly SheetRow[]>

const sampleRows = 1_000
// The process that answers requests gets a copy of the sample: a file of a thousand columns must not stop it.
const sampleCells = 100_000
const sampleCharacters = 4_000_000

/** Opens a file of the disk, which stays open as long as it is read; its name is not asked, and a limit that is not given is the usual one. Throws SheetFault. */
export const openSheet = async (
  file: FileHandle,
  given: GivenDialect,
  limits: SheetLimits,
): Promise<Sheet> => {
  const start = await readHead(file)
  refuseOthers(start)
  if (isZip(start)) {
    const grid = await openWorkbook(file, given, limits)
    return sheetOf(withNotes(grid, misnamed(given)), limits)
  }
  if (given.format === 'xlsx')
    throw new SheetFault('The file is no workbook (xlsx), whatever it is named.')
  return openText(file, start, given, limits)
}

const misnamed = ({ format }: GivenDialect): SheetNote[] =>
  format === undefined || format === 'xlsx'
    ? []
    : [
        {
          about: 'format',
          message: `The file is a workbook (xlsx), although it was sent as ${format}.`,
        },
      ]

const withNotes = ({ dialect, rows }: OpenGrid, notes: readonly SheetNote[]): OpenGrid => ({
  dialect: { ...dialect, notes: [...notes, ...dialect.notes] },
  rows,
})

const openText = async (
  file: FileHandle,
  start: Buffer,
  given: GivenDialect,
  limits: SheetLimits,
): Promise<Sheet> => {
  const { encoding, note } = await findEncoding(file, start, given)
  let first = ''
  for await (const piece of readText(file, encoding)) {
    first = piece
    break
  }
  const format = findTextFormat(first, given)
  const dialect = {
    format,
    encoding,
    separator: undefined,
    decimal: given.decimal,
    dates: given.dates,
    sheet: undefined,
    notes: note ? [note] : [],
  }
  const pieces = () => readText(file, encoding)
  if (format !== 'csv') return openJson(dialect, pieces, limits)
  const isWhole = start.length < pieceBytes
  const found = findSeparator(first, isWhole, limits)
  const separator = given.separator ?? found.separator
  const notes =
    found.isAssumed && given.separator === undefined ? [assumedSeparator(separator)] : []
  return sheetOf(
    withNotes(
      { dialect: { ...dialect, separator }, rows: () => csvRows(pieces(), separator, limits) },
      notes,
    ),
    limits,
  )
}

const names = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' }

const assumedSeparator = (separator: keyof typeof names): SheetNote => ({
  about: 'separator',
  message: `The file may have several separators; it is read with ${names[separator]} between the cells. Give the separator if this is wrong.`,
})

const openJson = async (
  dialect: Dialect,
  pieces: () => AsyncIterable<string>,
  limits: SheetLimits,
): Promise<Sheet> => {
  const heads = new Set<string>()
  let records = 0
  for await (const batch of jsonRecords(pieces(), limits, dialect.format === 'json')) {
    for (const { record, row } of batch.slice(0, sampleRows - records)) {
      for (const name of Object.keys(record)) heads.add(name)
      if (heads.size > limits.heads) throw tooManyHeads(limits, row)
      checkHeads(Object.keys(record), row)
    }
    records += batch.length
    if (records >= sampleRows) break
  }
  if (heads.size === 0) throw new SheetFault('The file has no records.')
  const all = [...heads]
  const rows = () => jsonRows(jsonRecords(pieces(), limits, dialect.format === 'json'), all)
  return {
    dialect,
    heads: all,
    sample: await firstRows(rows()),
    rows: { [Symbol.asyncIterator]: () => rows()[Symbol.asyncIterator]() },
  }
}

const tooManyHeads = ({ heads }: SheetLimits, row: number) =>
  new SheetFault(`The file has more than ${heads} columns.`, row)

/** The first row that is not empty is the head; the others are checked against it. */
const sheetOf = async ({ dialect, rows }: OpenGrid, limits: SheetLimits): Promise<Sheet> => {
  let head: SheetRow | undefined
  for await (const [first] of rows()) {
    head = first
    break
  }
  if (!head) throw new SheetFault('The file has no rows.')
  if (head.cells.length > limits.heads) throw tooManyHeads(limits, head.row)
  const first = await firstRows(rows())
  const isCsv = dialect.format === 'csv'
  const written = trimmedHeads(head)
  // Cells of a text that are too many are those after a separator that is no such one; in a workbook they are a column.
  const width = isCsv ? 0 : widthOf(first, limits)
  while (written.length < width) written.push('')
  const heads = uniqueHeads(written, first)
  const checked = () => rowsBelow(rows(), { head, heads, isCsv })
  return {
    dialect,
    heads,
    sample: await firstRows(checked()),
    rows: { [Symbol.asyncIterator]: () => checked()[Symbol.asyncIterator]() },
  }
}

const longestHead = 500

const checkHeads = (heads: readonly string[], row: number): void => {
  if (heads.some((head) => head.length > longestHead))
    throw new SheetFault(`A head has more than ${longestHead} characters.`, row)
}

const trimmedHeads = ({ cells, row }: SheetRow): string[] => {
  const heads = cells.map(({ text }) => text.trim())
  while (heads.at(-1) === '') heads.pop()
  checkHeads(heads, row)
  return heads
}

const firstRows = async (batches: Batches): Promise<SheetRow[]> => {
  const sample: SheetRow[] = []
  let [cells, characters] = [0, 0]
  for await (const batch of batches)
    for (const row of batch) {
      cells += row.cells.length
      characters += row.cells.reduce((sum, { text }) => sum + text.length, 0)
      sample.push(row)
      if (sample.length === sampleRows || cells >= sampleCells || characters > sampleCharacters)
        return sample
    }
  return sample
}

type Head = {
  readonly head: SheetRow
  readonly heads: readonly string[]
  readonly isCsv: boolean
}

async function* rowsBelow(batches: Batches, below: Head): AsyncGenerator<readonly SheetRow[]> {
  const { head, heads } = below
  const headless = heads.flatMap((text, position) => (text === '' ? [position] : []))
  for await (const batch of batches) {
    const isFirst = batch[0]?.row === head.row && batch[0].sheet === undefined
    const rows = (isFirst ? batch.slice(1) : batch).map((row) => checkRow(row, below, headless))
    if (rows.length > 0) yield rows
  }
}

const checkRow = (row: SheetRow, { heads, isCsv }: Head, headless: readonly number[]): SheetRow => {
  const { cells } = row
  const lost = headless.find((position) => (cells[position]?.text ?? '').trim() !== '')
  if (lost !== undefined)
    return { ...row, fault: `has a value in column ${columnLetters(lost)}, which has no head` }
  if (cells.length <= heads.length) return row
  if (isBlank(cells.slice(heads.length))) return { ...row, cells: cells.slice(0, heads.length) }
  const hint = isCsv ? '; quote a cell that has a separator in it' : ''
  return { ...row, fault: `has ${cells.length} cells, but there are ${heads.length} heads${hint}` }
}
