/** Changes of cells: what a cell changes, whether the user may, and what becomes of it. */
import type { QueryClient } from '@tanstack/react-query'
import { queryOptions, skipToken } from '@tanstack/react-query'
import { actionsQuery, userKey } from '../../api/queries.ts'
import type { ListRow } from '../../api/rows/rows.ts'
import type { Entity, Field } from '../../api/types.ts'
import type { ListColumn } from '../values/columns.ts'
import { isOutdated } from '../values/outdated.ts'
import { isEntered } from '../values/own-fields.ts'
import type { Place } from './grid-keys.ts'

/** A cell of a row as it was on the screen when its change began. */
export type EditedCell = {
  readonly place: Place
  /** What the record is called. */
  readonly name: string
  readonly row: ListRow
  readonly listColumn: ListColumn
  /** The field of the record that it changes, and its column. */
  readonly field: Field
  readonly column: string
  /** The value that was on the screen. */
  readonly base: unknown
}

/** A changed cell: on its way, refused, changed by somebody else too, or kept since the page was closed. */
export type CellEdit = EditedCell & {
  readonly mine: unknown
  /** What the linked record is called, of a link. */
  readonly linked: string | undefined
  readonly state:
    | { readonly kind: 'saving' }
    | { readonly kind: 'kept' }
    | { readonly kind: 'refused'; readonly error: Error }
    | { readonly kind: 'conflict'; readonly row: ListRow }
}

/** A change that is to be saved. */
export type NewEdit = Omit<CellEdit, 'state'>

export type CellEdits = ReadonlyMap<string, CellEdit>

export const noEdits: CellEdits = new Map()

/** What names the cell of a record, wherever the list shows it. */
export const cellKey = (id: number, { path }: Pick<ListColumn, 'path'>): string => `${id} ${path}`

/** Whether a cell shows what its row had calculated before a change that is not saved. */
export const isRowOutdated = (edits: CellEdits, { id }: ListRow, column: ListColumn): boolean =>
  edits.size > 0 &&
  column.place.length === 1 &&
  isOutdated(column.field, (path) => edits.has(cellKey(id, { path })))

/** What the browser keeps of a change. */
export const printEdit = ({ row, name, listColumn, base, mine, linked }: NewEdit) => {
  const { id, _version: version } = row
  const kept = { id, version, name, path: listColumn.path, base, mine, linked }
  return [cellKey(id, listColumn), kept] as const
}

/** The drafts of an entity's cells: those that were changed, and the one in which is being typed. */
export const changedCellsName = (entity: string): string => `${entity} cells`
export const openCellName = (entity: string): string => `${entity} cell`

/**
 * The changes of an entity that are not saved. They are kept as what was read of the user is: over pages, until the
 * session ends.
 */
export const cellEditsQuery = (entity: string) =>
  queryOptions<CellEdits>({
    queryKey: [userKey, 'cells', entity],
    queryFn: skipToken,
    initialData: noEdits,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })

/** The row as it will be when the change is saved. */
export const withEdit = (
  row: ListRow,
  { listColumn: { link, place }, column, mine, linked }: Omit<CellEdit, 'state'>,
): ListRow => {
  const [key = column, name = ''] = place
  if (!link) return { ...row, [column]: mine }
  return { ...row, [column]: mine, [key]: mine === null ? null : { [name]: linked ?? mine } }
}

// They have an order and places inside, which a cell has no room for.
const structured: ReadonlySet<Field['type']> = new Set(['json', 'oneToMany'])

/** The field that a cell changes: the row's own, or the link whose record the cell names. */
export const editedField = (
  { fields, permissions }: Entity,
  { place, link, path }: ListColumn,
): Field | undefined => {
  if (permissions.update === false) return undefined
  const column = link ? link.idColumn : place.length === 1 ? path : undefined
  const field = fields.find((one) => one.column !== null && one.column === column)
  return field && isEntered(field) && !structured.has(field.type) ? field : undefined
}

/** Whether the user may change a record; asked of the service where the role alone does not say it. */
export const mayChange = async (
  client: QueryClient,
  { key, isNative, permissions }: Entity,
  id: number,
): Promise<boolean> => {
  const { update, conditional } = permissions
  if (update === true && !isNative && !conditional.includes('update')) return true
  const actions = await client.fetchQuery(actionsQuery(key, id)).catch(() => undefined)
  return actions?.may.update === true
}
