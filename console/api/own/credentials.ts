/** Ways to sign in besides a password: passkeys, the second step, and what users arrange of them. */
import { queryOptions } from '@tanstack/react-query'
import type {
  Credentials,
  NewAppKey,
  OwnPasskey,
  RecoveryCodes,
} from '../../../src/api/console/credential-endpoints.ts'
import type { CreationOptions, SigningOptions } from '../../../src/api/console/passkey-endpoints.ts'
import type { NextStep } from '../../../src/api/console/started-session.ts'
import { request, send } from '../client.ts'
import { userKey } from '../queries.ts'

export type { CreationOptions, Credentials, NewAppKey, NextStep, OwnPasskey, SigningOptions }

/** What a device has made, as the service reads it. */
export type CreatedPasskey = {
  readonly id: string
  readonly client_data: string
  readonly attestation: string
  readonly transports: readonly string[]
}

/** What a device has signed, as the service reads it. */
export type PasskeyProof = {
  readonly id: string
  readonly client_data: string
  readonly authenticator_data: string
  readonly signature: string
  readonly user_handle: string
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

export type Proof =
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
