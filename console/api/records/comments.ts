/** Comments on a record, and who follows it. */
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Person } from '../../../src/api/people/people-endpoint.ts'
import type { CommentOnRecord } from '../../../src/comments/comment-json.ts'
import type { ShownFollower } from '../../../src/notify/followers.ts'
import { request, send } from '../client.ts'
import { userKey } from '../queries.ts'
import { historyQuery } from './history.ts'

export type Comment = CommentOnRecord
export type Follower = ShownFollower

/** The record that is commented on. */
export type CommentPlace = { readonly entity: string; readonly id: number }

// As many as the service gives at once.
const pageSize = 100

/** What is read again with the history: comments and followers stand next to it. */
const keyOf = ({ entity, id }: CommentPlace) => historyQuery(entity, id).queryKey

/** The newest comments, the oldest of them first. */
export const commentsQuery = (place: CommentPlace, limit: number) =>
  queryOptions({
    queryKey: [...keyOf(place), 'comments', limit],
    queryFn: async ({ signal }) => {
      // One that is written meanwhile moves others to the next page.
      const found = new Map<number, Comment>()
      for (let page = 1; page * pageSize <= limit; page++) {
        const query = { newest: true, limit: pageSize, page }
        const { data } = await request<{ data: readonly Comment[] }>(pathOf(place), {
          query,
          signal,
        })
        for (const one of data) found.set(one.id, one)
        if (data.length < pageSize) break
      }
      return [...found.values()].sort((one, other) => one.id - other.id)
    },
    placeholderData: keepPreviousData,
  })

const pathOf = ({ entity, id }: CommentPlace): string => `/${entity}/${id}/comment`

export type NewComment = {
  readonly text: string
  /** Ids of uploads. */
  readonly files?: readonly string[]
  readonly parent_id?: number
  readonly is_internal?: boolean
}

/** Writes a comment; the same key writes it once, however often it is sent. */
export const createComment = (place: CommentPlace, body: NewComment, idempotencyKey: string) =>
  request<Comment>(pathOf(place), {
    method: 'POST',
    headers: { 'Idempotency-Key': idempotencyKey },
    body,
  })

/** What is new of a comment: its text, and what is different in its files. */
export type ChangedComment = { readonly text?: string; readonly files?: object }

/** Changes the text and the files of a comment, only as it was read. */
export const changeComment = (
  place: CommentPlace,
  { id, _version: version }: Comment,
  body: ChangedComment,
) => request<Comment>(`${pathOf(place)}/${id}`, { method: 'PATCH', etag: `"${version}"`, body })

/** Marks a thread as resolved, or opens it again. */
export const resolveThread = (place: CommentPlace, { id }: Comment, isResolved: boolean) =>
  request<Comment>(`${pathOf(place)}/${id}`, {
    method: 'PATCH',
    body: { is_resolved: isResolved },
  })

export const removeComment = (place: CommentPlace, { id }: Comment) =>
  send(`${pathOf(place)}/${id}`, { method: 'DELETE' })

/** Whether the user follows a record, and who does. */
export const followersQuery = (place: CommentPlace) =>
  queryOptions({
    queryKey: [...keyOf(place), 'followers'],
    queryFn: ({ signal }) =>
      request<{ readonly is_following: boolean; readonly data: readonly Follower[] }>(
        `/${place.entity}/${place.id}/follow`,
        { signal },
      ),
  })

export const setFollowing = ({ entity, id }: CommentPlace, isFollowing: boolean) =>
  send(`/${entity}/${id}/follow`, { method: isFollowing ? 'PUT' : 'DELETE' })

/** Who may be mentioned: users who may read the record, and its internal comments for one of these. */
export const readersQuery = ({ entity, id }: CommentPlace, words: string, isInternal: boolean) =>
  queryOptions({
    queryKey: [userKey, 'people', 'readers', entity, id, words, isInternal],
    queryFn: async ({ signal }) => {
      const reads = `${entity}/${id}`
      const query = { q: words, limit: 10, reads, ...(isInternal && { internal: true }) }
      const page = await request<{ data: readonly Person[] }>('/api/people', { query, signal })
      return page.data
    },
    placeholderData: keepPreviousData,
  })

/** Reads again what a written comment has changed. */
export const forgetComments = (client: QueryClient, place: CommentPlace): Promise<void> =>
  client.invalidateQueries({ queryKey: keyOf(place) })
