/**
 * What is wrong with a row of a file, and the words that several faults have. Faults arise in three places: where the file is read
 * (import-thread.ts), in the checks of all rows (check-rows.ts, given-numbers.ts), and where a row is written or tried
 * (write-single-row.ts).
 */
import type { Entity } from '../definitions/catalog.ts'
import type { Access } from '../query/access.ts'
import type { ImportColumn, ImportPlan } from './import-plan.ts'

/** Kinds of faults that programs can explain in their own words; others have a message alone. */
export const faultRules = [
  'malformed',
  'refused',
  'required',
  'link',
  'unmatched',
  'unique',
  'repeated',
] as const

type Reason = {
  readonly rule?: (typeof faultRules)[number]
  /** Of `refused`: what the cell was read as. */
  readonly value?: string
  /** Of `unique` and `repeated`: the heads of several columns that are unique together. */
  readonly columns?: readonly string[]
  /** Of `repeated`: the row of the file that has the same. */
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
export type CellFault = Pick<Reason, 'rule' | 'value'> & { readonly fault: string }

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

/** The message about a row that matches no record. */
export const unmatchedText = (
  { key }: Pick<Entity, 'key'>,
  { match }: Pick<ImportPlan, 'match'>,
): string => {
  const names = match.map((name) => `"${name}"`).join(' and ')
  return `there is no ${key} with this ${names} that you may read`
}
