/** Parses CSV into rows of fields with their places; distinguishes null from the empty text. */
import { CsvError, parse } from 'csv-parse/sync'

type Place = { readonly line: number; readonly column: number }

export type Csv = {
  /** The first row is the header; an unquoted empty field is null. */
  readonly rows: readonly (readonly (string | null)[])[]
  readonly place: (row: number, field: number) => Place
}

export type InvalidCsv = Place & { readonly message: string }

/** Parses a whole file; returns the place of a syntax error. */
export const readCsv = (bytes: Buffer): Csv | InvalidCsv => {
  // Offset of the end of each field. Line numbers are computed from these, because the parser counts CRLF
  // inside quotes twice.
  const ends: number[][] = [[]]
  try {
    const rows = parse(bytes, {
      skip_empty_lines: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      cast: (value, context) => {
        const row = ends[context.records] ?? []
        ends[context.records] = row
        row.push(context.bytes)
        return value === '' && !context.quoting ? null : value
      },
    }) as (string | null)[][]
    return { rows, place: (row, field) => placeAt(bytes, startOf(bytes, ends, row, field)) }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const row = Math.max(ends.length - 1, 0)
    const start = startOf(bytes, ends, row, ends[row]?.length ?? 0)
    return { ...placeAt(bytes, start), message: explain(error) }
  }
}

const comma = 0x2c
const lineFeed = 0x0a
const carriageReturn = 0x0d

/** A field begins after the comma or line breaks that end the previous one. */
const startOf = (
  bytes: Buffer,
  ends: readonly (readonly number[])[],
  row: number,
  field: number,
): number => {
  const before = ends[row]?.[field - 1] ?? (row > 0 ? (ends[row - 1]?.at(-1) ?? 0) : 0)
  if (bytes[before] === comma && field > 0) return before + 1
  let start = before
  while (bytes[start] === lineFeed || bytes[start] === carriageReturn) start++
  return start
}

const placeAt = (bytes: Buffer, offset: number): Place => {
  const lines = bytes.toString('utf8', 0, offset).split(/\r\n|\n|\r/)
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

const explain = ({ code }: CsvError): string =>
  code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'is not valid CSV: this quote is never closed'
    : 'is not valid CSV: quote the whole field and double each quote in it'
