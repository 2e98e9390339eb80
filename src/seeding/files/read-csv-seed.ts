/** Reads a seed file in CSV: a header row of field keys, then a row per record. */
import { CsvError, parse } from 'csv-parse/sync'
import type { Catalog, Column } from '../../definitions/catalog.ts'
import type { JsonPath } from '../../definitions/source-file.ts'
import {
  type Cell,
  errorAt,
  type Located,
  resolveTarget,
  type SeedError,
  type SeedFile,
  type SeedName,
  type TargetColumn,
} from './seed.ts'

type Place = { readonly line: number; readonly column: number }

type Csv = {
  /** The first row is the header; an unquoted empty field is null. */
  readonly rows: readonly (readonly (string | null)[])[]
  readonly place: (row: number, field: number) => Place
}

type InvalidCsv = Place & { readonly message: string }

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

const separators: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs' }

/** A file whose fields are separated otherwise: no name of a header has such a character. */
const otherSeparator = (text: string): InvalidCsv | undefined => {
  const [header = ''] = text.split(/[\r\n]/, 1)
  const at = header.search(/[;\t]/)
  const name = separators[header[at] ?? '']
  if (name === undefined) return undefined
  const message = `has ${name} between the fields; save it with commas, and quote fields that have a comma`
  return { line: 1, column: at + 1, message }
}

type Row = readonly (string | null)[]

const isBlank = (row: Row): boolean => row.every((field) => field === null)

/**
 * The records of a CSV text. Rows with another length than the header are errors; blank rows and columns, which spreadsheets
 * leave, are none of the file's.
 */
export const readCsvSeed = (catalog: Catalog, seed: SeedName, text: string): SeedFile => {
  const csv = otherSeparator(text) ?? readCsv(Buffer.from(text))
  if ('message' in csv) {
    const { message, ...place } = csv
    const located = locatedAt(seed.file, () => place)
    return {
      ...seed,
      ...located,
      records: [],
      isWhole: false,
      errors: [errorAt(located, [], message)],
    }
  }
  const header = (csv.rows[0] ?? []).map((name) => name ?? '')
  const located = locate(seed.file, csv, header)
  const errors: SeedError[] = []
  const targets = readHeader({ catalog, seed, csv, located, errors }, header)
  const records = csv.rows.slice(1).flatMap((row, index) => {
    if (isBlank(row)) return []
    if (row.length >= header.length && isBlank(row.slice(header.length)))
      return [{ index, cells: cellsOf(targets, index, row), wrong: [] }]
    const hint = row.length > header.length ? '; a field with a comma must be quoted' : ''
    const message = `has ${row.length === 1 ? 'one field' : `${row.length} fields`}, but the header has ${header.length}${hint}`
    errors.push(errorAt(located, [index], message))
    return []
  })
  return { ...seed, ...located, records, isWhole: errors.length === 0, errors }
}

type At = (path: JsonPath) => { readonly line: number; readonly column: number }

const locatedAt = (file: string, at: At): Located => ({
  file,
  finding: (path, message) => ({
    file,
    ...at(path),
    path: path.filter((step) => typeof step === 'string').join('.'),
    message,
    severity: 'error',
  }),
})

/** Record 0 is the row after the header; a path without a number is a name in the header. */
const locate = (file: string, csv: Csv, header: readonly string[]): Located =>
  locatedAt(file, (path) => {
    const [index, ...names] = path
    const row = typeof index === 'number' ? index + 1 : 0
    const name = (row === 0 ? path : names).join('.')
    return csv.place(row, Math.max(header.indexOf(name), 0))
  })

type Reading = {
  readonly catalog: Catalog
  readonly seed: SeedName
  readonly csv: Csv
  readonly located: Located
  readonly errors: SeedError[]
}

type HeaderCell = { readonly target: TargetColumn; readonly name: string }

/** A target column for every column of the file; undefined for unknown names. */
const readHeader = (
  { catalog, seed: { entity, file }, csv, located, errors }: Reading,
  header: readonly string[],
): (HeaderCell | undefined)[] => {
  if (header.length === 0) errors.push(errorAt(located, [], 'has no header row with field keys'))
  const seen = new Map<Column, string>()
  return header.map((name, position) => {
    if (name === '') {
      const isUsed = csv.rows.some((row) => (row[position] ?? null) !== null)
      const unnamed = locatedAt(file, () => csv.place(0, position))
      if (isUsed) errors.push(errorAt(unnamed, [], 'the header has an empty name above values'))
      return undefined
    }
    const [key = '', ...rest] = name.split('.')
    const field = rest.length === 0 ? undefined : rest.join('.')
    const target = resolveTarget(catalog, { entity, key, field })
    const before = 'column' in target ? seen.get(target.column) : undefined
    const message = 'message' in target ? target.message : twice(before)
    if ('column' in target && before === undefined) seen.set(target.column, name)
    if (message !== undefined) errors.push(errorAt(located, [name], message))
    return 'column' in target && message === undefined ? { target, name } : undefined
  })
}

const twice = (before: string | undefined): string | undefined =>
  before === undefined ? undefined : `is given twice, also as "${before}"`

const cellsOf = (
  targets: readonly (HeaderCell | undefined)[],
  index: number,
  row: readonly (string | null)[],
): Cell[] =>
  targets.flatMap((cell, position) =>
    cell ? [{ target: cell.target, value: row[position] ?? null, path: [index, cell.name] }] : [],
  )
