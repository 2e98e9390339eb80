/** The history of a record: all of it, or what a filter chooses. */
import { queryOptions } from '@tanstack/react-query'
import { request } from '../client.ts'
import { historyQuery } from '../queries.ts'
import type { HistoryEntry } from '../types.ts'

/** By whom, and the changed column or `tasks`; these words stand in the address. */
export type HistoryFilter = { readonly by?: number; readonly field?: string }

export const isFiltered = ({ by, field }: HistoryFilter): boolean =>
  by !== undefined || field !== undefined

/** No column is called so. */
export const tasksWord = '~tasks'

/** The newest first; without a filter it is what the page of the record has read already. */
export const filteredHistoryQuery = (entity: string, id: number, filter: HistoryFilter) =>
  queryOptions({
    queryKey: [...historyQuery(entity, id).queryKey, ...(isFiltered(filter) ? [filter] : [])],
    queryFn: async ({ signal }) => {
      const { by: user, field } = filter
      const query = { limit: 100, user, ...(field === tasksWord ? { about: 'tasks' } : { field }) }
      const page = await request<{ data: readonly HistoryEntry[] }>(`/${entity}/${id}/history`, {
        ...{ query, signal },
      })
      return page.data
    },
  })
