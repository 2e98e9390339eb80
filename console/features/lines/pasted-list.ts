/** The list into which a range is pasted: its rows from a place on, and the columns in which they are shown. */
import type { QueryClient } from '@tanstack/react-query'
import type { ListRequest } from '../../api/queries.ts'
import { type ListRow, rowsPerWindow, windowQuery } from '../../api/rows/rows.ts'
import type { Entity } from '../../api/types.ts'
import { isFileField } from '../files/file-values.ts'
import { columnsOf, type Entities, type ListColumn } from '../values/columns.ts'
import { isEntered } from '../values/own-fields.ts'
import { ownFieldOf } from './related.ts'
import { readTable } from './table-text.ts'
import { mostLines } from './use-lines.ts'

export type PastedList = {
  readonly entity: Entity
  readonly list: ListRequest
  readonly columns: readonly ListColumn[]
  readonly rowAt: (index: number) => ListRow | undefined
}

/** Whether the user may change or add records in a list: those of native entities are written by themselves. */
export const takesPaste = ({ isNative, permissions }: Entity): boolean =>
  !isNative && (permissions.create || permissions.update !== false)

/** The columns of the list, and those that a new record needs besides. */
export const typedInList = (
  entity: Entity,
  columns: readonly ListColumn[],
  entities: Entities,
): readonly ListColumn[] => {
  const shown = new Set(columns.map(({ path }) => path))
  const needed = columnsOf(entity, entities).filter((column) => {
    const field = ownFieldOf(entity, column)
    const isTypedIn = field && isEntered(field) && !isFileField(field)
    return isTypedIn && field.required && !shown.has(column.path)
  })
  return entity.permissions.create ? [...columns, ...needed] : columns
}

/** The rows of a list that a text is pasted over; those that were not in view yet are read. */
export const readRows = async (
  client: QueryClient,
  { list, rowAt }: Pick<PastedList, 'list' | 'rowAt'>,
  first: number,
  text: string,
): Promise<readonly ListRow[]> => {
  const rows: ListRow[] = []
  const end = first + Math.min(readTable(text).length, mostLines)
  for (let at = first; at < end; at++) {
    const row = rowAt(at) ?? (await rowIn(client, list, at))
    if (!row) break
    rows.push(row)
  }
  return rows
}

const rowIn = async (client: QueryClient, list: ListRequest, at: number) => {
  const { rows } = await client.fetchQuery(windowQuery(list, Math.floor(at / rowsPerWindow)))
  return rows[at % rowsPerWindow]
}
