/** Signing in with a passkey, and the second step of a sign-in by password, for browsers (docs/console-sign-in.md). */
import type { InvitedPasskey } from '../../auth/credentials/invited-passkey.ts'
import type { Passkeys } from '../../auth/passkeys/passkeys.ts'
import type { SecondStep } from '../../auth/second-factor/second-step.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { openEndpoint } from '../../http/endpoint/endpoint.ts'
import { json } from '../../http/openapi/operation.ts'
import {
  createdPasskey,
  creationOptions,
  passkeyName,
  passkeyProof,
  signingOptions,
} from './passkey-bodies.ts'
import { guessed, invitationCode, started } from './started-session.ts'

export type PasskeyDeps = {
  readonly passkeys: Passkeys
  readonly invitedPasskey: InvitedPasskey
  readonly secondStep: SecondStep
}

const closed = { additionalProperties: false } as const
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
