/** Accounts: users with how they sign in, their sessions, and the work that they hand over when they leave. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Account, Accounts } from '../../../src/api/people/account-endpoints.ts'
import type { AccountStatus } from '../../../src/api/people/account-store.ts'
import type { NewInvitation, OpenInvitation } from '../../../src/api/people/invitation-endpoints.ts'
import type { HandedOver, WorkOfUser } from '../../../src/api/people/leave-endpoints.ts'
import { request, send } from '../client.ts'
import type { BrowserSession } from '../own/account.ts'
import { userKey } from '../queries.ts'

export type { Account, HandedOver, WorkOfUser }

/** What the list is narrowed down to. */
export type AccountFilter = {
  readonly q?: string | undefined
  readonly status?: AccountStatus | undefined
  /** Key of a role. */
  readonly role?: string | undefined
}

const path = '/api/accounts'
const pageSize = 50

export const accountsQuery = (filter: AccountFilter) =>
  infiniteQueryOptions({
    queryKey: [...usersKey, 'accounts', filter],
    queryFn: ({ signal, pageParam: page }) =>
      request<Accounts>(path, { query: { ...filter, limit: pageSize, page }, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ data }, all) => (data.length === pageSize ? all.length + 1 : undefined),
    placeholderData: keepPreviousData,
  })

const sessionsPath = (id: number) => `${path}/${id}/sessions`

export const sessionsOfUserQuery = (id: number) =>
  queryOptions({
    queryKey: [...usersKey, 'sessions', id],
    queryFn: async ({ signal }) => {
      const { data } = await request<{ data: readonly BrowserSession[] }>(sessionsPath(id), {
        signal,
      })
      return data
    },
  })

/** Ends one session of a user, or all. */
export const endSessionsOfUser = (id: number, session?: number) =>
  send(session === undefined ? sessionsPath(id) : `${sessionsPath(id)}/${session}`, {
    method: 'DELETE',
  })

export const workOfUserQuery = (id: number) =>
  queryOptions({
    queryKey: [...usersKey, 'work', id],
    queryFn: ({ signal }) => request<WorkOfUser>(`${path}/${id}/leave`, { signal }),
    // It is decided by what is there now.
    gcTime: 0,
  })

type Leaving = { readonly id: number; readonly to: number | undefined }

/** Deactivates a user, whose work another one has from then on. */
export const leave = ({ id, to }: Leaving) =>
  request<HandedOver>(`${path}/${id}/leave`, { method: 'POST', body: { to } })

// Invitations: links that let users in.

export type { NewInvitation, OpenInvitation }

/** Of lists of users, with what belongs to them. */
export const usersKey = [userKey, 'list', 'user'] as const

const invitations = '/api/invitations'

export const invitationsQuery = queryOptions({
  queryKey: [...usersKey, 'invitations'],
  queryFn: async ({ signal }) =>
    (await request<{ readonly data: readonly OpenInvitation[] }>(invitations, { signal })).data,
})

/** Its link is told this once; an earlier one of the user stops working. */
export const createInvitation = (userId: number) =>
  request<NewInvitation>(invitations, { method: 'POST', body: { user_id: userId } })

/** Sends the link to the e-mail of the user. */
export const sendInvitation = (userId: number) =>
  request<NewInvitation>(invitations, { method: 'POST', body: { user_id: userId, send: true } })

export const revokeInvitation = (id: number) => send(`${invitations}/${id}`, { method: 'DELETE' })
