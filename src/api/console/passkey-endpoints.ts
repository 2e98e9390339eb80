/** Signing in with a passkey, and the second step of a sign-in by password, for browsers (docs/console-sign-in.md). */
import type { InvitedPasskey } from '../../auth/credentials/invited-passkey.ts'
import type { Passkeys } from '../../auth/passkeys/passkeys.ts'
import type { SecondStep } from '../../auth/second-factor/second-step.ts'
import { closed, Type } from '../../definitions/schemas/schema-builder.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { openEndpoint } from '../../http/endpoint/endpoint.ts'
import { component, json, objectOf, type ValueOf } from '../../http/openapi/operation.ts'
import { guessed, invitationCode, started } from './started-session.ts'

// What pages send and get about passkeys: the values of Web Authentication, the binary ones in base64url.

const binary = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' })

const credentialId = binary(1_400)
const clientData = binary(4_000)

/** A new passkey, as a device has made it. */
export const createdPasskey = Type.Object(
  {
    id: credentialId,
    client_data: clientData,
    attestation: binary(20_000),
    transports: Type.Optional(
      Type.Array(Type.String({ maxLength: 32, pattern: '^[a-z-]+$' }), { maxItems: 10 }),
    ),
  },
  closed,
)

/** A signature by a passkey. */
export const passkeyProof = Type.Object(
  {
    id: credentialId,
    client_data: clientData,
    authenticator_data: binary(4_000),
    signature: binary(1_400),
    user_handle: binary(100),
  },
  closed,
)

/** What its user calls a passkey. */
export const passkeyName = Type.String({ minLength: 1, maxLength: 100 })

const text = { type: 'string' } as const
const kind = { enum: ['public-key'] } as const
const required = { enum: ['required'] } as const
const listOf = <S extends object>(items: S) => ({ type: 'array', items }) as const

const signingOptions = component(
  'PasskeyRequest',
  objectOf({
    challenge: text,
    rpId: text,
    timeout: { type: 'integer', description: 'In milliseconds.' },
    userVerification: required,
  }),
)

export const creationOptions = component(
  'PasskeyCreation',
  objectOf({
    challenge: text,
    rp: objectOf({ id: text, name: text }),
    user: objectOf({ id: text, name: text, displayName: text }),
    pubKeyCredParams: listOf(objectOf({ type: kind, alg: { type: 'integer' } })),
    timeout: { type: 'integer', description: 'In milliseconds.' },
    attestation: { enum: ['none'] },
    authenticatorSelection: objectOf({
      residentKey: required,
      requireResidentKey: { type: 'boolean' },
      userVerification: required,
    }),
    excludeCredentials: listOf(objectOf({ type: kind, id: text, transports: listOf(text) })),
  }),
)

export type SigningOptions = ValueOf<typeof signingOptions>
export type CreationOptions = ValueOf<typeof creationOptions>

export type PasskeyDeps = {
  readonly passkeys: Passkeys
  readonly invitedPasskey: InvitedPasskey
  readonly secondStep: SecondStep
}

const startedAnswer = { 200: json('The session.', started, ['Set-Cookie']) } as const

export const passkeyEndpoints = [
  openEndpoint({
    ...guessed,
    path: '/console/-/session/passkey/challenge',
    id: 'beginPasskeySignIn',
    summary: 'What a passkey has to sign',
    description: 'For this browser, once, within five minutes. Nothing is stored.',
    answers: { 200: json('For `navigator.credentials.get`.', signingOptions, ['Set-Cookie']) },
    handle: (call, { passkeys }: PasskeyDeps) => passkeys.beginProof(call),
  }),
  openEndpoint({
    ...guessed,
    path: '/console/-/session/passkey',
    id: 'signInByPasskey',
    summary: 'Sign a browser in with a passkey',
    description:
      'The passkey names its user. It is confirmed by a PIN, a finger or a face, and so needs no second factor.',
    body: checkedBody(passkeyProof),
    answers: startedAnswer,
    handle: ({ body, request, reply }, { passkeys }: PasskeyDeps) =>
      passkeys.signIn(body, { request, reply }),
  }),
  openEndpoint({
    ...guessed,
    path: '/console/-/session/second-factor',
    id: 'confirmSignIn',
    summary: 'End a sign-in with the code of an app',
    description:
      'In the browser whose password was right, within ten minutes. Each code counts once. Wrong ones have to wait like wrong passwords.',
    body: checkedBody(
      Type.Object(
        {
          code: Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'Of the authenticator app, or a recovery code.',
          }),
        },
        closed,
      ),
    ),
    errors: [...guessed.errors, 'session.unknown'],
    answers: startedAnswer,
    handle: ({ body, request, reply }, { secondStep }: PasskeyDeps) =>
      secondStep.confirm(body.code, { request, reply }),
  }),
  openEndpoint({
    ...guessed,
    path: '/console/-/invitation/passkey/challenge',
    id: 'beginInvitedPasskey',
    summary: 'What an invited person makes a passkey for',
    description: 'Uses nothing up.',
    body: checkedBody(Type.Object({ code: invitationCode }, closed)),
    answers: { 200: json('For `navigator.credentials.create`.', creationOptions, ['Set-Cookie']) },
    handle: ({ body, request, reply }, { invitedPasskey }: PasskeyDeps) =>
      invitedPasskey.begin(body.code, { request, reply }),
  }),
  openEndpoint({
    ...guessed,
    path: '/console/-/invitation/passkey',
    id: 'acceptInvitationByPasskey',
    summary: 'Make a passkey by an invitation, and sign in',
    description:
      'Works once. A former password, passkeys, the second factor and all other sessions of the user end.',
    body: checkedBody(
      Type.Object({ code: invitationCode, name: passkeyName, passkey: createdPasskey }, closed),
    ),
    answers: startedAnswer,
    handle: ({ body, request, reply }, { invitedPasskey }: PasskeyDeps) =>
      invitedPasskey.accept(body, { request, reply }),
  }),
]
