/** The session of this browser, whom it may become during development, and the settings of its user. */
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

/** Settings of the user that the service keeps, by name; what another version of the page wrote stays in them. */
export type Settings = Readonly<Record<string, unknown>>

const path = '/console/-/settings.json'

export const settingsQuery = queryOptions({
  queryKey: [userKey, 'settings'],
  queryFn: ({ signal }) => request<Settings>(path, { signal, isWordless: true }),
  staleTime: 60_000,
  // Each part of the page that needs them would ask for refused ones again, and the page would wait again.
  retryOnMount: false,
})

/** Sets names; null removes one. */
export const changeSettings = (change: Settings): Promise<Settings> =>
  request<Settings>(path, { method: 'PATCH', body: change })

/** The settings as they will be after a change. */
export const mergedSettings = (settings: Settings, change: Settings): Settings =>
  Object.fromEntries(
    Object.entries({ ...settings, ...change }).filter(([, value]) => value !== null),
  )
