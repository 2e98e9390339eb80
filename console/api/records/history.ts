/** The history of a record: all of it, or what a filter chooses. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'
import type { HistoryEntry } from '../types.ts'

/** How many entries are read at once. */
export const historyStep = 100

/** Who changed what, newest first. */
export const historyQuery = (entity: string, id: number) =>
  queryOptions({
    queryKey: [userKey, 'record', entity, id, 'history'],
    queryFn: async ({ signal }) => {
      const query = { limit: historyStep }
      const page = await request<{ data: readonly HistoryEntry[] }>(`/${entity}/${id}/history`, {
        query,
        signal,
      })
      return page.data
    },
  })

/** By whom, and the changed column or a subject such as `~tasks`; these words stand in the address. */
export type HistoryFilter = { readonly by?: number; readonly field?: string }

export const isFiltered = ({ by, field }: HistoryFilter): boolean =>
  by !== undefined || field !== undefined

/** What entries are about: the record itself, its tasks, comments on it, or files; or who was notified of them. */
export type HistorySubject = 'record' | 'tasks' | 'comments' | 'files' | 'notices'

/** A subject in place of a column; no column is called so. */
export const subjectWord = (subject: HistorySubject): string => `~${subject}`

/** The newest first; without a filter it is what the page of the record has read already. */
export const filteredHistoryQuery = (
  entity: string,
  id: number,
  { limit, ...filter }: HistoryFilter & { readonly limit: number },
) =>
  queryOptions({
    queryKey: [
      ...historyQuery(entity, id).queryKey,
      ...(isFiltered(filter) ? [filter] : []),
      ...(limit === historyStep ? [] : [limit]),
    ],
    queryFn: async ({ signal }) => {
      const { by: user, field } = filter
      const [, about] = /^~(record|tasks|comments|files)$/.exec(field ?? '') ?? []
      const query = { limit, user, ...(about === undefined ? { field } : { about }) }
      const page = await request<{ data: readonly HistoryEntry[] }>(`/${entity}/${id}/history`, {
        query,
        signal,
      })
      return page.data
    },
    // What is on the screen stays while more of it is read.
    placeholderData: keepPreviousData,
  })
