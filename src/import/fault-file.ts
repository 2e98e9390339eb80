/** The rows with faults as a file to correct and send again: their cells, and in further columns the row and the reasons. */
import { Readable } from 'node:stream'
import type { ImportPlan } from './import-plan.ts'
import { writtenHeads } from './read/unique-heads.ts'
import { type FaultyRow, faultsOf } from './run-list.ts'

// A spreadsheet would evaluate such a text; an import takes the apostrophe back.
const formula = /^[=+\-@\t\r]/
const plainNumber = /^-?\d+([.,]\d+)?$/

const field = (text: string | null, separator: string): string => {
  if (text === null) return ''
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text
  return safe === '' || safe.includes(separator) || /["\n\r]/.test(safe)
    ? `"${safe.replaceAll('"', '""')}"`
    : safe
}

type Cells = readonly (string | null)[]

const line = (cells: Cells, separator: string): string =>
  `${cells.map((cell) => field(cell, separator)).join(separator)}\r\n`

/** Without it, spreadsheets take the bytes for those of another encoding. */
const byteOrderMark = '\uFEFF'

/** Heads of the columns that a file with faults has besides its own. */
const faultHeads = ['Row', 'Faults'] as const

/** Leaves out the further columns of a file of faults that comes back corrected. */
export const withoutFaultColumns = (heads: readonly string[]): Readonly<Record<string, null>> =>
  writtenHeads(heads).slice(-faultHeads.length).join() === faultHeads.join()
    ? Object.fromEntries(heads.slice(-faultHeads.length).map((head) => [head, null]))
    : {}

/** What is wrong, as one text: `"Total": must be at least 0`. */
const reasonsOf = (row: FaultyRow): string =>
  faultsOf(row)
    .map(({ column, message }) => (column === null ? message : `"${column}": ${message}`))
    .join('; ')

const cellsOf = (heads: readonly string[], row: FaultyRow): Cells => {
  const cells = JSON.parse(row.cells) as Cells
  return [...heads.map((_, at) => cells[at] ?? null), String(row.line), reasonsOf(row)]
}

type ReadRows = (after: number) => Promise<readonly FaultyRow[]>

type WrittenFile = Pick<ImportPlan, 'heads' | 'separator'>

/**
 * The file, of which as much is read as its client takes. Between its cells stands what stood there in the file with the faults,
 * because that decides with which mark numbers are read.
 */
export const faultFile = (written: WrittenFile, read: ReadRows): Readable =>
  Readable.from(partsOf(written, read), { objectMode: false, encoding: 'utf8' })

async function* partsOf(
  { heads, separator = ',' }: WrittenFile,
  read: ReadRows,
): AsyncGenerator<string> {
  yield byteOrderMark + line([...heads, ...faultHeads], separator)
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows = await read(after)
    if (rows.length > 0) yield rows.map((row) => line(cellsOf(heads, row), separator)).join('')
    const last = rows.at(-1)
    after = last?.has_next ? last.n : undefined
  }
}
