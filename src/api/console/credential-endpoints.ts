/** How users sign in, as they arrange it for themselves: passkeys, the second factor, recovery codes (docs/console-sign-in.md). */
import type { OwnCredentials } from '../../auth/credentials/own-credentials.ts'
import type { Prove } from '../../auth/credentials/prove.ts'
import { passwordLength } from '../../auth/passwords/password-rules.ts'
import { closed, Type } from '../../definitions/schemas/schema-builder.ts'
import { textIssue } from '../../definitions/values/check-text.ts'
import { apiError, validationError } from '../../errors.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { endpoint, openEndpoint } from '../../http/endpoint/endpoint.ts'
import { id } from '../../http/endpoint/parameters.ts'
import {
  component,
  empty,
  json,
  objectOf,
  time,
  timeOrNull,
  type ValueOf,
} from '../../http/openapi/operation.ts'
import { createdPasskey, creationOptions, passkeyName, passkeyProof } from './passkey-endpoints.ts'
import { guessed } from './started-session.ts'

export type CredentialDeps = { readonly ownCredentials: OwnCredentials; readonly prove: Prove }

const passkey = component(
  'Passkey',
  objectOf({
    id: { type: 'integer' },
    name: { type: 'string' },
    created_at: time,
    last_used_at: timeOrNull,
  }),
)

const credentials = component(
  'Credentials',
  objectOf({
    has_password: { type: 'boolean' },
    passkeys: { type: 'array', items: passkey, description: 'The newest first.' },
    app_since: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'Since when the code of an app is asked after the password.',
    },
    recovery_codes: { type: 'integer', description: 'How many are left.' },
    is_proven: {
      type: 'boolean',
      description: 'Whether you have proven within the last ten minutes who you are.',
    },
  }),
)

const newKey = component(
  'NewAppKey',
  objectOf({
    key: { type: 'string', description: 'In base 32, to be typed into an app.' },
    address: { type: 'string', description: 'The same for a QR code.' },
  }),
)

const recoveryCodes = component(
  'RecoveryCodes',
  objectOf({
    codes: {
      type: 'array',
      items: { type: 'string' },
      description: 'Shown only here. Each stands once in place of a code of the app.',
    },
  }),
)

export type OwnPasskey = ValueOf<typeof passkey>
export type Credentials = ValueOf<typeof credentials>
export type NewAppKey = ValueOf<typeof newKey>
export type RecoveryCodes = ValueOf<typeof recoveryCodes>

const common = { tag: guessed.tag, who: 'caller' } as const
// They are for a session, or for a sign-in that needs a second factor before it has one.
const set = {
  ...guessed,
  errors: [...guessed.errors, 'caller.forbidden', 'caller.not-proven', 'session.unknown'],
} as const
const proven = [
  'caller.forbidden',
  'caller.not-proven',
  'session.unknown',
  'record.unknown',
] as const
const alsoInSignIn =
  'Needs a proof of the last ten minutes, or a sign-in that asks for a second factor to be set up, which it ends.'
const needsProof = 'Needs a proof of the last ten minutes.'

const passkeyId = id({
  description: 'Id of the passkey.',
  unknown: (text) => apiError('record.unknown', `You have no passkey ${text}.`),
  errors: ['record.unknown'],
})

/** A name without characters that nobody can see. */
export const checkedName = (name: string): string => {
  const issue = textIssue(name)
  if (issue !== undefined)
    throw validationError('request.invalid', [{ path: 'name', message: issue }])
  return name
}

export const credentialEndpoints = [
  endpoint({
    ...common,
    method: 'get',
    path: '/console/-/credentials',
    id: 'getCredentials',
    summary: 'How you sign in',
    errors: ['session.unknown'],
    answers: { 200: json('What you have.', credentials) },
    handle: (call, { ownCredentials }: CredentialDeps) => ownCredentials.find(call),
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/console/-/session/proof',
    id: 'proveIdentity',
    summary: 'Prove again who you are',
    description:
      'By one of them; a user with an app by its code or a passkey. It counts for ten minutes of this session.',
    body: checkedBody(
      Type.Object(
        {
          password: Type.Optional(Type.String({ minLength: 1, maxLength: passwordLength.max })),
          code: Type.Optional(Type.String({ pattern: '^[0-9]{6}$', description: 'Of the app.' })),
          passkey: Type.Optional(passkeyProof),
        },
        { ...closed, minProperties: 1, maxProperties: 1 },
      ),
    ),
    errors: ['caller.forbidden', 'session.unknown', 'request.too-many', 'request.saturated'],
    answers: { 204: empty('It is proven.') },
    handle: ({ body, request, reply }, { prove }: CredentialDeps) =>
      prove(body, { request, reply }),
  }),
  openEndpoint({
    ...set,
    path: '/console/-/passkeys/challenge',
    id: 'beginPasskey',
    summary: 'What you make a passkey for',
    description: alsoInSignIn,
    answers: { 200: json('For `navigator.credentials.create`.', creationOptions, ['Set-Cookie']) },
    handle: (call, { ownCredentials }: CredentialDeps) => ownCredentials.beginPasskey(call),
  }),
  openEndpoint({
    ...set,
    path: '/console/-/passkeys',
    id: 'addPasskey',
    summary: 'Add a passkey',
    description: alsoInSignIn,
    body: checkedBody(Type.Object({ name: passkeyName, passkey: createdPasskey }, closed)),
    answers: { 201: json('The passkey.', passkey, ['Set-Cookie']) },
    handle: async ({ body, request, reply }, { ownCredentials }: CredentialDeps) => {
      checkedName(body.name)
      const added = await ownCredentials.addPasskey(body, { request, reply })
      reply.status(201)
      return added
    },
  }),
  endpoint({
    ...common,
    method: 'patch',
    path: '/console/-/passkeys/{id}',
    id: 'renamePasskey',
    summary: 'Rename one of your passkeys',
    params: { id: passkeyId },
    body: checkedBody(Type.Object({ name: passkeyName }, closed)),
    errors: ['caller.forbidden', 'session.unknown', 'record.unknown'],
    answers: { 204: empty('It is renamed.') },
    handle: ({ params, body, request, reply }, { ownCredentials }: CredentialDeps) =>
      ownCredentials.renamePasskey(params.id, checkedName(body.name), { request, reply }),
  }),
  endpoint({
    ...common,
    method: 'delete',
    path: '/console/-/passkeys/{id}',
    id: 'removePasskey',
    summary: 'Remove one of your passkeys',
    description: `${needsProof} All your other sessions end.`,
    params: { id: passkeyId },
    errors: proven,
    answers: { 204: empty('It is removed.', ['Set-Cookie']) },
    handle: ({ params, request, reply }, { ownCredentials }: CredentialDeps) =>
      ownCredentials.removePasskey(params.id, { request, reply }),
  }),
  openEndpoint({
    ...set,
    path: '/console/-/second-factor/key',
    id: 'beginSecondFactor',
    summary: 'A key for an authenticator app',
    description: `${alsoInSignIn} Nothing is stored.`,
    answers: { 200: json('The key.', newKey) },
    handle: async (call, { ownCredentials }: CredentialDeps) => {
      call.reply.header('Cache-Control', 'no-store')
      return ownCredentials.beginApp(call)
    },
  }),
  openEndpoint({
    ...set,
    method: 'put',
    path: '/console/-/second-factor',
    id: 'setSecondFactor',
    summary: 'Set up an authenticator app',
    description: `${alsoInSignIn} From then on its code is asked after your password. It replaces an earlier app and earlier recovery codes; all your other sessions end.`,
    body: checkedBody(
      Type.Object(
        {
          key: Type.String({ pattern: '^[A-Z2-7]{32}$' }),
          code: Type.String({ pattern: '^[0-9]{6}$', description: 'That the app shows now.' }),
        },
        closed,
      ),
    ),
    answers: { 200: json('The recovery codes.', recoveryCodes, ['Set-Cookie']) },
    handle: async ({ body, request, reply }, { ownCredentials }: CredentialDeps) => {
      reply.header('Cache-Control', 'no-store')
      return { codes: await ownCredentials.setApp(body, { request, reply }) }
    },
  }),
  endpoint({
    ...common,
    method: 'delete',
    path: '/console/-/second-factor',
    id: 'removeSecondFactor',
    summary: 'Remove your authenticator app',
    description: `${needsProof} Your recovery codes are removed too, and all your other sessions end.`,
    errors: proven,
    answers: { 204: empty('It is removed.', ['Set-Cookie']) },
    handle: (call, { ownCredentials }: CredentialDeps) => ownCredentials.removeApp(call),
  }),
  endpoint({
    ...common,
    method: 'post',
    path: '/console/-/recovery-codes',
    id: 'renewRecoveryCodes',
    summary: 'New recovery codes in place of the earlier ones',
    description: needsProof,
    errors: proven,
    answers: { 200: json('The recovery codes.', recoveryCodes) },
    handle: async (call, { ownCredentials }: CredentialDeps) => {
      call.reply.header('Cache-Control', 'no-store')
      return { codes: await ownCredentials.renewRecoveryCodes(call) }
    },
  }),
]
