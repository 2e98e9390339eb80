/** The invitation of a person who is not signed in, and the password of a user. */
import { queryOptions } from '@tanstack/react-query'
import type { InvitedPerson } from '../../../src/api/console/password-endpoints.ts'
import { request, send } from '../client.ts'

export type { InvitedPerson }

/** Characters that a new password has at least, and that a password has at most. */
export const passwordLength = { min: 12, max: 200 } as const

/** Whom an invitation is for; an error 401 if it cannot be used. */
export const invitationQuery = (code: string) =>
  queryOptions({
    queryKey: ['invitation', code],
    queryFn: ({ signal }) =>
      request<InvitedPerson>('/console/-/invitation', {
        method: 'POST',
        body: { code },
        isSignIn: true,
        signal,
      }),
    // It was shown already when it is used up.
    staleTime: Number.POSITIVE_INFINITY,
  })

type Accepted = { readonly code: string; readonly password?: string }

/** Signs the invited person in, with their password where people have one. */
export const acceptInvitation = (body: Accepted) =>
  request<unknown>('/console/-/invitation/accept', { method: 'POST', body, isSignIn: true })

/** The page of the identity provider at which the invited person signs in. */
export const beginAtIssuer = (code: string) =>
  request<{ readonly address: string }>('/console/-/invitation/issuer', {
    method: 'POST',
    body: { code },
    isSignIn: true,
  })

/** Without the former one it is the user's first. */
type Change = { readonly password?: string; readonly new_password: string }

export const changePassword = (body: Change) => send('/console/-/password', { method: 'PUT', body })
