/** The session of this browser, and whom it may become during development. */
import { queryOptions } from '@tanstack/react-query'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

/** Whom a session of development may become. */
export type SwitchUser = {
  readonly id: number
  readonly full_name: string
  readonly role_name: string
}

/** The session of this browser. */
export type CurrentSession = {
  readonly user_id: number
  readonly expires_at: string
  readonly may_switch: boolean
  readonly users?: readonly SwitchUser[]
}

/** The session of this browser; only known to browsers that came with its cookie. */
export const sessionQuery = queryOptions({
  queryKey: [userKey, 'session'],
  queryFn: ({ signal }) => request<CurrentSession>('/console/-/session', { signal }),
  staleTime: 60_000,
  retry: false,
})
