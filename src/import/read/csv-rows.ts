/** Rows of CSV (RFC 4180) with any separator and any line ends, piece by piece: of files to import, which may have millions, and of seeds. */
import {
  type Cell,
  type CellSeparator,
  emptyCell,
  isBlank,
  SheetFault,
  type SheetLimits,
  type SheetRow,
  separators,
} from './sheet.ts'

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d]

type CsvReader = {
  /** The rows that end in the text so far; the last piece ends the last row. */
  readonly read: (piece: string, isLast: boolean) => SheetRow[]
}

type Row = { readonly cells: readonly Cell[]; readonly end: number; readonly breaks: number }

/** Rows without any cell that holds something are left out, and counted. */
export const createCsvReader = (
  separator: CellSeparator,
  limits: SheetLimits,
  firstLine = 1,
): CsvReader => {
  const readRow = rowReader(separator.charCodeAt(0), limits)
  let rest = ''
  let [row, line] = [0, firstLine]
  return {
    read: (piece, isLast) => {
      const text = rest === '' ? piece : rest + piece
      const rows: SheetRow[] = []
      let at = 0
      while (at < text.length) {
        const one = readRow(text, at, isLast)
        if (typeof one === 'string') throw new SheetFault(`${one} (line ${line})`, row + 1, line)
        if (one === undefined) break
        row += 1
        if (!isBlank(one.cells)) rows.push({ row, line, cells: one.cells })
        line += 1 + one.breaks
        at = one.end
      }
      rest = text.slice(at)
      return rows
    },
  }
}

const readAfterQuote =
  'has text after the quote that ends a cell; double each quote that is part of a cell'
const neverClosed = 'has a quote that is never closed'

/** Reads the row at a place: undefined if it does not end in the text; a text says what is wrong. */
const rowReader =
  (separator: number, limits: SheetLimits) =>
  (text: string, start: number, isLast: boolean): Row | string | undefined => {
    const cells: Cell[] = []
    let at = start
    let breaks = 0
    const unfinished = () =>
      text.length - start > limits.row ? tooLong(limits, text.charCodeAt(at) === quote) : undefined
    for (;;) {
      let cell: Cell
      if (text.charCodeAt(at) === quote) {
        const close = closingQuote(text, at)
        if (close === -1 || (close + 1 === text.length && !isLast))
          return isLast ? neverClosed : unfinished()
        cell = quotedCell(text.slice(at + 1, close))
        breaks += countBreaks(cell.text)
        at = close + 1
      } else {
        const begin = at
        for (; at < text.length; at++) {
          const code = text.charCodeAt(at)
          if (code === separator || code === lineFeed || code === carriageReturn) break
        }
        if (at === text.length && !isLast) return unfinished()
        cell = plainCell(text, begin, at)
      }
      if (cell.text.length > limits.cell) return tooLong(limits, false)
      // One more than are allowed, so that it is seen; a row of separators alone must not fill the memory.
      if (cells.length <= limits.heads) cells.push(cell)
      if (at === text.length) return { cells, end: at, breaks }
      const code = text.charCodeAt(at)
      at += 1
      if (code === separator) {
        if (at === text.length && !isLast) return unfinished()
      } else if (code === lineFeed) return { cells, end: at, breaks }
      else if (code !== carriageReturn) return readAfterQuote
      else if (at === text.length && !isLast) return unfinished()
      else return { cells, end: text.charCodeAt(at) === lineFeed ? at + 1 : at, breaks }
    }
  }

const tooLong = ({ cell }: SheetLimits, isQuoted: boolean) =>
  isQuoted
    ? `${neverClosed}, or a cell of more than ${cell} characters`
    : `has a cell or a row that is too long: a cell has at most ${cell} characters`

const closingQuote = (text: string, opening: number): number => {
  let close = text.indexOf('"', opening + 1)
  while (close !== -1 && text.charCodeAt(close + 1) === quote) close = text.indexOf('"', close + 2)
  return close
}

const quotedCell = (inside: string): Cell => ({
  text: inside.includes('"') ? inside.replaceAll('""', '"') : inside,
  kind: 'text',
})

const plainCell = (text: string, begin: number, end: number): Cell =>
  begin === end ? emptyCell : { text: text.slice(begin, end), kind: 'text' }

const countBreaks = (text: string): number => {
  let count = 0
  for (let at = text.search(/[\r\n]/); at !== -1 && at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === lineFeed || (code === carriageReturn && text.charCodeAt(at + 1) !== lineFeed))
      count += 1
  }
  return count
}

/** The first line `sep=;`, in which files name their separator for Excel. */
const separatorLine = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r)/i

type Separated = { readonly separator: CellSeparator; readonly isAssumed: boolean }

/** What separates the cells: what the file says, else what divides most of the first rows as it divides the head. */
export const findSeparator = (start: string, isWhole: boolean, limits: SheetLimits): Separated => {
  const said = separatorLine.exec(start)?.[1]
  if (said !== undefined) return { separator: said as CellSeparator, isAssumed: false }
  const ranked = separators
    .map((separator) => ({ separator, ...divide(start, isWhole, separator, limits) }))
    .filter(({ heads }) => heads > 1)
    .toSorted((a, b) => b.share - a.share || b.heads - a.heads || rank(a) - rank(b))
  const [best, second] = ranked
  if (!best) return { separator: ',', isAssumed: false }
  const isAssumed =
    second !== undefined && second.share === best.share && second.heads === best.heads
  return { separator: best.separator, isAssumed }
}

// Commas stand in numbers and texts, too.
const rank = ({ separator }: { readonly separator: CellSeparator }) =>
  ['\t', ';', '|', ','].indexOf(separator)

/** Into how many cells a separator divides the first row, and which share of the first rows into as many. */
const divide = (
  start: string,
  isWhole: boolean,
  separator: CellSeparator,
  limits: SheetLimits,
): { readonly heads: number; readonly share: number } => {
  try {
    const rows = createCsvReader(separator, limits).read(start, isWhole).slice(0, 200)
    const [head] = rows
    if (!head) return { heads: headLine(start).split(separator).length, share: 0 }
    const heads = head.cells.length
    return { heads, share: rows.filter(({ cells }) => cells.length === heads).length / rows.length }
  } catch (error) {
    if (!(error instanceof SheetFault)) throw error
    return { heads: headLine(start).split(separator).length, share: 0 }
  }
}

const headLine = (start: string) => start.slice(0, 100_000).split(/[\r\n]/, 1)[0] ?? ''

/** The rows of a text in batches, with the first line `sep=;` left out. */
export async function* csvRows(
  pieces: AsyncIterable<string>,
  separator: CellSeparator,
  limits: SheetLimits,
): AsyncGenerator<readonly SheetRow[]> {
  let reader: CsvReader | undefined
  for await (const piece of pieces) {
    const said = reader ? undefined : separatorLine.exec(piece)?.[0]
    reader ??= createCsvReader(separator, limits, said === undefined ? 1 : 2)
    const rows = reader.read(said === undefined ? piece : piece.slice(said.length), false)
    if (rows.length > 0) yield rows
  }
  const rows = reader?.read('', true) ?? []
  if (rows.length > 0) yield rows
}
