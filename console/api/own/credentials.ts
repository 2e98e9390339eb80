/** Ways to sign in: the passwords of users and their invitations, passkeys, the second step, API keys. */
import { queryOptions } from '@tanstack/react-query'
import type {
  Credentials,
  NewAppKey,
  OwnPasskey,
  RecoveryCodes,
} from '../../../src/api/console/credential-endpoints.ts'
import type { CreationOptions, SigningOptions } from '../../../src/api/console/passkey-endpoints.ts'
import type { InvitedPerson } from '../../../src/api/console/password-endpoints.ts'
import type { NextStep } from '../../../src/api/console/started-session.ts'
import type { NewApiKey, OwnApiKey } from '../../../src/api/people/key-endpoints.ts'
import type { CreatedPasskey, PasskeyProof } from '../../../src/auth/passkeys/verify-passkey.ts'
import { request, send } from '../client.ts'
import { userKey } from '../queries.ts'

export type {
  CreatedPasskey,
  CreationOptions,
  Credentials,
  NewAppKey,
  NextStep,
  OwnPasskey,
  PasskeyProof,
  SigningOptions,
}

/** What a sign-in still needs; an answer without it is a session. */
const nextStepOf = (answer: unknown): NextStep | undefined =>
  typeof answer === 'object' && answer !== null && 'next' in answer
    ? (answer as NextStep)
    : undefined

/** What follows a sign-in. */
export type AfterSignIn = {
  readonly onSignedIn: () => void
  /** What was given is right, and a second factor is needed. */
  readonly onNext: (next: NextStep) => void
}

export const goOn = (answer: unknown, { onSignedIn, onNext }: AfterSignIn): void => {
  const next = nextStepOf(answer)
  if (next) onNext(next)
  else onSignedIn()
}

const post = <T>(path: string, body?: unknown) =>
  request<T>(`/console/-/${path}`, { method: 'POST', body, isSignIn: true })

export const beginPasskeySignIn = () => post<SigningOptions>('session/passkey/challenge')
export const signInByPasskey = (proof: PasskeyProof) => post('session/passkey', proof)
export const confirmSignIn = (code: string) => post('session/second-factor', { code })

export const beginInvitedPasskey = (code: string) =>
  post<CreationOptions>('invitation/passkey/challenge', { code })

type NamedPasskey = { readonly name: string; readonly passkey: CreatedPasskey }

export const acceptByPasskey = (body: NamedPasskey & { readonly code: string }) =>
  post('invitation/passkey', body)

// In a session, or in a sign-in that needs a second factor: an answer 401 is about the sign-in.
export const beginPasskey = () => post<CreationOptions>('passkeys/challenge')
export const addPasskey = (body: NamedPasskey) => post('passkeys', body)
export const beginApp = () => post<NewAppKey>('second-factor/key')

export const setApp = async (body: { readonly key: string; readonly code: string }) => {
  const path = '/console/-/second-factor'
  return (await request<RecoveryCodes>(path, { method: 'PUT', body, isSignIn: true })).codes
}

export const credentialsQuery = queryOptions({
  queryKey: [userKey, 'credentials'],
  queryFn: ({ signal }) => request<Credentials>('/console/-/credentials', { signal }),
})

type Proof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly passkey: PasskeyProof }

export const prove = (body: Proof) => send('/console/-/session/proof', { method: 'POST', body })

export const renamePasskey = ({ id, name }: Pick<OwnPasskey, 'id' | 'name'>) =>
  send(`/console/-/passkeys/${id}`, { method: 'PATCH', body: { name } })

export const removePasskey = (id: number) => send(`/console/-/passkeys/${id}`, { method: 'DELETE' })

export const removeApp = () => send('/console/-/second-factor', { method: 'DELETE' })

export const renewRecoveryCodes = async () =>
  (await request<RecoveryCodes>('/console/-/recovery-codes', { method: 'POST' })).codes

// The invitation of a person who is not signed in, and the password of a user.

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

// API keys: those of the user, and for administrators those of others.

export type { OwnApiKey }

const ownPath = '/console/-/keys'
const pathOf = (userId: number | undefined) =>
  userId === undefined ? ownPath : `/api/accounts/${userId}/keys`

/** Those of a user; undefined: one's own. */
export const keysQuery = (userId?: number) =>
  queryOptions({
    queryKey: [userKey, 'keys', userId],
    queryFn: async ({ signal }) =>
      (await request<{ data: readonly OwnApiKey[] }>(pathOf(userId), { signal })).data,
  })

export type WantedKey = {
  readonly name: string
  readonly scope?: string | undefined
  /** A day. */
  readonly until?: string | undefined
}

export const createKey = (body: WantedKey) => request<NewApiKey>(ownPath, { method: 'POST', body })

export const revokeKey = (id: number, userId?: number) =>
  send(`${pathOf(userId)}/${id}`, { method: 'DELETE' })
