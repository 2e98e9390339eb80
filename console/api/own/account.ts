/** What users arrange for themselves: their sessions, the e-mails they want, their calendar. */
import { queryOptions } from '@tanstack/react-query'
import type { BrowserSession } from '../../../src/api/console/session-endpoints.ts'
import { request, send } from '../client.ts'
import { userKey } from '../queries.ts'

export type { BrowserSession }

export const sessionsQuery = queryOptions({
  queryKey: [userKey, 'sessions'],
  queryFn: async ({ signal }) => {
    const path = '/console/-/sessions'
    const { data } = await request<{ data: readonly BrowserSession[] }>(path, { signal })
    return data
  },
})

export const endSession = (id: number) => send(`/console/-/sessions/${id}`, { method: 'DELETE' })

/** Whether an operation on records of an entity reaches the user, by channel. */
export type NotificationPreference = {
  readonly entity: string
  readonly operation: string
  readonly [channel: string]: string | boolean
}

type Preferences = { readonly data: readonly NotificationPreference[] }

const preferencesPath = '/api/notifications/preferences'

export const notificationPreferencesQuery = queryOptions({
  queryKey: [userKey, 'notification preferences'],
  queryFn: async ({ signal }) => (await request<Preferences>(preferencesPath, { signal })).data,
})

/** Changes one kind; the answer has all. */
export const savePreference = async (one: NotificationPreference) => {
  const body = { data: [one] }
  return (await request<Preferences>(preferencesPath, { method: 'PUT', body })).data
}

const calendarPath = '/api/tasks/calendar'

/** Since when the address of the calendar is valid; null: there is none. */
export const calendarQuery = queryOptions({
  queryKey: [userKey, 'calendar'],
  queryFn: ({ signal }) =>
    request<{ readonly created_at: string | null }>(calendarPath, { signal }),
})

/** The new address, which is told this once. */
export const openCalendar = () =>
  request<{ readonly url: string }>(calendarPath, { method: 'POST' })

export const closeCalendar = () => send(calendarPath, { method: 'DELETE' })
