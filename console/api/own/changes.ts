/** What the user has changed, and what has become of these records and tasks since. */
import { queryOptions } from '@tanstack/react-query'
import type { OwnChange } from '../../../src/records/history.ts'
import { request, searchRecords } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Entity, RecordRow } from '../types.ts'

export type { OwnChange }

/** The first key of everything about own changes. */
export const ownChangesKey = [userKey, 'changes'] as const

const pageSize = 30

/** One page of them, the newest first; `before` is the `next` of the page before. */
export const ownChangesQuery = (before: number | undefined) =>
  queryOptions({
    queryKey: [...ownChangesKey, before ?? 'first'],
    queryFn: ({ signal }) => {
      const query = { limit: pageSize, before }
      return request<{ readonly data: readonly OwnChange[]; readonly next: number | null }>(
        '/api/changes',
        { query, signal },
      )
    },
    // What is offered must be what can be taken back.
    staleTime: 0,
  })

/** Some records as they are now, with these columns; those that were removed say so. */
export const recordsNowQuery = (
  { key, displayField, permissions }: Entity,
  ids: readonly number[],
  columns: readonly string[],
) =>
  queryOptions({
    queryKey: [userKey, 'list', key, 'now', ids, columns],
    queryFn: async ({ signal }): Promise<ReadonlyMap<number, RecordRow>> => {
      const $select = [...new Set(['id', displayField, '_version', ...columns])]
      const find = async (where: object) => {
        const body = { $where: { id: { $in: ids }, ...where }, $select }
        const page = await searchRecords(key, body, { limit: ids.length, signal })
        return page.data
      }
      const removed = permissions.delete === false ? [] : await find({ _is_deleted: true })
      const rows = [...removed.map((row) => ({ ...row, $removed: true })), ...(await find({}))]
      return new Map(rows.map((row) => [row.id, row]))
    },
    staleTime: 0,
  })
