/**
 * The parts of a workbook besides its rows (ECMA-376, part 1): its files, its styles as one list whose positions the
 * cells name (18.8), and what comes before and after the rows of a sheet: widths, header and filter (18.3).
 */
import type { SheetColumn } from '../export-format.ts'

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

const escapeXml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

/** A name that Excel takes: 31 characters with a number behind it, none of these, no apostrophe at an end, not its own. */
const sheetName = (name: string): string => {
  const allowed = name.replaceAll(/[[\]:*?/\\\p{Cc}]/gu, ' ').slice(0, 27)
  // Half a character may be left at the end.
  const base = allowed.toWellFormed().replaceAll(/^['\s]+|['\s\uFFFD]+$/g, '')
  return base === '' ? 'Sheet' : /^history$/i.test(base) ? `${base} 1` : base
}

/** Sheets are named after the entity; further ones are numbered. */
export const workbook = (sheets: number, name: string): string => {
  const base = sheetName(name)
  const list = numbersTo(sheets).map(
    (number) =>
      `<sheet name="${escapeXml(number === 1 ? base : `${base} ${number}`)}" sheetId="${number}" r:id="rId${number}"/>`,
  )
  return `${declaration}<workbook xmlns="${spreadsheet}" xmlns:r="${office}"><sheets>${list.join('')}</sheets></workbook>`
}

export const workbookRelationships = (sheets: number): string => {
  const list = numbersTo(sheets).map(
    (number) =>
      `<Relationship Id="rId${number}" Type="${office}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  )
  const style = `<Relationship Id="rId${sheets + 1}" Type="${office}/styles" Target="styles.xml"/>`
  return `${declaration}<Relationships xmlns="${packages}/relationships">${list.join('')}${style}</Relationships>`
}

export const relationships = `${declaration}<Relationships xmlns="${packages}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`

export const contentTypes = (sheets: number): string => {
  const main = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const list = numbersTo(sheets).map(
    (number) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${main}.worksheet+xml"/>`,
  )
  return `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${main}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${main}.styles+xml"/>${list.join('')}</Types>`
}

// A spreadsheet computes with 15 digits, so a number with more decimals is written as text.
const largestScale = 14

// In codes of formats the point and the comma stand for those of the reader's program.
const numbers = Array.from({ length: largestScale + 1 }, (_, scale) =>
  scale === 0 ? '#,##0' : `#,##0.${'0'.repeat(scale)}`,
)

const dayParts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {
  day: 'dd',
  month: 'mm',
  year: 'yyyy',
}

/** How a locale writes a day in numbers, such as `dd.mm.yyyy`. */
const dayCode = (locale: string | undefined): string => {
  if (locale === undefined) return 'yyyy-mm-dd'
  const format = new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    timeZone: 'UTC',
    calendar: 'gregory',
    numberingSystem: 'latn',
  })
  return format
    .formatToParts(0)
    .map(({ type, value }) => dayParts[type] ?? literal(value))
    .join('')
}

/** Other characters than these would be codes themselves; marks of direction are none of the format. */
const literal = (text: string): string =>
  text.replaceAll(/\p{Cf}/gu, '').replaceAll(/[^-./ ]/gu, (character) => `"${character}"`)

const formatsOf = (locale: string | undefined): readonly string[] => {
  const day = dayCode(locale)
  return [day, `${day} hh:mm:ss`, ...numbers]
}
// Ids below 164 are built-in formats.
const firstFormat = 164

const numberFormat = (code: string, index: number) =>
  `<numFmt numFmtId="${firstFormat + index}" formatCode="${escapeXml(code)}"/>`
const formatted = (index: number) =>
  `<xf numFmtId="${firstFormat + index}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`

const plain = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
const header =
  '<xf numFmtId="0" fontId="1" fillId="2" borderId="1" xfId="0" applyFont="1" applyFill="1" applyBorder="1"/>'

// 0 plain, 1 date, 2 time, 3 header, and from 4 on numbers with 0, 1, … digits after the point.
const cellFormats = [
  plain,
  formatted(0),
  formatted(1),
  header,
  ...numbers.map((_, scale) => formatted(2 + scale)),
]
const headerStyle = 3

/** The style attribute of a cell that shows this many decimals. */
export const styleOfScale = (scale: number | undefined): string =>
  scale === undefined || scale > largestScale ? '' : ` s="${4 + scale}"`

const list = (name: string, items: readonly string[]): string =>
  `<${name} count="${items.length}">${items.join('')}</${name}>`

const font = (inside: string) =>
  `<font>${inside}<sz val="11"/><name val="Calibri"/><family val="2"/></font>`
const fill = (inside: string) => `<fill><patternFill ${inside}</fill>`

/** The part `xl/styles.xml`. */
export const styles = (locale: string | undefined): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><styleSheet xmlns="${spreadsheet}">${[
    list('numFmts', formatsOf(locale).map(numberFormat)),
    list('fonts', [font(''), font('<b/>')]),
    list('fills', [
      fill('patternType="none"/>'),
      fill('patternType="gray125"/>'),
      fill('patternType="solid"><fgColor rgb="FFE8EDF2"/><bgColor indexed="64"/></patternFill>'),
    ]),
    list('borders', [
      '<border><left/><right/><top/><bottom/><diagonal/></border>',
      '<border><left/><right/><top/><bottom style="thin"><color rgb="FF8A97A6"/></bottom><diagonal/></border>',
    ]),
    list('cellStyleXfs', ['<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>']),
    list('cellXfs', cellFormats),
    list('cellStyles', ['<cellStyle name="Normal" xfId="0" builtinId="0"/>']),
  ].join('')}</styleSheet>`

const opening =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'

/** The header of a column whose times are local. */
export const zonedHeader = ({ header, cell }: SheetColumn, timeZone: string): string =>
  cell === 'timestamp' ? `${header} (${timeZone})` : header

/** Everything before the first row of data; the header stays visible and names the time zone. */
export const sheetHead = (columns: readonly SheetColumn[], timeZone: string): string => {
  const headers = columns.map((column) => zonedHeader(column, timeZone))
  const widths = columns.map(({ width }, index) => widthOf(width, headers[index] ?? ''))
  return `${opening}<cols>${widths.map(columnWidth).join('')}</cols><sheetData>${headerRow(headers)}`
}

/** After the last row: the filter of the header row. `rows` includes the header. */
export const sheetTail = (columns: number, rows: number): string =>
  `</sheetData><autoFilter ref="A1:${columnName(columns)}${rows}"/></worksheet>`

// In characters of the default font, with room for the filter button.
const [narrowest, widest, button] = [8, 60, 4]

const widthOf = (typical: number, header: string): number => {
  const line = Math.max(...header.split(/\r\n|\r|\n/).map((text) => text.length))
  return Math.min(widest, Math.max(narrowest, typical + 1, line + button))
}

const columnWidth = (width: number, index: number): string =>
  `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`

const headerRow = (headers: readonly string[]): string => {
  const cells = headers.map(
    (header) =>
      `<c t="inlineStr" s="${headerStyle}"><is><t xml:space="preserve">${escapeXml(header)}</t></is></c>`,
  )
  return `<row>${cells.join('')}</row>`
}

/** 1 is A, 26 Z, 27 AA. */
const columnName = (number: number): string =>
  number === 0
    ? ''
    : `${columnName(Math.floor((number - 1) / 26))}${String.fromCharCode(65 + ((number - 1) % 26))}`
