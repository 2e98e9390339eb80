/** Passwords and invitations over HTTP, for browsers (docs/console-sign-in.md). */
import { passwordLength } from '../../auth/passwords/password-rules.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { endpoint, openEndpoint } from '../../http/endpoint/endpoint.ts'
import { component, empty, json, objectOf, type ValueOf } from '../../http/openapi/operation.ts'
import { started } from './started-session.ts'

export type PasswordDeps = { readonly passwords: Passwords }

const tag = 'Sessions'

const name = Type.String({
  minLength: 1,
  maxLength: 320,
  description: 'The e-mail or the user name; upper and lower case are the same.',
})
const password = Type.String({ minLength: 1, maxLength: passwordLength.max })
const newPassword = Type.String({
  maxLength: passwordLength.max,
  description: `At least ${passwordLength.min} characters, and none of the name or address alone.`,
})
const code = Type.String({ maxLength: 100, description: 'Of the link of the invitation.' })

const invited = component(
  'InvitedPerson',
  objectOf({ full_name: { type: 'string' }, email: { type: 'string' } }),
)

export type InvitedPerson = ValueOf<typeof invited>

const guessed = {
  tag,
  method: 'post',
  readers: (): 'guessers' => 'guessers',
  errors: [
    ...(['caller.unauthenticated', 'request.too-many', 'request.saturated'] as const),
    ...(['request.contended', 'request.too-slow'] as const),
    ...(['database.unavailable', 'database.changed'] as const),
  ],
} as const

export const passwordEndpoints = [
  openEndpoint({
    ...guessed,
    path: '/console/-/session/password',
    id: 'signInByPassword',
    summary: 'Sign a browser in with a password',
    description:
      'Only a page of the service can do this. The answer is the same whether the name, the password or the user is wrong. After five failures each further one has to wait, up to a quarter of an hour; a browser in which the user has signed in before counts its own.',
    body: checkedBody(Type.Object({ name, password }, { additionalProperties: false })),
    answers: { 200: json('The session.', started, ['Set-Cookie']) },
    handle: ({ body, request, reply }, { passwords }: PasswordDeps) =>
      passwords.signIn(body, { request, reply }),
  }),
  openEndpoint({
    ...guessed,
    path: '/console/-/invitation',
    id: 'lookAtInvitation',
    summary: 'Whom an invitation is for',
    description: 'Uses nothing up.',
    body: checkedBody(Type.Object({ code }, { additionalProperties: false })),
    answers: { 200: json('The invited user.', invited) },
    handle: ({ body, request, reply }, { passwords }: PasswordDeps) =>
      passwords.lookAt(body.code, { request, reply }),
  }),
  openEndpoint({
    ...guessed,
    path: '/console/-/invitation/accept',
    id: 'acceptInvitation',
    summary: 'Set a password by an invitation, and sign in',
    description: 'Works once. All other sessions of the user end.',
    body: checkedBody(
      Type.Object({ code, password: newPassword }, { additionalProperties: false }),
    ),
    answers: { 200: json('The session.', started, ['Set-Cookie']) },
    handle: ({ body, request, reply }, { passwords }: PasswordDeps) =>
      passwords.accept(body, { request, reply }),
  }),
  endpoint({
    tag,
    who: 'caller',
    method: 'put',
    path: '/console/-/password',
    id: 'changePassword',
    summary: 'Change your password',
    description: 'All your other sessions end.',
    body: checkedBody(
      Type.Object({ password, new_password: newPassword }, { additionalProperties: false }),
    ),
    errors: ['caller.forbidden', 'session.unknown', 'request.too-many', 'request.saturated'],
    answers: { 204: empty('It is changed.', ['Set-Cookie']) },
    handle: ({ body, request, reply }, { passwords }: PasswordDeps) =>
      passwords.change(body, { request, reply }),
  }),
]
