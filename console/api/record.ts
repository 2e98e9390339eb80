/** What the page of a record reads besides the record itself. */
import { type QueryClient, queryOptions, skipToken } from '@tanstack/react-query'
import { request, searchRecords, send } from './client.ts'
import type { OpenActions } from './open-actions.ts'
import { userKey } from './queries.ts'
import type { Condition, Entity, RecordRow } from './types.ts'

/** A record that was removed, which a search alone finds, with those behind its links; null where there is none. */
export const removedQuery = (entity: string, id: number, include: string | undefined) =>
  queryOptions({
    queryKey: [userKey, 'record', entity, id, 'removed'],
    queryFn: async ({ signal }): Promise<RecordRow | null> => {
      const body = { $where: { id, _is_deleted: true } }
      const page = await searchRecords(entity, body, { include, signal })
      return page.data[0] ?? null
    },
  })

/** Whether it may be restored, and what locks it; 404 for those who may not. */
export const removedRightsQuery = (entity: string, id: number) =>
  queryOptions({
    queryKey: [userKey, 'record', entity, id, 'removed', 'rights'],
    queryFn: ({ signal }) =>
      request<OpenActions>(`/${entity}/${id}/actions`, { query: { removed: true }, signal }),
  })

/** Records of another entity that link to one, as the service finds and counts them. */
export type RelatedList = {
  readonly entity: string
  /** The column of the link. */
  readonly column: string
  readonly id: number
  readonly paths: readonly string[]
  /** As `$orderBy`. */
  readonly order: readonly string[]
  readonly limit: number
}

export const relatedQuery = ({ entity, column, id, paths, order, limit }: RelatedList) =>
  queryOptions({
    queryKey: [userKey, 'list', entity, 'related', column, id, paths, order, limit],
    queryFn: async ({ signal }) => {
      const body = { $where: { [column]: id }, $select: paths, $orderBy: order, $count: true }
      const page = await searchRecords(entity, body, { limit, signal })
      return { rows: page.data, total: page.total ?? 0 }
    },
  })

type Named = Pick<Entity, 'key' | 'displayField'> & Partial<Pick<Entity, 'fields'>>

/** Records by their ids, also removed ones: what links to them still names them. */
export const byId = (id: unknown, { fields = [] }: Partial<Pick<Entity, 'fields'>>): Condition =>
  fields.some(({ column }) => column === '_is_deleted')
    ? { id, _is_deleted: { $in: [true, false] } }
    : { id }

/** What a record is called, and nothing else of it. */
export const nameQuery = (entity: Named, id: number) => {
  const { key, displayField } = entity
  return queryOptions({
    queryKey: [userKey, 'list', key, 'name', id],
    queryFn: async ({ signal }): Promise<RecordRow | null> => {
      const body = { $where: byId(id, entity), $select: [...new Set(['id', displayField])] }
      const page = await searchRecords(key, body, { signal })
      return page.data[0] ?? null
    },
  })
}

/** What a look at a record shows; null where the user may not see it. */
export const previewQuery = (entity: Entity, id: number, paths: readonly string[]) => {
  const { key, displayField } = entity
  return queryOptions({
    queryKey: [userKey, 'list', key, 'preview', id, paths],
    queryFn: async ({ signal }): Promise<RecordRow | null> => {
      const body = {
        $where: byId(id, entity),
        $select: [...new Set(['id', displayField, ...paths])],
      }
      const page = await searchRecords(key, body, { signal })
      return page.data[0] ?? null
    },
  })
}

export type VersionedRecord = { readonly record: RecordRow; readonly etag: string | undefined }

/** One record with its entity tag, and the records behind some of its links. */
export const recordQuery = (entity: string, id: number, include: string | undefined) =>
  queryOptions({
    queryKey: [userKey, 'record', entity, id],
    queryFn: async ({ signal }): Promise<VersionedRecord> => {
      const { value, etag } = await send<RecordRow>(`/${entity}/${id}`, {
        query: { include },
        signal,
      })
      return { record: value, etag }
    },
  })

/** Whether an answer to a write is nothing of the record: its writer may not read it as it is now. */
export const isUnread = (answer: object): boolean => Object.keys(answer).length === 0

/** Whether the last change that this page made of a record has put it out of the user's sight. */
export const unreadQuery = (entity: string, id: number) =>
  queryOptions<boolean>({
    queryKey: [userKey, 'record', entity, id, 'unread'],
    queryFn: skipToken,
  })

/** How many of these records the user may not read. */
export const unreadCountQuery = (entity: string, ids: readonly number[]) =>
  queryOptions({
    queryKey: [userKey, 'list', entity, 'unread', ids],
    queryFn: async ({ signal }): Promise<number> => {
      const body = { $where: { id: { $in: ids } }, $select: ['id'], $count: true }
      const page = await searchRecords(entity, body, { limit: 1, signal })
      return ids.length - (page.total ?? 0)
    },
  })

/** Notes for the page of a record what the answer to a change says of reading it. */
export const noteUnread = (
  client: QueryClient,
  { entity, id }: { readonly entity: string; readonly id: number },
  answer: object,
): void => void client.setQueryData(unreadQuery(entity, id).queryKey, isUnread(answer))
