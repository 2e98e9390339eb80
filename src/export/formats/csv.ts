/** CSV by RFC 4180, formatted by PostgreSQL itself: null is an empty field, the empty string `""`. */

import type { Batch } from '../../database/copy.ts'
import { asText } from '../../definitions/field-types/field-type.ts'
import {
  cellExpression,
  type ExportColumn,
  type ExportFormat,
  type ExportSheet,
  type SheetMeta,
  separators,
} from '../export-format.ts'

/** CRLF, header always. */
export const csv: ExportFormat = {
  name: 'csv',
  contentType: 'text/csv; charset=utf-8',
  extension: 'csv',
  copyOptions: ({ separator }) => `FORMAT csv, DELIMITER '${separators[separator]}'`,
  rowTerminator: { end: '\r\n', separator: '' },
  longestCell: undefined,
  list: (sheet) => sheet.columns.map((column) => cell(column, sheet)).join(', '),
  encode: async function* (batches: AsyncIterable<Batch>, meta: SheetMeta) {
    const headers = meta.columns.map(({ header }, index) =>
      quote(meta.escapesFormulas ? escapeFormula(header) : header, index === 0),
    )
    const line = headers.join(separators[meta.separator])
    yield Buffer.from(`${meta.hasByteOrderMark ? '\uFEFF' : ''}${line}\r\n`)
    for await (const { bytes } of batches) yield bytes
  },
}

const cell = (column: ExportColumn, { escapesFormulas, separator }: ExportSheet): string => {
  const { type } = column.ref.column
  const value = cellExpression(column)
  // COPY prints the value as this cast does, in a fifth less time for the whole row; but of a boolean only a letter.
  const isPrintedAlike = type.csvText === asText && type.cell !== 'boolean'
  const text = isPrintedAlike ? value : type.csvText(value)
  // Spreadsheets that expect a semicolon between fields read 1.5 as the first of May.
  if (type.cell === 'decimal' && separator === 'semicolon')
    return `translate(${value}::text, '.', ',')`
  const isFreeText = type.isFreeText || column.names !== undefined
  return escapesFormulas && isFreeText ? guardFormula(text) : text
}

// A plain number ("-12.5") or a phone number ("+49 (30) 1234-5") is safe.
const harmless = '[+-][0-9]+([.,][0-9]+)*|[+][0-9][0-9 ()./-]{3,24}'
const isHarmless = new RegExp(`^(?:${harmless})$`)

// What a spreadsheet may read as the start of a formula, also after a line feed and in full width (OWASP,
// CSV Injection). JavaScript and PostgreSQL read the patterns alike.
const signs = '=@+\\uFF0B\\uFF0D\\uFF1D\\uFF20-'
const beginning = `^[\\t\\r\\n${signs}]`
const isFormula = new RegExp(beginning)

// Where the list separator of the reader's country is a semicolon, a spreadsheet begins a cell after it, also
// inside of quotes.
const afterSemicolon = `(;"*)(?=[${signs}])(?!(?:${harmless})(?:;|$))`
const afterSemicolons = new RegExp(afterSemicolon, 'g')

/**
 * Text that begins like a formula gets an apostrophe. Every such character sorts before "A", or at or
 * after the first full-width one, so two cheap comparisons settle nearly every text.
 */
const guardFormula = (text: string): string => {
  const guarded = `CASE
    WHEN strpos(${text}, ';') > 0
    THEN regexp_replace(${text}, '${afterSemicolon}', '\\1''', 'g')
    ELSE ${text}
  END`
  return `CASE
    WHEN (${text} COLLATE "C" < 'A' OR ${text} COLLATE "C" >= '\uFF0B')
      AND ${text} ~ '${beginning}' AND ${text} !~ '^(${harmless})$'
    THEN ''''||${guarded}
    ELSE ${guarded}
  END`
}

const escapeFormula = (text: string): string => {
  const guarded = text.replaceAll(afterSemicolons, "$1'")
  return isFormula.test(text) && !isHarmless.test(text) ? `'${guarded}` : guarded
}

/** A line of texts that the service has itself, with formulas escaped. */
export const csvLine = (texts: readonly string[]): string =>
  `${texts.map((one, index) => (one === '' ? '' : quote(escapeFormula(one), index === 0))).join(',')}\r\n`

// Programs guess the format of a file from its first characters, whatever its name is: Excel takes a text that begins
// with ID for SYLK, and one that begins with < for HTML.
const looksLikeAnother = /^(?:ID|PK|TABLE|[<{%])/

const quote = (text: string, isFirst: boolean): string =>
  text === '' || /[",;\r\n]/.test(text) || (isFirst && looksLikeAnother.test(text))
    ? `"${text.replaceAll('"', '""')}"`
    : text
