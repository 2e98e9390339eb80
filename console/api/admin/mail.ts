/** E-mails that were caught instead of sent, during development. */
import { queryOptions } from '@tanstack/react-query'
import type { CaughtMail, MailFile } from '../../../src/outbox/email/mail-endpoints.ts'
import { request } from '../client.ts'
import { userKey } from '../queries.ts'

export type { MailFile }

const refreshMs = 10_000

/** Their files, the newest first. */
export const mailsQuery = (limit: number) =>
  queryOptions({
    queryKey: [userKey, 'admin', 'mail', 'list', limit],
    queryFn: async ({ signal }) => {
      const options = { query: { limit }, signal }
      const { data } = await request<{ data: readonly MailFile[] }>('/api/mail', options)
      return data
    },
    placeholderData: (before) => before,
    refetchInterval: refreshMs,
  })

/** The path of one of them at the service. */
export const mailPath = (name: string): string => `/api/mail/${encodeURIComponent(name)}`

export const mailQuery = (name: string) =>
  queryOptions({
    queryKey: [userKey, 'admin', 'mail', 'one', name],
    queryFn: ({ signal }) => request<CaughtMail>(`${mailPath(name)}/message`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
