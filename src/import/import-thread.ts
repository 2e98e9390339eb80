/** A thread that reads one file: its cells become values, and its rows bytes for COPY. */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { counted } from '../counted.ts'
import { copiedValue } from '../database/copy.ts'
import { shorten } from '../issues.ts'
import { type CellNote, noteTexts } from './read/cell-value.ts'
import { createLineFinder } from './read/lines-of-rows.ts'
import { openSheet } from './read/open-sheet.ts'
import { type Cell, emptyCell, SheetFault, type SheetRow, usualLimits } from './read/sheet.ts'
import {
  type ReadColumn,
  type ReadReport,
  type ReadRequest,
  type ReadSettings,
  readColumn,
} from './read-task.ts'
import { type CellResult, cellResult, type RowFault, readFault } from './row-fault.ts'

const { file, given } = workerData as ReadSettings
const port = parentPort
if (!port) throw new Error('This program runs in a thread.')
const post = (report: ReadReport, transferred: ArrayBuffer[] = []) =>
  port.postMessage(report, transferred)

const chunkCharacters = 65_536
/** Of UTF-8, and of a line more. */
const bufferBytes = 4 * chunkCharacters
/** Buffers that are filled or wait to be written; then they are used again, so that memory does not grow with the file. */
const maxBuffers = 3
const longestText = 200

const buffers: ArrayBuffer[] = []
let made = 0
let columns: readonly ReadColumn[] = []
/** Undefined: each row is a record. */
let kindOf: ReturnType<typeof createLineFinder> | undefined
port.on('message', (request: ReadRequest) => {
  if (request.kind === 'written') buffers.push(request.buffer)
  else if (request.kind === 'stop') port.close()
  else {
    columns = request.columns.map(readColumn)
    kindOf = request.lineColumns && createLineFinder(request.lineColumns)
  }
})

/** How many cells have each note, by the head of their column. */
const noted = new Map<string, Map<CellNote, number>>()

const count = (head: string, note: CellNote): void => {
  const ofColumn = noted.get(head) ?? new Map<CellNote, number>()
  ofColumn.set(note, (ofColumn.get(note) ?? 0) + 1)
  noted.set(head, ofColumn)
}

const printNotes = (): readonly string[] =>
  [...noted].flatMap(([head, notes]) =>
    [...notes].map(([note, cells]) => `"${head}" (${counted(cells, 'cell')}): ${noteTexts[note]}.`),
  )

const countedResult = (column: ReadColumn, cell: Cell): CellResult => {
  const result = cellResult(column, cell)
  if ('note' in result && result.note) count(column.head, result.note)
  return result
}

// PostgreSQL keeps neither NUL nor half of a character; values of fields have none.
const plainText = (text: string): string => text.replaceAll('\0', '').toWellFormed()

const textOf = ({ kind, text }: Cell): string | null => (kind === 'empty' ? null : plainText(text))

/** A line of COPY: place, row of the file, cells as they are, faults, values, and where lines are read the row of their record. */
const lineOf = (read: SheetRow, place: number): string => {
  const { row, cells } = read
  const kind = kindOf?.(read)
  const fault = read.fault ?? kind?.fault
  const ofRecord = kind?.recordRow ?? null
  const faults: RowFault[] =
    fault === undefined ? [] : [{ column: null, text: null, message: fault, isRead: true }]
  let values = ''
  for (const column of columns) {
    const cell = cells[column.position] ?? emptyCell
    // The first row of a record has what further ones repeat.
    const isRead = fault === undefined && (ofRecord === null || column.isOfLine)
    const result = isRead ? countedResult(column, cell) : { value: null }
    if ('fault' in result) {
      const text = shorten(plainText(cell.text), longestText)
      faults.push(readFault(column.head, text, result))
    }
    values += `\t${copiedValue('fault' in result ? null : result.value)}`
  }
  const raw = JSON.stringify(cells.map(textOf))
  const printed = faults.length > 0 ? JSON.stringify(faults) : null
  const recordLine = kindOf ? `\t${copiedValue(ofRecord)}` : ''
  return `${place}\t${row}\t${copiedValue(raw)}\t${copiedValue(printed)}${values}${recordLine}\n`
}

const takeBuffer = async (): Promise<ArrayBuffer> => {
  while (buffers.length === 0 && made === maxBuffers) await once(port, 'message')
  const buffer = buffers.pop()
  if (buffer) return buffer
  made += 1
  return new ArrayBuffer(bufferBytes)
}

const encoder = new TextEncoder()

const send = async (text: string, rows: number): Promise<void> => {
  let buffer = await takeBuffer()
  let { read, written: length } = encoder.encodeInto(text, new Uint8Array(buffer))
  if (read < text.length) {
    // A row of megabytes: its buffer takes the place of this one.
    const bytes = encoder.encode(text)
    buffer = bytes.buffer
    length = bytes.length
    read = text.length
  }
  post({ kind: 'rows', buffer, length, rows }, [buffer])
}

const run = async (): Promise<void> => {
  const sheet = await openSheet(file, given, usualLimits)
  const { dialect, heads, sample } = sheet
  post({ kind: 'opened', sheet: { dialect, heads, sample } })
  while (columns.length === 0) await once(port, 'message')
  let [text, rows, place] = ['', 0, 0]
  for await (const batch of sheet.rows)
    for (const row of batch) {
      place += 1
      rows += 1
      text += lineOf(row, place)
      if (text.length < chunkCharacters) continue
      await send(text, rows)
      text = ''
      rows = 0
    }
  if (rows > 0) await send(text, rows)
  post({ kind: 'end', notes: printNotes() })
}

const tellFault = (error: unknown): void => {
  if (!(error instanceof SheetFault)) throw error
  const place = error.row === undefined ? '' : `Row ${error.row}: `
  post({ kind: 'fault', message: `${place}${error.message}` })
}

run()
  .catch(tellFault)
  .finally(() => file.close())
