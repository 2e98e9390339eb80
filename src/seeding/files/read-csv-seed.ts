/** Reads a seed file in CSV: a header row of field keys, then a row per record. */
import type { Catalog, Column } from '../../definitions/catalog.ts'
import type { JsonPath } from '../../definitions/source-file.ts'
import { resolveTarget, type TargetColumn } from '../target-column.ts'
import { type Csv, readCsv } from './read-csv.ts'
import type { Cell, SeedFile, SeedName } from './seed.ts'
import { errorAt, type Located, type SeedError } from './seed-error.ts'

/** The records of a CSV text; rows with another length than the header are errors. */
export const readCsvSeed = (catalog: Catalog, seed: SeedName, text: string): SeedFile => {
  const csv = readCsv(Buffer.from(text))
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
  const targets = readHeader({ catalog, seed, located, errors }, header)
  const records = csv.rows.slice(1).flatMap((row, index) => {
    if (row.length === header.length)
      return [{ index, cells: cellsOf(targets, index, row), wrong: [] }]
    const message = `has ${row.length === 1 ? 'one field' : `${row.length} fields`}, but the header has ${header.length}`
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
  readonly located: Located
  readonly errors: SeedError[]
}

type HeaderCell = { readonly target: TargetColumn; readonly name: string }

/** A target column for every column of the file; undefined for unknown names. */
const readHeader = (
  { catalog, seed: { entity }, located, errors }: Reading,
  header: readonly string[],
): (HeaderCell | undefined)[] => {
  if (header.length === 0) errors.push(errorAt(located, [], 'has no header row with field keys'))
  const seen = new Map<Column, string>()
  return header.map((name) => {
    const [key = '', ...rest] = name.split('.')
    const field = rest.length === 0 ? undefined : rest.join('.')
    const target = resolveTarget(catalog, { entity, key, field })
    const before = 'column' in target ? seen.get(target.column) : undefined
    const message = 'message' in target ? explain(name, target.message) : twice(before)
    if ('column' in target && before === undefined) seen.set(target.column, name)
    if (message !== undefined) errors.push(errorAt(located, [name], message))
    return 'column' in target && message === undefined ? { target, name } : undefined
  })
}

const explain = (name: string, message: string): string => {
  if (name === '') return 'the header has an empty name'
  return /[;\t]/.test(name) ? 'is not separated by commas' : message
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
