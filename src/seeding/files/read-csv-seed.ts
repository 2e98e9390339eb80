/** Reads a seed file in CSV: a header row of field keys, then a row per record. */
import type { Catalog, Column } from '../../definitions/catalog.ts'
import type { JsonPath } from '../../definitions/source-file.ts'
import { createCsvReader } from '../../import/read/csv-rows.ts'
import { SheetFault, type SheetRow, usualLimits } from '../../import/read/sheet.ts'
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

/** The rows of a file with the lines on which they begin; an unquoted empty field is null. */
type Csv = { readonly text: string; readonly rows: readonly Row[] }

type Row = { readonly line: number; readonly fields: readonly (string | null)[] }

type InvalidCsv = Place & { readonly message: string }

const readCsv = (text: string): Csv | InvalidCsv => {
  try {
    const rows = createCsvReader(',', usualLimits).read(text, true)
    return { text, rows: rows.map(rowOf) }
  } catch (error) {
    if (!(error instanceof SheetFault)) throw error
    return { line: error.line ?? 1, column: 1, message: `is not valid CSV: ${error.message}` }
  }
}

const rowOf = ({ line, cells }: SheetRow): Row => ({
  line,
  fields: cells.map(({ kind, text }) => (kind === 'empty' ? null : text)),
})

const lineEnd = /\r\n|\n|\r/g
const nextField = /(?:"[^"]*(?:""[^"]*)*"|[^,\r\n]*),/y

/** Where a field begins, in the row that begins on a line: found only for errors. */
const placeOf = (text: string, line: number, field: number): Place => {
  lineEnd.lastIndex = 0
  for (let passed = 1; passed < line; passed++) lineEnd.test(text)
  let at = lineEnd.lastIndex
  for (let passed = 0; passed < field; passed++) {
    nextField.lastIndex = at
    if (!nextField.test(text)) break
    at = nextField.lastIndex
  }
  const before = text.slice(0, at).split(/\r\n|\n|\r/)
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 }
}

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

/**
 * The records of a CSV text. Rows with another length than the header are errors; blank rows and columns, which spreadsheets
 * leave, are none of the file's.
 */
export const readCsvSeed = (catalog: Catalog, seed: SeedName, text: string): SeedFile => {
  const csv = otherSeparator(text) ?? readCsv(text)
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
  const header = (csv.rows[0]?.fields ?? []).map((name) => name ?? '')
  const located = locate(seed.file, csv, header)
  const errors: SeedError[] = []
  const targets = readHeader({ catalog, seed, csv, located, errors }, header)
  const records = csv.rows.slice(1).flatMap(({ fields }, index) => {
    const { length } = fields
    if (length >= header.length && fields.slice(header.length).every((field) => field === null))
      return [{ index, cells: cellsOf(targets, index, fields), wrong: [] }]
    const hint = length > header.length ? '; a field with a comma must be quoted' : ''
    const message = `has ${length === 1 ? 'one field' : `${length} fields`}, but the header has ${header.length}${hint}`
    errors.push(errorAt(located, [index], message))
    return []
  })
  return { ...seed, ...located, records, isWhole: errors.length === 0, errors }
}

type At = (path: JsonPath) => Place

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
    return placeOf(csv.text, csv.rows[row]?.line ?? 1, Math.max(header.indexOf(name), 0))
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
      const isUsed = csv.rows.some(({ fields }) => (fields[position] ?? null) !== null)
      const unnamed = locatedAt(file, () => placeOf(csv.text, csv.rows[0]?.line ?? 1, position))
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
