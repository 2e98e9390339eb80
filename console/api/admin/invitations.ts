/** Invitations: links that let users in. */
import { queryOptions } from '@tanstack/react-query'
import type { NewInvitation, OpenInvitation } from '../../../src/api/people/invitation-endpoints.ts'
import { request, send } from '../client.ts'
import { userKey } from '../queries.ts'

export type { NewInvitation, OpenInvitation }

/** Of lists of users, with what belongs to them. */
export const usersKey = [userKey, 'list', 'user'] as const

const path = '/api/invitations'

export const invitationsQuery = queryOptions({
  queryKey: [...usersKey, 'invitations'],
  queryFn: async ({ signal }) =>
    (await request<{ readonly data: readonly OpenInvitation[] }>(path, { signal })).data,
})

/** Its link is told this once; an earlier one of the user stops working. */
export const createInvitation = (userId: number) =>
  request<NewInvitation>(path, { method: 'POST', body: { user_id: userId } })

/** Sends the link to the e-mail of the user. */
export const sendInvitation = (userId: number) =>
  request<NewInvitation>(path, { method: 'POST', body: { user_id: userId, send: true } })

export const revokeInvitation = (id: number) => send(`${path}/${id}`, { method: 'DELETE' })
