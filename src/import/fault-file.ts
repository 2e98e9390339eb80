/** The rows with faults as a file to correct and send again: their cells, and in further columns the row and the reasons. */
import { Readable } from 'node:stream'
import { writtenHeads } from './read/unique-heads.ts'
import { type FaultyRow, faultsOf } from './run-list.ts'

// A spreadsheet would evaluate such a text; an import takes the apostrophe back.
const formula = /^[=+\-@\t\r]/
const plainNumber = /^-?\d+([.,]\d+)?$/

const field = (text: string | null): string => {
  if (text === null) return ''
  const safe = formula.test(text) && !plainNumber.test(text) ? `'${text}` : text
  return safe === '' || /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const line = (cells: readonly (string | null)[]): string => `${cells.map(field).join(',')}\r\n`

/** Heads of the columns that a file with faults has besides its own. */
const faultHeads = ['Row', 'Faults'] as const

/** Leaves out the further columns of a file of faults that comes back corrected. */
export const withoutFaultColumns = (heads: readonly string[]): Readonly<Record<string, null>> =>
  writtenHeads(heads).slice(-faultHeads.length).join() === faultHeads.join()
    ? Object.fromEntries(heads.slice(-faultHeads.length).map((head) => [head, null]))
    : {}

const headLine = (heads: readonly string[]): string => line([...heads, ...faultHeads])

/** What is wrong, as one text: `"Total": must be at least 0`. */
const reasonsOf = (row: FaultyRow): string =>
  faultsOf(row)
    .map(({ column, message }) => (column === null ? message : `"${column}": ${message}`))
    .join('; ')

const rowLine = (heads: readonly string[], row: FaultyRow): string => {
  const cells = JSON.parse(row.cells) as (string | null)[]
  return line([...heads.map((_, at) => cells[at] ?? null), String(row.line), reasonsOf(row)])
}

type ReadRows = (after: number) => Promise<readonly FaultyRow[]>

/** The file, of which as much is read as its client takes. */
export const faultFile = (heads: readonly string[], read: ReadRows): Readable =>
  Readable.from(partsOf(heads, read), { objectMode: false, encoding: 'utf8' })

async function* partsOf(heads: readonly string[], read: ReadRows): AsyncGenerator<string> {
  yield headLine(heads)
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows = await read(after)
    if (rows.length > 0) yield rows.map((row) => rowLine(heads, row)).join('')
    const last = rows.at(-1)
    after = last?.has_next ? last.n : undefined
  }
}
