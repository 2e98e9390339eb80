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

/** How soon an operation on records of an entity reaches the user, by channel. */
export type NotificationPreference = {
  readonly entity: string
  readonly operation: string
  readonly [channel: string]: string
}

/** HH:MM in the zone of the user. */
export type OwnTimes = {
  readonly dailyAt: string
  readonly quietHours: { readonly from: string; readonly to: string } | null
}

export type NotificationPreferences = OwnTimes & {
  readonly data: readonly NotificationPreference[]
}

const preferencesPath = '/api/notifications/preferences'

export const notificationPreferencesQuery = queryOptions({
  queryKey: [userKey, 'notification preferences'],
  queryFn: ({ signal }) => request<NotificationPreferences>(preferencesPath, { signal }),
})

/** Changes what is given; the answer has all. */
export const savePreferences = (body: Partial<OwnTimes> & Pick<NotificationPreferences, 'data'>) =>
  request<NotificationPreferences>(preferencesPath, { method: 'PUT', body })

const calendarPath = '/api/tasks/calendar'

/** Since when the address of the calendar is valid; null: there is none. */
export const calendarQuery = queryOptions({
  queryKey: [userKey, 'calendar'],
  queryFn: ({ signal }) =>
    request<{ readonly created_at: string | null }>(calendarPath, { signal }),
})

/** The new address, which is shown this once. */
export const openCalendar = () =>
  request<{ readonly url: string }>(calendarPath, { method: 'POST' })

export const closeCalendar = () => send(calendarPath, { method: 'DELETE' })
