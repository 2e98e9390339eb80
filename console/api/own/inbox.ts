/** The notifications of the user. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'
import type { Notification } from '../types.ts'

export type InboxStatus = 'unseen' | 'all' | 'snoozed'

/** The latest notifications. */
export const inboxQuery = (status: InboxStatus, limit: number) =>
  queryOptions({
    queryKey: [userKey, 'inbox', 'list', status, limit],
    queryFn: ({ signal }) =>
      request<readonly Notification[]>('/api/notifications', { query: { status, limit }, signal }),
    placeholderData: keepPreviousData,
  })
