/** What a pasted range says for the cells from one on: values by row and column, for cells that the user may enter. */
import type { Field } from '../../api/types.ts'
import { kindOf } from '../format/field-kinds.ts'
import type { Reading } from '../format/format-value.ts'
import type { Entities } from '../values/columns.ts'
import { findNamed, type NamedRecord, readCell } from './read-cells.ts'

/** A value for a cell, by how far its row is below the first one. */
export type PastedCell = {
  readonly row: number
  /** How far it is behind the first column. */
  readonly at: number
  readonly field: Field
  readonly value: unknown
  readonly linked: string | undefined
}

/** The fields that a pasted row writes, from the first column on; undefined for those that it leaves as they are. */
export type PasteFields = readonly (Field | undefined)[]

/** Reads pasted cells; links are found by what records are called, if only one is called so. */
export const readPasted = async (
  table: readonly (readonly string[])[],
  fields: PasteFields,
  { reading, entities }: { readonly reading: Reading; readonly entities: Entities },
): Promise<readonly PastedCell[]> => {
  const names = await Promise.all(
    fields.map((field, at) =>
      field && kindOf(field).isLink
        ? findNamed(
            field,
            table.map((cells) => cells[at] ?? ''),
            entities,
          )
        : new Map<string, NamedRecord>(),
    ),
  )
  return table.flatMap((cells, row) =>
    cells.flatMap((text, at): readonly PastedCell[] => {
      const field = fields[at]
      if (!field) return []
      if (!kindOf(field).isLink || text.trim() === '')
        return [{ row, at, field, value: readCell(text, field, reading), linked: undefined }]
      const found = names[at]?.get(text.trim())
      // A text that names no record is no id: its cell shows it as a fault.
      const name = found?.name ?? text.trim()
      return [{ row, at, field, value: found?.id ?? name, linked: name }]
    }),
  )
}
