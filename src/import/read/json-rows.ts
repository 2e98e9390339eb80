/** Rows of JSON as exports write it: an object per line, or a list of objects. Nothing else holds records. */
import { withoutExponent } from './read-number.ts'
import { type Cell, emptyCell, SheetFault, type SheetLimits, type SheetRow } from './sheet.ts'

type JsonRecord = {
  readonly record: Readonly<Record<string, unknown>>
  readonly row: number
  readonly line: number
}

type ObjectReader = { readonly read: (piece: string, isLast: boolean) => JsonRecord[] }

// One more than values of fields may have.
const deepest = 65
const mark = /["{}[\]\n]/g
const between = /^[\s,[\]]*$/

/** Finds the objects at the top of the text; what else stands there are commas, brackets and line ends. */
const createObjectReader = (limits: SheetLimits, isList: boolean): ObjectReader => {
  let rest = ''
  let [row, line] = [0, 1]
  const refuse = (what: string) => new SheetFault(`The file ${what} (line ${line}).`, row + 1)
  const parse = (text: string, lines: number): JsonRecord => {
    const at = line
    line += lines
    row += 1
    try {
      return { record: parseObject(text), row, line: at }
    } catch {
      line = at
      row -= 1
      throw refuse('is not valid JSON')
    }
  }
  return {
    read: (piece, isLast) => {
      const text = rest + piece
      const found: JsonRecord[] = []
      let at = 0
      for (;;) {
        const start = text.indexOf('{', at)
        const before = text.slice(at, start === -1 ? undefined : start)
        if (!between.test(before)) throw refuse('has something else than objects')
        const end = start === -1 ? undefined : endOfObject(text, start)
        if (end === 'too deep') throw refuse(`is nested deeper than ${deepest} levels`)
        if (start === -1 || end === undefined) break
        line += countLines(before)
        found.push(parse(text.slice(start, end.at), end.lines))
        at = end.at
      }
      rest = text.slice(at)
      if (rest.length > limits.row)
        throw refuse(`has an object of more than ${limits.row} characters`)
      if (isLast && rest.includes('{')) {
        line += countLines(rest.slice(0, rest.indexOf('{')))
        throw refuse('ends in the middle of an object')
      }
      if (isLast && isList && !rest.includes(']')) throw refuse('ends before its list does')
      return found
    },
  }
}

const countLines = (text: string): number => text.split('\n').length - 1

/** The place after the object that begins at a place; undefined if it does not end in the text. */
const endOfObject = (
  text: string,
  start: number,
): { readonly at: number; readonly lines: number } | 'too deep' | undefined => {
  let [depth, lines] = [0, 0]
  mark.lastIndex = start
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    const [character] = found
    if (character === '\n') lines += 1
    else if (character === '"') {
      const close = closingQuote(text, found.index)
      if (close === -1) return undefined
      mark.lastIndex = close + 1
    } else if (character === '{' || character === '[') {
      depth += 1
      if (depth > deepest) return 'too deep'
    } else {
      depth -= 1
      if (depth === 0) return { at: found.index + 1, lines }
    }
  }
  return undefined
}

const backslash = 0x5c

const closingQuote = (text: string, opening: number): number => {
  for (let close = text.indexOf('"', opening + 1); close !== -1; ) {
    let escapes = 0
    while (text.charCodeAt(close - 1 - escapes) === backslash) escapes += 1
    if (escapes % 2 === 0) return close
    close = text.indexOf('"', close + 1)
  }
  return -1
}

/** A number as it is written: JavaScript would round its digits. */
class Digits {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const longNumber = /\d{16}/

const parseObject = (text: string): Record<string, unknown> => {
  if (!longNumber.test(text)) return JSON.parse(text)
  return JSON.parse(text, function (this: unknown, _key, value, context?: { source?: string }) {
    const source = context?.source
    const isRounded = typeof value === 'number' && source !== undefined && longNumber.test(source)
    return isRounded ? new Digits(source) : value
  })
}

const cellOf = (value: unknown): Cell => {
  if (value === null || value === undefined) return emptyCell
  if (typeof value === 'string') return { text: value, kind: 'text' }
  if (typeof value === 'boolean') return { text: String(value), kind: 'boolean' }
  if (value instanceof Digits) return { text: value.text, kind: 'number' }
  if (typeof value === 'number') return { text: withoutExponent(String(value)), kind: 'number' }
  return { text: jsonOf(value), kind: 'json' }
}

/** The JSON of a list or an object, with the digits of its numbers. */
const jsonOf = (value: unknown): string => {
  if (value instanceof Digits) return value.text
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const names = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${jsonOf(one)}`)
  return `{${names.join(',')}}`
}

/** Every record with its names. */
export async function* jsonRecords(
  pieces: AsyncIterable<string>,
  limits: SheetLimits,
  isList: boolean,
): AsyncGenerator<readonly JsonRecord[]> {
  const reader = createObjectReader(limits, isList)
  for await (const piece of pieces) {
    const records = reader.read(piece, false)
    if (records.length > 0) yield records
  }
  reader.read('', true)
}

/** The records as rows under these heads; a name that is no head is a fault of its row. */
export async function* jsonRows(
  batches: AsyncIterable<readonly JsonRecord[]>,
  heads: readonly string[],
): AsyncGenerator<readonly SheetRow[]> {
  const known = new Set(heads)
  for await (const records of batches)
    yield records.map(({ record, row, line }) => {
      const other = Object.keys(record).find((name) => !known.has(name))
      const cells = heads.map((head) => cellOf(Object.hasOwn(record, head) ? record[head] : null))
      return {
        row,
        line,
        cells,
        ...(other !== undefined && {
          fault: `has the name ${JSON.stringify(other.slice(0, 80))}, which the first records do not have`,
        }),
      }
    })
}
