/** Rows of lists, read in windows. */
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { type ListRequest, userKey } from './queries.ts'
import type { RecordPage, RecordRow } from './types.ts'

/** Records that a window of a list shows. */
export const rowsPerWindow = 100

/** What became of a row after the list was read: it does not match the filter any more, or is not readable any more. */
type RowMark = 'left' | 'gone'

/** A row of a list; it stays where it is until the list is read anew, and then has no mark. */
export type ListRow = RecordRow & { readonly $mark?: RowMark }

export const windowsKey = ({ entity, criteria }: ListRequest) =>
  [userKey, 'list', entity, criteria, 'window'] as const

/** One window of a list: rows `index * rowsPerWindow` and following. It changes only when the list is read anew. */
export const windowQuery = (list: ListRequest, index: number) =>
  queryOptions({
    queryKey: [...windowsKey(list), index],
    queryFn: async ({ signal }): Promise<readonly ListRow[]> => {
      const query = { limit: rowsPerWindow, page: index + 1 }
      const body = list.criteria
      const page = await request<RecordPage>(`/${list.entity}/search`, {
        ...{ method: 'POST', query, body, signal },
      })
      return page.data
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

/** Reads the windows of a list anew that are older than this: those on the screen at once, others when they come into view. */
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
