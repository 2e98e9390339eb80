/** CSV by RFC 4180, formatted by PostgreSQL itself: null is an empty field, the empty string `""`. */
import pg from 'pg'
import type { Batch } from '../../database/copy.ts'
import { asText, type CellKind } from '../../definitions/field-types/field-type.ts'
import { fieldTypes } from '../../definitions/field-types.ts'
import {
  type CsvDialect,
  type CsvEncoding,
  csvEncodings,
  decimalMarks,
  separators,
  standardCsv,
} from '../../definitions/values/rules/csv-dialects.ts'
import { apiError } from '../../errors.ts'
import {
  cellExpression,
  type ExportColumn,
  type ExportFormat,
  type ExportSheet,
  type Refusal,
  type SheetMeta,
} from '../export-format.ts'
import { escapeFormula, guardFormula } from './formula-guard.ts'
import { zonedHeader } from './xlsx-parts.ts'

// Encodings of CSV: the texts that the service adds to what PostgreSQL has encoded, and what an encoding lacks.

/** The name of the encoding in which PostgreSQL writes the rows. */
const databaseEncoding = (encoding: CsvEncoding): string => csvEncodings[encoding] ?? 'UTF8'

const controls = /[\u0080-\u009F]/

/** The characters of the bytes from 128 on. Those that stand for no character are read as controls, and not written. */
const upperHalf = (encoding: CsvEncoding): ReadonlyMap<string, number> => {
  const bytes = Uint8Array.from({ length: 128 }, (_, index) => 128 + index)
  const characters = [...new TextDecoder(encoding).decode(bytes)]
  return new Map(
    characters.flatMap((one, index) => (controls.test(one) ? [] : [[one, 128 + index] as const])),
  )
}

const isUnicode = (encoding: CsvEncoding): boolean => encoding.startsWith('utf-')

/** The bytes of a text that the encoding has. */
const encodeCsv = (text: string, encoding: CsvEncoding): Buffer => {
  if (isUnicode(encoding)) return Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le')
  const upper = upperHalf(encoding)
  return Buffer.from([...text].map((one) => upper.get(one) ?? one.charCodeAt(0)))
}

/** A file of an encoding that lacks some characters has all of its texts, or there is none. */
const refuseCharacters = ({ columns, csv }: ExportSheet): Refusal | undefined => {
  const { encoding } = csv
  if (isUnicode(encoding)) return undefined
  const upper = [...upperHalf(encoding).keys()].join('')
  const says = [
    `The encoding ${encoding} lacks characters of `,
    '; ask for utf-8 or utf-16, or leave these columns out.',
  ] as const
  const code = 'export.not-encodable'
  const lacks = new RegExp(`[^\\u0001-\\u007F${upper}]`, 'u')
  const wrong = columns.find(({ header }) => lacks.test(header))
  if (wrong) throw apiError(code, `${says[0]}the header ${JSON.stringify(wrong.header)}${says[1]}`)
  return {
    code,
    mayConcern: ({ cell }) => cell === 'text' || cell === 'json',
    // A text of as many bytes as characters has no others than those of ASCII.
    wrongPart: (text) => `CASE WHEN octet_length(${text}) > length(${text})
      THEN substring(${text} FROM '[^\\u0001-\\u007F${upper}]') END`,
    says,
  }
}

/** CRLF, header always. */
export const csv: ExportFormat = {
  name: 'csv',
  contentType: 'text/csv; charset=utf-8',
  contentTypeOf: ({ encoding }) => `text/csv; charset=${encoding}`,
  extension: 'csv',
  copyOptions: ({ csv: { separator, quoting, encoding } }) =>
    [
      `FORMAT csv, DELIMITER '${separators[separator]}'`,
      ...(quoting === 'all' ? ['FORCE_QUOTE *'] : []),
      `ENCODING '${databaseEncoding(encoding)}'`,
    ].join(', '),
  rowTerminator: { end: '\r\n', separator: '' },
  refusal: refuseCharacters,
  list: (sheet) => sheet.columns.map((column) => cell(column, sheet)).join(', '),
  encode: async function* (batches: AsyncIterable<Batch>, meta: SheetMeta) {
    const { bom, encoding } = meta.csv
    yield encodeCsv(`${bom ? '\uFEFF' : ''}${headerLine(meta)}\r\n`, encoding)
    for await (const { bytes } of batches)
      yield encoding === 'utf-16' ? encodeCsv(bytes.toString(), encoding) : bytes
  },
}

const headerLine = ({ columns, csv: dialect, escapesFormulas, timeZone }: SheetMeta): string => {
  const headers = columns.map((column, index) => {
    const header = dialect.dates === 'iso' ? column.header : zonedHeader(column, timeZone)
    return quote(escapesFormulas ? escapeFormula(header) : header, index === 0, dialect)
  })
  return headers.join(separators[dialect.separator])
}

const cell = (column: ExportColumn, sheet: ExportSheet): string => {
  const { type } = column.ref.column
  const value = cellExpression(column)
  const inDialect = dialectForms[type.cell]?.(value, sheet)
  if (inDialect !== undefined) return inDialect
  // COPY prints the value as this cast does, in a fifth less time for the whole row; but of a boolean only a letter.
  const isPrintedAlike = type.csvText === asText && type.cell !== 'boolean'
  const text = isPrintedAlike ? value : type.csvText(value)
  const isFreeText = type.isFreeText || column.names !== undefined
  return sheet.escapesFormulas && isFreeText ? guardFormula(text) : text
}

type DialectForm = (value: string, sheet: ExportSheet) => string | undefined

/** SQL of the values that dialects write in other forms; undefined: as usual. */
const dialectForms: Partial<Record<CellKind, DialectForm>> = {
  // Spreadsheets that expect a decimal comma read 1.5 as the first of May.
  decimal: (value, { csv: { decimal } }) =>
    decimal === 'point' ? undefined : `translate(${value}::text, '.', '${decimalMarks[decimal]}')`,
  date: (value, { csv: { dates } }) =>
    dates === 'iso' ? undefined : `to_char(${value}::timestamp, '${dates.toUpperCase()}')`,
  timestamp: (value, sheet) => (sheet.csv.dates === 'iso' ? undefined : localTime(value, sheet)),
}

/** A moment as its local time, or as usual where that would be read as another moment or as none (dateForms). */
const localTime = (value: string, { csv: dialect, timeZone }: ExportSheet): string => {
  // Each takes as long as everything else together, so most rows ask for three.
  const at = (moment: string) => `(${moment} AT TIME ZONE ${pg.escapeLiteral(timeZone)})`
  const local = at(value)
  // If clocks were put back in the last day, the local time may have been there before.
  const [before, day] = [at(`(${value} - interval '24 hours')`), `(${local} - interval '24 hours')`]
  const isSecond = `${before} > ${day} AND ${at(`(${value} - (${before} - ${day}))`)} = ${local}`
  const form = `${dialect.dates.toUpperCase()} HH24:MI:SS`
  return `CASE
    WHEN ${value} < timestamptz '0001-01-03 00:00Z' OR ${value} >= timestamptz '9999-12-30 00:00Z'
      OR (${isSecond}) THEN ${fieldTypes.timestamp.csvText(value)}
    WHEN ${value} = date_trunc('second', ${value}) THEN to_char(${local}, '${form}')
    ELSE to_char(${local}, '${form}${decimalMarks[dialect.decimal]}MS')
  END`
}

/** A line of texts that the service has itself, with formulas escaped. */
export const csvLine = (texts: readonly string[]): string => {
  const fields = texts.map((one, index) =>
    one === '' ? '' : quote(escapeFormula(one), index === 0, standardCsv),
  )
  return `${fields.join(',')}\r\n`
}

// Programs guess the format of a file from its first characters, whatever its name is: Excel takes a text that begins
// with ID for SYLK, and one that begins with < for HTML.
const looksLikeAnother = /^(?:ID|PK|TABLE|[<{%])/

const quote = (text: string, isFirst: boolean, { quoting, separator }: CsvDialect): string =>
  quoting === 'all' ||
  text === '' ||
  /[",;\r\n]/.test(text) ||
  text.includes(separators[separator]) ||
  (isFirst && looksLikeAnother.test(text))
    ? `"${text.replaceAll('"', '""')}"`
    : text
