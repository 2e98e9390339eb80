/** The state of a list, which is its address: filter, order, columns. */
import type { ListRequest } from '../../api/queries.ts'
import type { Condition, Entity } from '../../api/types.ts'
import { isObject, isTexts } from '../session/address-values.ts'
import { columnsAt, type Entities, type ListColumn, pathsOf } from '../values/columns.ts'
import { defaultPaths } from '../values/main-columns.ts'

/** The search parameters of a list. */
export type ListSearch = {
  /** The filter, as `$where` of criteria. */
  readonly w?: Condition
  /** The order, as `$orderBy` of criteria. */
  readonly s?: readonly string[]
  /** Paths of the columns. */
  readonly c?: readonly string[]
  /** The saved view from which it was opened. */
  readonly view?: number
  /** Words that the records contain, as `$search` of criteria. */
  readonly q?: string
}

/** Reads an address, which users may have written by hand; invalid parts are left out. */
export const parseListSearch = (search: Readonly<Record<string, unknown>>): ListSearch => ({
  ...(isObject(search.w) && { w: search.w }),
  ...(isTexts(search.s) && { s: search.s }),
  ...(isTexts(search.c) && { c: search.c }),
  ...(typeof search.view === 'number' && { view: search.view }),
  ...(typeof search.q === 'string' && search.q !== '' && { q: search.q }),
})

/** Whether the address contains nothing but a saved view. */
export const isViewAlone = (search: ListSearch): boolean =>
  search.view !== undefined && Object.keys(search).length === 1

/**
 * The search as it is written into an address. A view alone stands for what the view contains, so a list that shows all
 * records gets an empty filter.
 */
export const explicit = (search: ListSearch): ListSearch =>
  isViewAlone(search) ? { ...search, w: {} } : search

/** Whether it shows only some of the records. */
export const isFiltered = ({ w = {}, q }: ListSearch): boolean =>
  Object.keys(w).length > 0 || q !== undefined

// Newest first, by the primary key. It is never written into an address, where an order is one of a view or a user.
const usualOrder: readonly string[] = ['-id']

/** The order of the rows, as `$orderBy`: that of the address, or the usual one. */
export const orderOf = ({ s = [] }: ListSearch): readonly string[] =>
  s.length > 0 ? s : usualOrder

export type Sorting = { readonly path: string; readonly isDescending: boolean }

export const sortingsOf = ({ s = [] }: ListSearch): readonly Sorting[] =>
  s.map((one) =>
    one.startsWith('-')
      ? { path: one.slice(1), isDescending: true }
      : { path: one, isDescending: false },
  )

const printSortings = (sortings: readonly Sorting[]): ListSearch['s'] =>
  sortings.length === 0
    ? undefined
    : sortings.map(({ path, isDescending }) => (isDescending ? `-${path}` : path))

/** The search with the next order of a column: ascending, descending, none; added to others or alone. */
export const withNextOrder = (search: ListSearch, path: string, isAdded: boolean): ListSearch => {
  const now = sortingsOf(search)
  const found = now.find((one) => one.path === path)
  const next = found === undefined ? [{ path, isDescending: false }] : []
  const changed = found && !found.isDescending ? [{ path, isDescending: true }] : next
  const others = now.filter((one) => one.path !== path)
  return withOrder(search, isAdded ? [...others, ...changed] : changed)
}

/** The search with this order. */
export const withOrder = (
  { s: _s, ...rest }: ListSearch,
  sortings: readonly Sorting[],
): ListSearch => {
  const s = printSortings(sortings)
  return s ? { ...rest, s } : rest
}

/** The search with this filter. */
export const withFilter = (
  { w: _w, ...rest }: ListSearch,
  where: Condition | undefined,
): ListSearch => (where && Object.keys(where).length > 0 ? { ...rest, w: where } : rest)

/** The search with these words. */
export const withWords = ({ q: _q, ...rest }: ListSearch, words: string): ListSearch =>
  words === '' ? rest : { ...rest, q: words }

/** The search with these columns; undefined stands for the default columns. */
export const withColumns = (
  { c: _c, ...rest }: ListSearch,
  paths: readonly string[] | undefined,
): ListSearch => (paths ? { ...rest, c: paths } : rest)

/** The columns that the list shows, in their order. */
export const shownColumns = (
  { c }: ListSearch,
  entity: Entity,
  entities: Entities,
): readonly ListColumn[] => {
  const shown = columnsAt(c ?? defaultPaths(entity, entities), entity, entities)
  return withLeading(shown.length > 0 ? shown : columnsAt(['id'], entity, entities), entity)
}

/** If the column that names records is missing, the first one that is no link leads to them. */
const withLeading = (columns: readonly ListColumn[], { displayField }: Entity) => {
  if (columns.some(({ path }) => path === displayField)) return columns
  const leading = columns.findIndex(({ link }) => link === undefined)
  return columns.map((column, at) =>
    at === leading ? { ...column, leads: true as const } : column,
  )
}

/** The request for the rows of a list. */
export const requestOf = (
  search: ListSearch,
  entity: Entity,
  columns: readonly ListColumn[],
): ListRequest => ({
  entity: entity.key,
  criteria: {
    ...(search.w && { $where: search.w }),
    ...(search.q !== undefined && { $search: search.q }),
    $orderBy: orderOf(search),
    // Every change of a row sends its version. Sorted, because columns in another order need no other rows.
    $select: [
      ...new Set(['id', '_version', entity.displayField, ...columns.flatMap(pathsOf)]),
    ].toSorted(),
  },
})
