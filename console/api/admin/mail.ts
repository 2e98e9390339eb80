/** E-mails that were caught instead of sent, during development. */
import { queryOptions } from '@tanstack/react-query'
import type { CaughtMail, MailFile } from '../../../src/outbox/email/mail-endpoints.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export type { MailFile }

const refreshMs = 10_000

/** Their files, the newest first. */
export const mailsQuery = queryOptions({
  queryKey: [userKey, 'admin', 'mail'],
  queryFn: async ({ signal }) => {
    const { data } = await request<{ data: readonly MailFile[] }>('/api/mail', { signal })
    return data
  },
  refetchInterval: refreshMs,
})

/** The path of one of them at the service. */
export const mailPath = (name: string): string => `/api/mail/${encodeURIComponent(name)}`

export const mailQuery = (name: string) =>
  queryOptions({
    queryKey: [userKey, 'admin', 'mail', name],
    queryFn: ({ signal }) => request<CaughtMail>(`${mailPath(name)}/message`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
