/**
 * What a cell gives, or what is wrong with it or its row, and the words that several faults have. Faults arise where the file is read
 * (import-thread.ts), in the checks of all rows (check-rows.ts, dependent-rows.ts, given-numbers.ts), and where a row is written or tried
 * (write-single-row.ts).
 */
import type { Entity } from '../definitions/catalog.ts'
import { tooLongForIndex } from '../definitions/values/check-text.ts'
import type { SqlValue } from '../definitions/values/check-value.ts'
import { shorten } from '../issues.ts'
import type { Access } from '../query/access.ts'
import type { ImportColumn, ImportPlan } from './import-plan.ts'
import { type CellNote, readCell } from './read/cell-value.ts'
import type { MappedColumn } from './read/mapping.ts'
import type { Cell } from './read/sheet.ts'

/** Kinds of faults that programs can explain in their own words; others have a message alone. */
export const faultRules = [
  'malformed',
  'refused',
  'required',
  'link',
  'unmatched',
  'unique',
  'repeated',
  'leadsToFault',
  'leadsBack',
  'sameRecord',
] as const

type Reason = {
  readonly rule?: (typeof faultRules)[number]
  /** Of `refused`: what the cell was read as. */
  readonly value?: string
  /** Of `unique` and `repeated`: the heads of several columns that are unique together. */
  readonly columns?: readonly string[]
  /** Of `repeated`: the row of the file that has the same. Of `leadsToFault` and `sameRecord`: the row that has the fault. */
  readonly other_row?: number
}

/** What is wrong with a cell, or with a whole row. */
export type RowFault = Reason & {
  /** The head of the column; null: the whole row, or several columns. */
  readonly column: string | null
  /** What the cell has, or its beginning. */
  readonly text: string | null
  readonly message: string
  /** Of reading: what the checks find is forgotten when they run again. */
  readonly isRead?: true
}

/** What reading finds wrong with a cell. */
type CellFault = Pick<Reason, 'rule' | 'value'> & { readonly fault: string }

export const readFault = (
  column: string,
  text: string,
  { fault, ...reason }: CellFault,
): RowFault => ({ column, text, message: fault, ...reason, isRead: true })

type Reader = { readonly context: { readonly access: Pick<Access, 'readScope'> } }

/** The beginning of the message about a link; like that of a write, it names no entity that the caller may not read. */
export const lackingText = ({ context }: Reader, { path }: Pick<ImportColumn, 'path'>): string => {
  const name = path && context.access.readScope(path.target) !== 'none' ? path.target.key : 'record'
  return path?.column.name === 'id' ? `there is no ${name} ` : `there is no ${name} with "`
}

/** The end of that message, after what the cell has. */
export const afterLacking = ({ path, link }: Pick<ImportColumn, 'path' | 'link'>): string =>
  path?.column.name === 'id' ? ' that you may read' : `" as its ${link} that you may read`

/** The message about a row of a record of which another row has a fault, before and after that row. */
export const sameRecordText = [
  'belongs to the same record as row ',
  ' of the file, which has a fault',
] as const

/** The message about a row that matches no record. */
export const unmatchedText = (
  { key }: Pick<Entity, 'key'>,
  { match }: Pick<ImportPlan, 'match'>,
): string => {
  const names = match.map((name) => `"${name}"`).join(' and ')
  return `there is no ${key} with this ${names} that you may read`
}

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
