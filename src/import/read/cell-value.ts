/** The value of a cell as the JSON of a write has it, or what is wrong with it in words of spreadsheets. */
import type { LinkPath, MappedColumn } from './mapping.ts'
import type { Cell } from './sheet.ts'

/** What was done to a cell and is to be said once for a column, with how many cells there are. */
export type CellNote = 'blanks' | 'number as text' | 'percent' | 'unit'

/**
 * `value` goes through the check of the field (`column.column.type.check`), which has the rules of its values; `null`: the cell is empty.
 * `link`: the text by which the record is found; whole numbers are plain.
 */
export type ReadResult =
  | { readonly value: unknown; readonly note?: CellNote }
  | { readonly link: { readonly path: LinkPath; readonly text: string }; readonly note?: CellNote }
  | { readonly fault: string }

export const readCell = (_column: MappedColumn, _cell: Cell): ReadResult => ({ fault: '' })
