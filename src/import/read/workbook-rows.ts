/** Opens a workbook: its sheet, those in which an export was continued, and their rows, cell by cell as the spreadsheet shows them. */
import type { FileHandle } from 'node:fs/promises'
import { didYouMean } from '../../did-you-mean.ts'
import { shorten } from '../../issues.ts'
import { pointed, shiftPoint, withoutExponent } from './read-number.ts'
import {
  type Cell,
  emptyCell,
  type GivenDialect,
  isBlank,
  type OpenGrid,
  SheetFault,
  type SheetLimits,
  type SheetNote,
  type SheetRow,
} from './sheet.ts'
import {
  decodeCharacters,
  type NumberStyle,
  plainNumber,
  readPart,
  readWorkbook,
  type Workbook,
  type WorkbookSheet,
  withArchive,
} from './workbook.ts'
import { attribute, createXmlScanner } from './xml-scanner.ts'

/** Column of a reference such as `AB12`, from 0; -1 if it is none. */
const columnOf = (reference: string): number => {
  let column = 0
  for (let at = 0; at < reference.length; at++) {
    const code = reference.charCodeAt(at) & 0xdf
    if (code < 0x41 || code > 0x5a) break
    column = column * 26 + code - 0x40
  }
  return column - 1
}

type OpenCell = { type: string; style: NumberStyle; isFormula: boolean; text: string | undefined }

const [placeOf, typeOf, styleOf] = [attribute('r'), attribute('t'), attribute('s')]

/** The rows that end in the pieces so far; `isDone` after the last row. */
type RowReader = {
  readonly read: (piece: string) => SheetRow[]
  readonly isDone: () => boolean
  readonly end: () => void
}

/** Rows without a cell that holds something are left out. */
const createRowReader = (workbook: Workbook, limits: SheetLimits): RowReader => {
  let rows: SheetRow[] = []
  let cells: Cell[] = []
  let [row, column] = [0, -1]
  let size = 0
  const cell: OpenCell = { type: 'n', style: plainNumber, isFormula: false, text: undefined }
  let [isText, isPronounced, isDone] = [false, false, false]
  const openCell = (attributes: string) => {
    const reference = placeOf(attributes)
    column = reference === undefined ? column + 1 : columnOf(reference)
    cell.type = typeOf(attributes) ?? 'n'
    cell.style = workbook.styles[Number(styleOf(attributes) ?? -1)] ?? plainNumber
    cell.isFormula = false
    cell.text = undefined
  }
  const closeCell = () => {
    const read = readOpenCell(cell, workbook)
    if (read === emptyCell) return
    size += read.text.length
    if (read.text.length > limits.cell || size > limits.row) throw tooLong(limits, row)
    // One more than are allowed, so that it is seen.
    if (column < 0) throw new SheetFault('The workbook is damaged: a cell has no place.', row)
    const place = Math.min(column, limits.heads)
    while (cells.length < place) cells.push(emptyCell)
    cells[place] = read
  }
  const scanner = createXmlScanner(
    {
      open: (name, attributes) => {
        if (name === 'c') openCell(attributes)
        else if (name === 'v') {
          isText = true
          cell.text = ''
        } else if (name === 't') isText = !isPronounced
        else if (name === 'rPh') isPronounced = true
        else if (name === 'f') cell.isFormula = true
        else if (name === 'row') {
          row = Number(placeOf(attributes) ?? row + 1)
          cells = []
          column = -1
          size = 0
        }
      },
      close: (name) => {
        if (name === 'c') closeCell()
        else if (name === 'v' || name === 't') isText = false
        else if (name === 'rPh') isPronounced = false
        else if (name === 'sheetData') isDone = true
        else if (name === 'row' && !isBlank(cells)) rows.push({ row, line: row, cells })
      },
      text: (text) => {
        cell.text = (cell.text ?? '') + text
        if (cell.text.length > limits.cell) throw tooLong(limits, row)
      },
      wantsText: () => isText,
    },
    limits.cell,
  )
  return {
    read: (piece) => {
      rows = []
      scanner.write(piece)
      return rows
    },
    isDone: () => isDone,
    end: scanner.end,
  }
}

const tooLong = ({ cell }: SheetLimits, row: number) =>
  new SheetFault(`A cell or its row has more than ${cell} characters.`, row)

const errorCell = (text: string): Cell => ({ text, kind: 'error' })

const readOpenCell = (cell: OpenCell, workbook: Workbook): Cell => {
  const { type, text, isFormula, style } = cell
  if (text === undefined || text === '') {
    if (type === 'str' && text === '') return emptyCell
    if (isFormula)
      return errorCell(
        'is a formula without its value; open the file in a spreadsheet and save it there',
      )
    return emptyCell
  }
  switch (type) {
    case 's': {
      const shared = workbook.sharedTexts.at(Number(text))
      return shared === undefined ? errorCell('is damaged: its text is missing') : textCell(shared)
    }
    case 'inlineStr':
    case 'str':
      return textCell(decodeCharacters(text))
    case 'b':
      return text === '1' || text === 'true' ? isTrue : isFalse
    case 'e':
      return errorCell(`has the error ${text.slice(0, 40)}; correct it in the spreadsheet`)
    case 'd':
      return { text: text.replace('T', ' ').replace(/Z$/, ''), kind: 'date' }
    default:
      return numberCell(text, style, workbook.since1904)
  }
}

const isTrue: Cell = { text: 'true', kind: 'boolean' }
const isFalse: Cell = { text: 'false', kind: 'boolean' }

const textCell = (text: string): Cell => ({ text, kind: 'text' })

const numberCell = (text: string, style: NumberStyle, since1904: boolean): Cell => {
  if (style.kind === 'day') return excelDay(text, since1904)
  const number = shownNumber(text)
  if (number === undefined) return errorCell('is damaged: it is no number')
  if (style.kind === 'padded' && /^\d+$/.test(number))
    return { text: number.padStart(style.digits, '0'), kind: 'text' }
  if (style.kind === 'percent') return { text: `${shiftPoint(number, 2)}%`, kind: 'number' }
  return { text: number, kind: 'number' }
}

const usual = /^-?(?:[1-9]\d{0,14}|0|(?:[1-9]\d{0,6}|0)\.\d{0,6}[1-9])$/

// A spreadsheet computes with 15 digits, and stores two more of what it computed: 0.30000000000000004.
const digitsShown = 15

/** The number with the digits that a spreadsheet shows, without an exponent; whole numbers keep all of theirs. */
const shownNumber = (text: string): string | undefined => {
  // As nearly every number is written.
  if (usual.test(text)) return text
  if (/^-?\d{1,400}$/.test(text)) return text.replace(/^(-?)0+(?=\d)/, '$1')
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^\s*([+-]?)(\d{1,400})(?:\.(\d{0,400}))?(?:E([+-]?\d{1,3}))?\s*$/i.exec(text) ?? []
  if (whole === '') return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  if (digits.length > digitsShown) return withoutExponent(Number(text).toPrecision(digitsShown))
  return sign === '-'
    ? `-${pointed(whole + fraction, whole.length + Number(exponent))}`
    : pointed(whole + fraction, whole.length + Number(exponent))
}

/** The rows of a sheet in batches. */
async function* workbookRows(
  pieces: AsyncIterable<string>,
  workbook: Workbook,
  limits: SheetLimits,
): AsyncGenerator<readonly SheetRow[]> {
  const reader = createRowReader(workbook, limits)
  for await (const piece of pieces) {
    const rows = reader.read(piece)
    if (rows.length > 0) yield rows
    // Merged cells and filters come after the rows.
    if (reader.isDone()) return
  }
  reader.end()
}

// Days and times as spreadsheets store them: days since the end of 1899, or since 1904, with the time as a fraction.

const dayMilliseconds = 86_400_000
// Day 1 is the first of 1900, and day 60 the 29 February of that year, which never was: a fault of Lotus 1-2-3 that is kept.
const firstDay = Date.UTC(1899, 11, 31)
const dayZero = Date.UTC(1899, 11, 30)
const dayZero1904 = Date.UTC(1904, 0, 1)
const lastYear = Date.UTC(10_000, 0, 1)

const outside: Cell = {
  text: 'is a number outside of the days that a spreadsheet has',
  kind: 'error',
}

// Columns of days have the same ones again and again.
const known = [new Map<string, Cell>(), new Map<string, Cell>()] as const
const mostKnown = 10_000

/** `2026-01-05`, `2026-01-05 14:30:00.000`, or `14:30:00.000` for less than a day. */
export const excelDay = (serial: string, since1904: boolean): Cell => {
  const days = known[since1904 ? 1 : 0]
  const day = days.get(serial) ?? computeDay(serial, since1904)
  if (days.size === mostKnown) days.clear()
  if (serial.length <= 20) days.set(serial, day)
  return day
}

const computeDay = (serial: string, since1904: boolean): Cell => {
  const milliseconds = Math.round(Number(serial) * dayMilliseconds)
  if (!(milliseconds >= 0)) return outside
  const day = Math.floor(milliseconds / dayMilliseconds)
  if (!since1904 && day === 60) return { text: '1900-02-29', kind: 'date' }
  const start = since1904 ? dayZero1904 : day < 60 ? firstDay : dayZero
  if (start + milliseconds >= lastYear) return outside
  const [date = '', time = ''] = new Date(start + milliseconds)
    .toISOString()
    .slice(0, -1)
    .split('T')
  // Below one there is no day: a spreadsheet shows the time alone, or the 0 January 1900.
  if (day === 0 && !(since1904 && milliseconds === 0)) return { text: time, kind: 'date' }
  return { text: milliseconds % dayMilliseconds === 0 ? date : `${date} ${time}`, kind: 'date' }
}

// Opens a workbook: chooses its sheet, and goes on in those in which an export was continued.

type Opened = {
  readonly workbook: Workbook
  /** The chosen sheet, and those that continue it. */
  readonly sheets: readonly [WorkbookSheet, ...WorkbookSheet[]]
}

export const openWorkbook = async (
  file: FileHandle,
  given: GivenDialect,
  limits: SheetLimits,
): Promise<OpenGrid> => {
  const opened = await openParts(file, given.sheet, limits)
  const { workbook, sheets } = opened
  return {
    dialect: {
      format: 'xlsx',
      encoding: undefined,
      separator: undefined,
      decimal: given.decimal,
      dates: given.dates,
      sheet: sheets[0].name,
      sheets: workbook.sheets.map(({ name }) => name),
      notes: given.sheet === undefined ? notesOf(opened) : [],
    },
    rows: () =>
      withArchive(file, limits, async function* (archive) {
        for (const [index, { name, part }] of sheets.entries()) {
          let isFirst = index > 0
          for await (const rows of workbookRows(readPart(archive, part), workbook, limits)) {
            const below = isFirst ? rows.slice(1) : rows
            isFirst = false
            yield index === 0 ? below : below.map((row) => ({ ...row, sheet: name }))
          }
        }
      }),
  }
}

const openParts = async (
  file: FileHandle,
  name: string | undefined,
  limits: SheetLimits,
): Promise<Opened> => {
  const opening = withArchive(file, limits, async function* (archive): AsyncGenerator<Opened> {
    const workbook = await readWorkbook(archive, limits)
    const chosen = chooseSheet(workbook.sheets, name)
    const firstRow = async ({ part }: WorkbookSheet): Promise<SheetRow | undefined> => {
      for await (const [row] of workbookRows(readPart(archive, part), workbook, limits)) return row
      return undefined
    }
    const sheets: [WorkbookSheet, ...WorkbookSheet[]] = [chosen]
    for (const sheet of continuing(workbook.sheets, chosen)) {
      if (!isSameHead(await firstRow(chosen), await firstRow(sheet))) break
      sheets.push(sheet)
    }
    yield { workbook, sheets }
  })
  for await (const opened of opening) return opened
  throw new SheetFault('The workbook has no sheet.')
}

const quoted = (sheets: readonly WorkbookSheet[]) =>
  shorten(sheets.map(({ name }) => `"${name}"`).join(', '), 300)

const chooseSheet = (sheets: readonly WorkbookSheet[], name: string | undefined): WorkbookSheet => {
  const first = sheets.find(({ isVisible }) => isVisible) ?? sheets[0]
  if (!first) throw new SheetFault('The workbook has no sheet.')
  if (name === undefined) return first
  const chosen =
    sheets.find((sheet) => sheet.name === name) ??
    sheets.find((sheet) => sheet.name.toLowerCase() === name.toLowerCase())
  if (chosen) return chosen
  const hint = didYouMean(
    name,
    sheets.map((sheet) => sheet.name),
  )
  throw new SheetFault(
    `The workbook has no sheet ${JSON.stringify(shorten(name))}${hint || '.'} It has ${quoted(sheets)}.`,
  )
}

/** An export of more rows than a sheet holds goes on in `Orders 2`, `Orders 3`. */
const continuing = (sheets: readonly WorkbookSheet[], chosen: WorkbookSheet): WorkbookSheet[] => {
  const following = sheets.slice(sheets.indexOf(chosen) + 1)
  const end = following.findIndex(({ name }, index) => name !== `${chosen.name} ${index + 2}`)
  return end === -1 ? following : following.slice(0, end)
}

const isSameHead = (one: SheetRow | undefined, other: SheetRow | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.cells.length === other.cells.length &&
  one.cells.every(({ text }, index) => text === other.cells[index]?.text)

const notesOf = ({ workbook, sheets }: Opened): SheetNote[] => {
  const others = workbook.sheets.filter((sheet) => !sheets.includes(sheet))
  if (others.length === 0) return []
  return [
    {
      about: 'sheet',
      message: `The workbook has several sheets; ${quoted(sheets)} is read, and not ${quoted(others)}.`,
    },
  ]
}
