/** What a cell gives: a value by the rules of its field, or of the one by which a linked record is found, or what is wrong with it. */
import { tooLongForIndex } from '../definitions/values/check-text.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { shorten } from '../issues.ts'
import { type CellNote, readCell } from './read/cell-value.ts'
import type { MappedColumn } from './read/mapping.ts'
import type { Cell } from './read/sheet.ts'
import type { CellFault } from './row-fault.ts'

export type CellResult =
  | { readonly value: SqlValue; readonly note?: CellNote | undefined }
  | CellFault

/** The bytes that a text may have, for the indexes that hold it. */
type Limited = { readonly indexedBytes: number }

const longestValue = 200

export const cellResult = (column: MappedColumn & Limited, cell: Cell): CellResult => {
  const read = readCell(column, cell)
  if ('fault' in read) return { ...read, rule: 'malformed' }
  const { note } = read
  const { type } = column.link?.column ?? column.column
  if ('link' in read) {
    const json = type.cell === 'integer' ? Number(read.link.text) : read.link.text
    const verdict = type.checkSearched(json, column.timeZone)
    return 'rule' in verdict ? { fault: verdict.message } : { value: verdict.value, note }
  }
  if (read.value === null) return { value: null }
  const verdict = type.check(read.value, column.timeZone)
  if ('rule' in verdict) {
    const { rule, message: fault } = verdict
    // A text is read as it is.
    const isText = type.cell === 'text' || type.cell === 'json'
    return isText || rule === 'malformed'
      ? { fault, rule }
      : { fault, rule, value: shorten(String(read.value), longestValue) }
  }
  const bytes = typeof verdict.value === 'string' ? Buffer.byteLength(verdict.value) : 0
  return bytes > column.indexedBytes
    ? { fault: tooLongForIndex(bytes, column.indexedBytes) }
    : { value: verdict.value, note }
}
