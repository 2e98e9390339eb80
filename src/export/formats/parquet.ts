/**
 * Parquet: columns with exact types, written by the library in row groups. A group is read, written and
 * freed before the next, so memory does not grow with the rows; the list of groups comes last, so no reader
 * can open an incomplete file.
 */
import { zstdCompressSync } from 'node:zlib'
import type { ColumnSource, SchemaElement } from 'hyparquet-writer'
import type { Batch } from '../../database/copy.ts'
import type { CellKind, Digits } from '../../definitions/field-types/field-type.ts'
import { cellExpression, type ExportFormat, type SheetMeta } from '../export-format.ts'

// A group ends after so many rows or bytes of COPY.
const maxGroupRows = 65_536
const maxGroupBytes = 16_777_216

const compressors = { ZSTD: (page: Uint8Array) => zstdCompressSync(page) }

export const parquet: ExportFormat = {
  name: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  extension: 'parquet',
  copyOptions: () => `FORMAT text, ENCODING 'UTF8'`,
  rowTerminator: { end: '\n', separator: '' },
  list: ({ columns }) =>
    columns.map((column) => formOf(column.ref.column.type).sql(cellExpression(column))).join(', '),
  encode: async function* (batches: AsyncIterable<Batch>, { columns }: SheetMeta) {
    // Loaded on demand, because the main thread and most exports do not need it.
    const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
    const named = withUniqueNames(columns)
    const schema = schemaOf(named)
    const writer = new ByteWriter()
    const file = new ParquetWriter({ writer, schema, codec: 'ZSTD', compressors })
    const written = () => {
      const bytes = Buffer.from(writer.getBuffer())
      writer.index = 0
      return bytes
    }
    yield written()
    for await (const group of groupsOf(batches)) {
      file.write({ columnData: columnData(named, group), rowGroupSize: group.rows })
      yield written()
    }
    declareJson(schema)
    file.finish()
    yield written()
  },
}

type NamedColumn = { readonly name: string; readonly form: ColumnForm }

/** Readers find a column by its name, many of them regardless of case: a repeated header gets a number. */
const withUniqueNames = (columns: SheetMeta['columns']): NamedColumn[] => {
  const taken = new Set<string>()
  return columns.map(({ header, ...column }) => {
    let name = header
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${header} ${number}`
    taken.add(name.toLowerCase())
    return { name, form: formOf(column) }
  })
}

const schemaOf = (columns: readonly NamedColumn[]): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(
    ({ name, form }): SchemaElement => ({ name, repetition_type: 'OPTIONAL', ...form.element }),
  ),
]

/**
 * The library would convert JSON columns through JavaScript numbers; so their type is set after everything
 * is written.
 */
const declareJson = (schema: readonly SchemaElement[]): void => {
  for (const element of schema)
    if (element.logical_type?.type === 'JSON') element.converted_type = 'JSON'
}

/** Some rows as COPY wrote them. */
type Group = { readonly bytes: Buffer; readonly rows: number }

const groupsOf = async function* (batches: AsyncIterable<Batch>): AsyncGenerator<Group> {
  let parts: Buffer[] = []
  let [size, rows] = [0, 0]
  const take = (): Group => {
    const group = { bytes: Buffer.concat(parts), rows }
    parts = []
    size = 0
    rows = 0
    return group
  }
  for await (const batch of batches) {
    parts.push(batch.bytes)
    size += batch.bytes.length
    rows += batch.rows
    if (rows >= maxGroupRows || size >= maxGroupBytes) yield take()
  }
  if (rows > 0) yield take()
}

/**
 * The library takes the values of one column after the other: only those of one column are created at a
 * time.
 */
const columnData = (columns: readonly NamedColumn[], { bytes, rows }: Group): ColumnSource[] => {
  const ends = cellEnds(bytes, rows * columns.length)
  return columns.map(({ name, form }, column) => ({
    name,
    statistics: form.hasBounds,
    offsetIndex: false,
    get data() {
      const values: unknown[] = new Array(rows)
      for (let row = 0; row < rows; row++) {
        const cell = row * columns.length + column
        const start = cell === 0 ? 0 : (ends[cell - 1] ?? 0) + 1
        const end = ends[cell] ?? 0
        values[row] = isNull(bytes, start, end) ? null : form.read(bytes, start, end)
      }
      return values
    },
  }))
}

const [tab, lineFeed, backslash, capitalN, smallT] = Buffer.from('\t\n\\Nt')

/** The end of each cell, row by row: within a value COPY writes these characters as `\t` and `\n`. */
const cellEnds = (bytes: Buffer, cells: number): Uint32Array => {
  const ends = new Uint32Array(cells)
  let found = 0
  for (let at = 0; at < bytes.length; at++)
    if (bytes[at] === tab || bytes[at] === lineFeed) ends[found++] = at
  if (found !== cells) throw new Error(`COPY wrote ${found} cells in place of ${cells}.`)
  return ends
}

/** `\N`; the text `\N` has one more backslash. */
const isNull = (bytes: Buffer, start: number, end: number): boolean =>
  end - start === 2 && bytes[start] === backslash && bytes[start + 1] === capitalN

/** How the values of a column come from PostgreSQL and are stored in the file. */
type ColumnForm = {
  readonly element: Omit<SchemaElement, 'name'>
  /** The minimum and maximum of each row group are written, so that readers can skip it. */
  readonly hasBounds: boolean
  readonly sql: (column: string) => string
  readonly read: (bytes: Buffer, start: number, end: number) => unknown
}

const formOf = ({ cell, digits }: { readonly cell: CellKind; readonly digits: Digits }) =>
  forms[cell](digits)

const asItIs = { hasBounds: true, sql: (column: string) => column }

// The text format of COPY, docs/sql-copy.html in PostgreSQL.
const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const readText = (bytes: Buffer, start: number, end: number): string => {
  const text = bytes.toString('utf8', start, end)
  if (!text.includes('\\')) return text
  return text.replaceAll(/\\(.)/g, (_escape, letter: string) => escapes[letter] ?? letter)
}

const readNumber = (bytes: Buffer, start: number, end: number): number =>
  Number(bytes.toString('latin1', start, end))

const readBigint = (bytes: Buffer, start: number, end: number): bigint =>
  BigInt(bytes.toString('latin1', start, end))

/** The digits without the point, which COPY writes at the same place for every value of the column. */
const readDecimal = (bytes: Buffer, start: number, end: number): bigint =>
  BigInt(bytes.toString('latin1', start, end).replace('.', ''))

const text: ColumnForm = {
  ...asItIs,
  element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  read: readText,
}

// The maximum that readers support; DuckDB converts more to a float.
const mostDigits = 38

/** Without a number of digits, or with more than readers support, the only exact type is text. */
const decimal = ({ precision, scale = 0 }: Digits): ColumnForm => {
  if (precision === undefined || precision > mostDigits) return text
  return {
    ...asItIs,
    element: {
      ...smallestType(precision),
      converted_type: 'DECIMAL',
      logical_type: { type: 'DECIMAL', precision, scale },
      precision,
      scale,
    },
    read: readDecimal,
  }
}

const smallestType = (precision: number): Pick<SchemaElement, 'type' | 'type_length'> => {
  if (precision <= 9) return { type: 'INT32' }
  if (precision <= 18) return { type: 'INT64' }
  const bits = 1 + precision * Math.log2(10)
  return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: Math.ceil(bits / 8) }
}

const forms: Record<CellKind, (digits: Digits) => ColumnForm> = {
  text: () => text,
  json: () => ({
    ...text,
    element: { ...text.element, logical_type: { type: 'JSON' } },
    // They would be whole values.
    hasBounds: false,
  }),
  boolean: () => ({
    ...asItIs,
    element: { type: 'BOOLEAN' },
    read: (bytes, start) => bytes[start] === smallT,
  }),
  integer: () => ({ ...asItIs, element: { type: 'INT32' }, read: readNumber }),
  bigint: () => ({ ...asItIs, element: { type: 'INT64' }, read: readBigint }),
  decimal,
  // Days and milliseconds since 1970.
  date: () => ({
    ...asItIs,
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    sql: (column) => `${column} - date '1970-01-01'`,
    read: readNumber,
  }),
  timestamp: () => ({
    ...asItIs,
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    sql: (column) => `(extract(epoch FROM ${column}) * 1000)::bigint`,
    read: readBigint,
  }),
}
