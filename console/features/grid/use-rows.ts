/** The rows of a list, read in windows as they come into view. They keep their places until the list is read again. */
import { hashKey, type QueryClient, useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { entitiesQuery, type ListRequest } from '../../api/queries.ts'
import {
  type ListRow,
  type RowWindow,
  refreshWindows,
  rowsPerWindow,
  windowQuery,
} from '../../api/rows/rows.ts'
import { isViewAlone, type ListSearch, requestOf, shownColumns } from './list-state.ts'

// While a user scrolls fast, windows that are in view for a moment only are not read.
const windowsAtOnce = 3
// A list to which a user comes back later is read again.
const freshMs = 15_000

export type Rows = {
  /** Undefined while it is being read. */
  readonly rowAt: (index: number) => ListRow | undefined
  /** The number of rows of the list as it was read; until its end has been read, the count of the service. */
  readonly extent: (count: number | undefined) => number | undefined
  readonly error: Error | null
}

/** Reads the windows that contain the rows from `first` to `end`, and the next one before it is needed. */
export const useRows = (list: ListRequest, first: number, end: number): Rows => {
  const from = Math.floor(first / rowsPerWindow)
  const to = Math.max(Math.floor((end - 1) / rowsPerWindow), from)
  const indexes = Array.from(
    { length: Math.min(to - from + 1, windowsAtOnce) },
    (_, offset) => from + offset,
  )
  const results = useQueries({ queries: indexes.map((index) => windowQuery(list, index)) })
  const client = useQueryClient()
  useEffect(() => void refreshWindows(client, list, freshMs), [client, list])
  const isNearEnd = end % rowsPerWindow > rowsPerWindow * 0.7
  const isComplete = results.at(-1)?.data?.rows.length === rowsPerWindow
  useEffect(() => {
    if (isNearEnd && isComplete) void client.prefetchQuery(windowQuery(list, to + 1))
  }, [client, list, to, isNearEnd, isComplete])
  const rowAt = useRowAt(list)
  const lengths = results.map(({ data }) => data?.rows.length)
  return {
    rowAt,
    extent: (count) => extentOf(from, lengths, count),
    error: results.find(({ error }) => error)?.error ?? null,
  }
}

/** Begins to read the first rows before the page is rendered, which shows errors itself. */
export const preloadRows = (client: QueryClient, key: string, search: ListSearch): void => {
  const entities = client.getQueryData(entitiesQuery.queryKey)
  const entity = entities?.get(key)
  if (!entities || !entity || entity.permissions.read === false || isViewAlone(search)) return
  const columns = shownColumns(search, entity, entities)
  void client.prefetchQuery(windowQuery(requestOf(search, entity, columns), 0))
}

/** Finds rows in the windows that have been read. It is called several times for each row of each frame, so keys are hashed once. */
const useRowAt = (list: ListRequest): Rows['rowAt'] => {
  const client = useQueryClient()
  return useMemo(() => {
    const hashes = new Map<number, string>()
    const cache = client.getQueryCache()
    return (index) => {
      const window = Math.floor(index / rowsPerWindow)
      const hash = hashes.get(window) ?? hashKey(windowQuery(list, window).queryKey)
      hashes.set(window, hash)
      const read = cache.get<RowWindow>(hash)?.state.data
      return read?.rows[index % rowsPerWindow]
    }
  }, [client, list])
}

/** A window that is not full ends the list; a full one says that the list has at least its rows. */
const extentOf = (
  from: number,
  lengths: readonly (number | undefined)[],
  count: number | undefined,
): number | undefined => {
  const ends = lengths.map((length = 0, at) => (from + at) * rowsPerWindow + length)
  const last = lengths.findIndex((length) => length !== undefined && length < rowsPerWindow)
  // A window beyond the end of the list does not say where the end is.
  if (last >= 0 && (lengths[last] ?? 0) > 0) return ends[last]
  const read = lengths.flatMap((length, at) => (length ? [ends[at] ?? 0] : []))
  const isEmpty = from === 0 && lengths[0] === 0
  if (count === undefined && read.length === 0) return isEmpty ? 0 : undefined
  return Math.max(count ?? 0, ...read)
}
