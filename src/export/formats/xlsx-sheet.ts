/** The parts of a worksheet before and after its rows (ECMA-376, part 1, 18.3): widths, header and filter. */
import type { SheetColumn } from '../export-format.ts'
import { escapeXml } from './xlsx-parts.ts'
import { headerStyle } from './xlsx-styles.ts'

const opening =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'

/** Everything before the first row of data; the header stays visible and names the time zone. */
export const sheetHead = (columns: readonly SheetColumn[], timeZone: string): string => {
  const headers = columns.map(({ header, cell }) =>
    cell === 'timestamp' ? `${header} (${timeZone})` : header,
  )
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
