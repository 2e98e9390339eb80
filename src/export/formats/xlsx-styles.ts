/** The styles of a workbook (ECMA-376, part 1, 18.8): one list, whose positions the cells name. */

import { escapeXml } from './xlsx-parts.ts'

const spreadsheet = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'

// A spreadsheet computes with 15 digits, so a number with more decimals is written as text.
const largestScale = 14

// In codes of formats the point and the comma stand for those of whoever reads the workbook.
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
export const headerStyle = 3

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
