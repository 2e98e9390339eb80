/** What a list shows, as its address says it: filter, order, columns. The address is the whole state. */
import type { ListRequest } from '../../api/queries.ts'
import type { Condition, Criteria, Entity } from '../../api/types.ts'
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
  /** The saved view that it began with. */
  readonly view?: number
  /** Words that the records contain, as `$search` of criteria. */
  readonly q?: string
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const isCondition = (value: unknown): value is Condition =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseListSearch = (search: Readonly<Record<string, unknown>>): ListSearch => ({
  ...(isCondition(search.w) && { w: search.w }),
  ...(isTexts(search.s) && { s: search.s }),
  ...(isTexts(search.c) && { c: search.c }),
  ...(typeof search.view === 'number' && { view: search.view }),
  ...(typeof search.q === 'string' && search.q !== '' && { q: search.q }),
})

/** Whether the search only names a saved view, which says the rest. */
export const isViewAlone = (search: ListSearch): boolean =>
  search.view !== undefined && Object.keys(search).length === 1

/**
 * The search as an address says it. A view alone stands for what the view holds, so a list that shows everything says
 * so by an empty filter.
 */
export const explicit = (search: ListSearch): ListSearch =>
  isViewAlone(search) ? { ...search, w: {} } : search

/** Whether it shows only some of the records. */
export const isFiltered = ({ w = {}, q }: ListSearch): boolean =>
  Object.keys(w).length > 0 || q !== undefined

// Newest first, which the primary key gives. It stands in no address, so that what a view or a user orders is told apart.
const usualOrder: readonly string[] = ['-id']

/** The order of the rows, as `$orderBy`: that of the address, else the usual one. */
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

/** The search with a column in the next order: ascending, descending, none; beside others or alone. */
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

/** The search with these columns; without them those that a list has at the beginning. */
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

/** Without the column that names records, the first one without a link of its own leads to them. */
const withLeading = (columns: readonly ListColumn[], { displayField }: Entity) => {
  if (columns.some(({ path }) => path === displayField)) return columns
  const leading = columns.findIndex(({ link }) => link === undefined)
  return columns.map((column, at) =>
    at === leading ? { ...column, leads: true as const } : column,
  )
}

/** What a list asks the service for. */
export const requestOf = (
  search: ListSearch,
  entity: Entity,
  columns: readonly ListColumn[],
): ListRequest => ({ entity: entity.key, criteria: criteriaOf(search, entity, columns) })

/** The criteria of the rows: what the columns need, in the order. */
const criteriaOf = (
  search: ListSearch,
  entity: Entity,
  columns: readonly ListColumn[],
): Omit<Criteria, '$count'> => ({
  ...(search.w && { $where: search.w }),
  ...(search.q !== undefined && { $search: search.q }),
  $orderBy: orderOf(search),
  // The version goes with every change of a row. Columns in another order are the same rows.
  $select: [
    ...new Set(['id', '_version', entity.displayField, ...columns.flatMap(pathsOf)]),
  ].toSorted(),
})
