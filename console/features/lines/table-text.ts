/** Ranges of cells as spreadsheets copy and paste them: texts with tabs between cells and line ends between rows. */
import type { Entity, RecordRow } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import { type Reading, valueAt } from '../format/format-value.ts'
import { type ListColumn, textAt } from '../values/columns.ts'
import { isMoment, toLocalTime } from '../values/local-text.ts'
import { toNumberText } from '../values/number-text.ts'

const needsQuotes = /[\t\r\n"]/

/** Cells that contain a tab, a line end or a quotation mark stand in quotation marks, which are doubled in them. */
export const printTable = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((cells) =>
      cells
        .map((text) => (needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
        .join('\t'),
    )
    .join('\r\n')

/** The cells of a copied text. A quotation mark inside of a cell, such as that of inches, is no beginning. */
export const readTable = (text: string): readonly (readonly string[])[] => {
  const rows: string[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"(?=\t|\r?\n|$)|([^\t\r\n]*))(\t|\r?\n|\r|$)/y
  const whole = text.replace(/(\r?\n|\r)$/, '')
  while (cell.lastIndex <= whole.length) {
    const found = cell.exec(whole)
    if (!found) break
    const [, quoted, plain = '', end = ''] = found
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === '') break
    if (end !== '\t') rows.push([])
  }
  return rows
}

/**
 * A cell as a spreadsheet of the same language reads it: numbers without unit and marks between groups, days as ISO 8601; all
 * other values as they are shown.
 */
export const copiedText = (
  row: RecordRow,
  column: ListColumn,
  { reading, entity }: { readonly reading: Reading; readonly entity: Entity },
): string => {
  const value = valueAt(row, column.place)
  if (column.path === '_step') {
    const step = entity.workflow?.steps.find(({ key }) => key === value)
    return step?.name ?? String(value ?? '')
  }
  const { isNumber, time } = kindOf(column.field)
  if (isNumber) return toNumberText(value, reading.locale)
  if (time === 'day') return String(value ?? '')
  if (time === 'moment' && isMoment(String(value ?? '')))
    return toLocalTime(String(value), reading.timeZone)
      .replace('T', ' ')
      .replace(/\.000$/, '')
  return textAt(row, column, reading)
}
