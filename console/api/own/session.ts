/** The session of this browser, and whom it may become during development. */
import { queryOptions } from '@tanstack/react-query'
import type { CurrentSession, SwitchUser } from '../../../src/api/console/session-endpoints.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export type { SwitchUser }

/** The session of this browser; only known to browsers that came with its cookie. */
export const sessionQuery = queryOptions({
  queryKey: [userKey, 'session'],
  queryFn: ({ signal }) => request<CurrentSession>('/console/-/session', { signal }),
  staleTime: 60_000,
  retry: false,
})
