/**
 * XLSX (ECMA-376) as a stream: PostgreSQL writes each row's XML, this adds the workbook around it and
 * zips. After Excel's limit of 1,048,576 rows it continues in another sheet, so no row is lost.
 */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import pg from 'pg'
import { ZipFile } from 'yazl'
import type { Batch } from '../../database/copy.ts'
import { concatenated } from '../../database/sql.ts'
import type { CellKind, Digits } from '../../definitions/field-types/field-type.ts'
import {
  cellExpression,
  type ExportColumn,
  type ExportFormat,
  rowAsItIs,
  type SheetMeta,
} from '../export-format.ts'
import {
  contentTypes,
  relationships,
  sheetHead,
  sheetTail,
  styleOfScale,
  styles,
  workbook,
  workbookRelationships,
} from './xlsx-parts.ts'

const maxRows = 1_048_576
// Excel rejects a file with a longer text.
const longestCell = 32_767
// A quarter of the processor time of the usual level 6, for a file that is a fifth larger: sheets repeat so much that
// more effort hardly shortens them.
const compressionLevel = 2

export const xlsx: ExportFormat = {
  name: 'xlsx',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  extension: 'xlsx',
  copyOptions: rowAsItIs,
  rowTerminator: { end: '', separator: '' },
  refusal: () => ({
    code: 'export.cell-too-long',
    mayConcern: (type) => type.mayExceed(longestCell),
    wrongPart: (text) => `CASE WHEN ${isLongerThan(longestCell, text)} THEN '' END`,
    says: [`A cell of xlsx holds ${longestCell} characters; longer texts are in `, '.'],
  }),
  list: ({ columns, timeZone }) =>
    concatenated([`'<row>'`, ...columns.map((column) => cell(column, timeZone)), `'</row>'`]),
  encode: async function* (batches: AsyncIterable<Batch>, meta: SheetMeta) {
    const zip = new ZipFile()
    const output = new PassThrough()
    const cancelled = new AbortController()
    const fail = (error: Error) => output.destroy(error)
    zip.on('error', fail)
    zip.outputStream.pipe(output)
    const writing = writeSheets(zip, batches, meta, cancelled.signal).catch(fail)
    try {
      for await (const chunk of output) yield chunk as Buffer
    } finally {
      // The reader may leave early: then nothing drains any more, and the row source must end.
      cancelled.abort()
      await writing
    }
  },
}

/** Ends a worksheet and begins the next one at Excel's row limit. */
const writeSheets = async (
  zip: ZipFile,
  batches: AsyncIterable<Batch>,
  { name, columns, timeZone, locale }: SheetMeta,
  signal: AbortSignal,
) => {
  const sheetStart = Buffer.from(sheetHead(columns, timeZone))
  let sheets = 0
  const begin = (): PassThrough => {
    sheets += 1
    const part = new PassThrough()
    zip.addReadStream(part, `xl/worksheets/sheet${sheets}.xml`, { compressionLevel })
    part.write(sheetStart)
    return part
  }
  let current = begin()
  let rows = 1
  for await (const batch of batches) {
    if (rows + batch.rows > maxRows) {
      current.end(sheetTail(columns.length, rows))
      current = begin()
      rows = 1
    }
    rows += batch.rows
    if (!current.write(batch.bytes)) await once(current, 'drain', { signal })
  }
  current.end(sheetTail(columns.length, rows))
  addParts(zip, sheets, { name, locale })
  zip.end()
}

const addParts = (
  zip: ZipFile,
  sheets: number,
  { name, locale }: Pick<SheetMeta, 'name' | 'locale'>,
) => {
  const parts: Record<string, string> = {
    'xl/workbook.xml': workbook(sheets, name),
    'xl/_rels/workbook.xml.rels': workbookRelationships(sheets),
    'xl/styles.xml': styles(locale),
    '_rels/.rels': relationships,
    '[Content_Types].xml': contentTypes(sheets),
  }
  for (const [path, text] of Object.entries(parts)) zip.addBuffer(Buffer.from(text), path)
}

/** SQL that prints one cell; a missing value is an empty cell, so that the next one stays in its column. */
const cell = (exported: ExportColumn, timeZone: string): string => {
  const column = cellExpression(exported)
  const { type } = exported.ref.column
  const text = type.csvText(column)
  const digits = 'unit' in exported.ref.column.field ? { scale: 0, ...type.digits } : type.digits
  return `coalesce(${cellsOf[type.cell](column, text, { timeZone, digits })},'<c/>')`
}

type CellForm = {
  readonly timeZone: string
  /** Those after the point are shown for every number of the column; undefined: as many as the number has. */
  readonly digits: Digits
}

type CellSql = (column: string, text: string, form: CellForm) => string

const inlineText = (text: string) =>
  `'<c t="inlineStr"><is><t xml:space="preserve">'||${escapedInSql(text)}||'</t></is></c>'`

const textCell: CellSql = (_column, text) => inlineText(text)

const number = (text: string, { scale }: Digits) =>
  `'<c${styleOfScale(scale)}><v>'||${text}||'</v></c>'`

// A spreadsheet computes with 15 digits, and its calendar is wrong before March 1900 and ends with the year 9999; a
// value that it cannot store exactly is written as text.
const maxDigits = 15

const numberCell: CellSql = (_column, text, { digits }) =>
  `CASE WHEN length(translate(${text},'-.','')) <= ${maxDigits}
    THEN ${number(text, digits)}
    ELSE ${inlineText(text)} END`

/** Printing a number twice takes longer than everything else, so the digits of a column that has few are not counted. */
const decimalCell: CellSql = (column, text, form) => {
  const { precision = Number.POSITIVE_INFINITY, scale = 0 } = form.digits
  // A number below 1 is printed with a zero before the point.
  const mostDigits = Math.max(precision, scale + 1)
  return mostDigits <= maxDigits ? number(text, form.digits) : numberCell(column, text, form)
}

const cellsOf: Record<CellKind, CellSql> = {
  text: textCell,
  json: textCell,
  integer: (_column, text, { digits }) => number(text, digits),
  bigint: numberCell,
  decimal: decimalCell,
  boolean: (column) =>
    `CASE WHEN ${column} THEN '<c t="b"><v>1</v></c>' WHEN NOT ${column} THEN '<c t="b"><v>0</v></c>' END`,
  date: (column, text) =>
    `CASE WHEN ${column} >= date '1900-03-01'
      THEN '<c s="1"><v>'||(${column} - date '1899-12-30')||'</v></c>'
      ELSE ${inlineText(text)} END`,
  timestamp: (column, _text, { timeZone }) => {
    const zone = pg.escapeLiteral(timeZone)
    const local = `(${column} AT TIME ZONE ${zone})`
    // Compared as moments: PostgreSQL computes those of the constants once, but a local time for each row.
    return `CASE WHEN ${column} >= (timestamp '1900-03-01 00:00' AT TIME ZONE ${zone})
        AND ${column} < (timestamp '10000-01-01 00:00' AT TIME ZONE ${zone})
      THEN '<c s="2"><v>'||round(extract(epoch FROM ${local}) / 86400 + 25569, 11)||'</v></c>'
      ELSE ${inlineText(`to_char(${local}, 'YYYY-MM-DD HH24:MI:SS.MS')`)} END`
  },
}

// Line ends would make COPY quote the row, and XML readers lose a bare carriage return.
const escapes = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ["E'\\n'", '&#10;'],
  ["E'\\r'", '_x000D_'],
] as const

/** Text without special characters, which is nearly every text, costs one comparison. */
const escapedInSql = (text: string): string => {
  const quotedUnderscore = `replace(${text},'_x','_x005F_x')`
  const replaced = escapes.reduce(
    (inner, [from, to]) => `replace(${inner},${from.startsWith('E') ? from : `'${from}'`},'${to}')`,
    quotedUnderscore,
  )
  return `CASE WHEN ${text} ~ E'[&<>\\n\\r]|_x' THEN ${replaced} ELSE ${text} END`
}

// A spreadsheet counts in UTF-16: a character outside the Basic Multilingual Plane, four bytes here, counts
// as two. So no text has more units than bytes, nor less than a quarter of them: PostgreSQL can decide most
// texts by their size alone, without reading them.
const isLongerThan = (longest: number, text: string): string =>
  `CASE WHEN octet_length(${text}) <= ${longest} THEN false
    WHEN octet_length(${text}) > ${4 * longest} OR length(${text}) > ${longest} THEN true
    ELSE 2 * length(${text}) - length(regexp_replace(${text}, '[\\U00010000-\\U0010FFFF]', '', 'g')) > ${longest} END`
