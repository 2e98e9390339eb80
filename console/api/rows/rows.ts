/** Rows of lists, read in windows. */
import { type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import { ApiProblem, searchRecords } from '../client.ts'
import { countQuery, type ListRequest, userKey } from '../queries.ts'
import type { RecordRow } from '../types.ts'

/** What became of a row after the list was read: it does not match the filter any more, or is not readable any more. */
type RowMark = 'left' | 'gone' | 'unread'

/** A row of a list; it stays where it is until the list is read again, and then has no mark. */
export type ListRow = RecordRow & { readonly $mark?: RowMark }

/** Rows of a list, and the cursors of those after and before them. */
export type RowWindow = Cursors & { readonly rows: readonly ListRow[] }

export const windowsKey = ({ entity, criteria }: ListRequest) =>
  [userKey, 'list', entity, criteria, 'window'] as const

/**
 * One window of a list: rows `index * rowsPerWindow` and following. It changes only when the list is read again. It is
 * read from the nearest row that is known, so neighbouring windows adjoin, whatever was added meanwhile.
 */
export const windowQuery = (list: ListRequest, index: number) =>
  queryOptions({
    queryKey: [...windowsKey(list), index],
    queryFn: async ({ client, signal }): Promise<RowWindow> => {
      const place = await placeOf(client, list, index)
      try {
        return await readWindow(list, place, signal)
      } catch (error) {
        // No cursor holds very long texts, or the values of very many columns.
        if (!(error instanceof ApiProblem && error.code === 'criteria.invalid')) throw error
        return readWindow(list, placeFromStart(index), signal)
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

const readWindow = async (
  { entity, criteria }: ListRequest,
  { cursor, limit, page }: WindowPlace,
  signal: AbortSignal,
): Promise<RowWindow> => {
  const body = { ...criteria, ...cursor }
  const answer = await searchRecords(entity, body, { limit, page, signal })
  return { rows: answer.data, next: answer.next ?? null, previous: answer.previous ?? null }
}

// So many pages are skipped in less time than another request takes.
const nearPages = 10

/**
 * From where a window is read. Where that is far, a count of the rows and the window before it are waited for if they are being read, and
 * the last one is read first if the end of the list is nearer than what is known.
 */
const placeOf = async (
  client: QueryClient,
  list: ListRequest,
  index: number,
): Promise<WindowPlace> => {
  const find = () => nearestPlace(index, knownWindows(client, list), totalOf(client, list))
  const near = find()
  if (near.page <= nearPages) return near
  const isRead = ({ queryKey }: { readonly queryKey: QueryKey }) =>
    client.getQueryState(queryKey)?.fetchStatus === 'fetching'
  const count = countQuery(list)
  if (isRead(count)) await client.prefetchQuery(count)
  const before = windowQuery(list, index - 1)
  const last = lastWindow(totalOf(client, list) ?? 0)
  const place = find()
  if (isRead(before)) await client.prefetchQuery(before)
  else if (last > index && last - index < place.page)
    await client.prefetchQuery(windowQuery(list, last))
  else return place
  return find()
}

/** The windows that have been read, and are not to be read again, by index. */
const knownWindows = (client: QueryClient, list: ListRequest): ReadonlyMap<number, RowWindow> => {
  const queries = client.getQueryCache().findAll({ queryKey: windowsKey(list) })
  return new Map(
    queries.flatMap(({ queryKey, state }) =>
      state.data && !state.isInvalidated
        ? [[Number(queryKey.at(-1)), state.data as RowWindow] as const]
        : [],
    ),
  )
}

/** Where a row is found again that is shown. */
export const shownPlace = (client: QueryClient, list: ListRequest, index: number): PageFrom => {
  const window = knownWindows(client, list).get(Math.floor(index / rowsPerWindow))
  return window
    ? placeOfRow(index, window, window.rows.length)
    : { cursor: { $after: null }, page: index + 1 }
}

/** How many rows the list has, if that is known and still true. */
const totalOf = (client: QueryClient, list: ListRequest): number | undefined => {
  const state = client.getQueryState<number>(countQuery(list).queryKey)
  return state?.isInvalidated ? undefined : state?.data
}

/** Reads the windows of a list again that are older than this: those on the screen at once, others when they come into view. */
export const refreshWindows = (
  client: QueryClient,
  list: ListRequest,
  olderThanMs: number,
): Promise<void> =>
  client.invalidateQueries({
    queryKey: windowsKey(list),
    predicate: ({ state }) =>
      state.data !== undefined && state.dataUpdatedAt <= Date.now() - olderThanMs,
  })

// From which known row of a list a window of it is read, so that the service skips as few records as possible.

/** Records that a window of a list shows. */
export const rowsPerWindow = 100

/** Cursors of the rows after and before a page of a search; null where there are none. */
export type Cursors = { readonly next: string | null; readonly previous: string | null }

/** A page by its number alone, or by the number of pages from a cursor; null is the start or the end of the list. */
export type PageFrom = {
  readonly cursor: { readonly $after?: string | null; readonly $before?: string | null }
  /** From 1. */
  readonly page: number
}

/** What a search for a window asks for besides the criteria of its list. */
type WindowPlace = PageFrom & { readonly limit: number }

/** The last window of a list of so many rows. */
const lastWindow = (total: number): number => Math.max(Math.ceil(total / rowsPerWindow) - 1, 0)

/** The place by its number alone. */
const placeFromStart = (index: number): WindowPlace => ({
  cursor: {},
  limit: rowsPerWindow,
  page: index + 1,
})

/** The nearest place to a window, by the windows that are known and by the number of rows, where that is known. */
const nearestPlace = (
  index: number,
  known: ReadonlyMap<number, Cursors>,
  total: number | undefined,
): WindowPlace => {
  const limit = rowsPerWindow
  let nearest: WindowPlace = { cursor: { $after: null }, limit, page: index + 1 }
  if (index > 0 && total !== undefined && index === lastWindow(total))
    nearest = { cursor: { $before: null }, limit: total - index * rowsPerWindow, page: 1 }
  for (const [at, { next, previous }] of known) {
    const page = Math.abs(index - at)
    if (page === 0 || page >= nearest.page) continue
    if (at < index && next !== null) nearest = { cursor: { $after: next }, limit, page }
    if (at > index && previous !== null) nearest = { cursor: { $before: previous }, limit, page }
  }
  return nearest
}

/** Where a row of a known window is found again, as a page of one row. `index` is that in the list, `length` that of the window. */
const placeOfRow = (index: number, { next, previous }: Cursors, length: number): PageFrom => {
  const at = index % rowsPerWindow
  // Both cursors are those of rows in the window: of its last and of its first one.
  if (index === at) return { cursor: { $after: null }, page: index + 1 }
  if (at > 0 && previous !== null) return { cursor: { $after: previous }, page: at }
  if (next !== null) return { cursor: { $before: next }, page: length - 1 - at }
  return { cursor: { $before: null }, page: length - at }
}
