/**
 * Accounts: users with how they sign in, their sessions, and the work that they hand over when they leave; and what administrators do with
 * them: they invite, create, block and deactivate users, and let in those whose sign-in was refused.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Account, Accounts } from '../../../src/api/people/account-endpoints.ts'
import type { AccountStatus } from '../../../src/api/people/account-store.ts'
import type { NewInvitation, OpenInvitation } from '../../../src/api/people/invitation-endpoints.ts'
import type { HandedOver, WorkOfUser } from '../../../src/api/people/leave-endpoints.ts'
import type { RefusedSignIn } from '../../../src/api/people/refused-sign-ins.ts'
import { request, send } from '../client.ts'
import type { BrowserSession } from '../own/account.ts'
import { userKey } from '../queries.ts'
import type { RecordRow } from '../types.ts'

export type { Account, HandedOver, NewInvitation, OpenInvitation, RefusedSignIn, WorkOfUser }

/** Of lists of users, with what belongs to them. */
export const usersKey = [userKey, 'list', 'user'] as const

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

const invitations = '/api/invitations'

export const invitationsQuery = queryOptions({
  queryKey: [...usersKey, 'invitations'],
  queryFn: async ({ signal }) =>
    (await request<{ readonly data: readonly OpenInvitation[] }>(invitations, { signal })).data,
})

/** Its link is shown this once; an earlier one of the user stops working. */
export const createInvitation = (userId: number) =>
  request<NewInvitation>(invitations, { method: 'POST', body: { user_id: userId } })

/** Sends the link to the e-mail of the user. */
export const sendInvitation = (userId: number) =>
  request<NewInvitation>(invitations, { method: 'POST', body: { user_id: userId, send: true } })

export const revokeInvitation = (id: number) => send(`${invitations}/${id}`, { method: 'DELETE' })

type Change = {
  readonly id: number
  readonly version: number
  readonly body: { readonly is_blocked: boolean } | { readonly is_active: boolean }
}

/** Blocks a user, who is then signed out everywhere, or lets them in again. */
export const changeUser = ({ id, version, body }: Change): Promise<RecordRow> =>
  request(`/user/${id}`, { method: 'PATCH', etag: `"${version}"`, body })

export type Invitation = {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  /** What the tokens of the person name them by. */
  readonly subject: string
  readonly roleId: number
}

/** Creates the user, once for all attempts with a key. */
export const inviteUser = (one: Invitation, idempotencyKey: string): Promise<RecordRow> =>
  request('/user', {
    method: 'POST',
    headers: { 'Idempotency-Key': idempotencyKey },
    body: {
      first_name: one.firstName,
      last_name: one.lastName,
      full_name: `${one.firstName} ${one.lastName}`,
      username: one.email,
      email: one.email,
      identity_provider_user_id: one.subject,
      security_role_id: one.roleId,
    },
  })

export const refusedKey = [userKey, 'refused-sign-ins']

export const refusedSignInsQuery = queryOptions({
  queryKey: refusedKey,
  queryFn: async ({ signal }): Promise<readonly RefusedSignIn[]> => {
    const page = await request<{ readonly data: readonly RefusedSignIn[] }>(
      '/api/refused-sign-ins',
      { signal },
    )
    return page.data
  },
})

type Link = { readonly userId: number; readonly subject: string }

/** From now on anyone who has this subject signs in as the user. */
export const linkSubject = ({ userId, subject }: Link): Promise<RecordRow> =>
  request(`/user/${userId}`, { method: 'PATCH', body: { identity_provider_user_id: subject } })
