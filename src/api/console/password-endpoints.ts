/** Passwords and invitations over HTTP, for browsers (docs/console-sign-in.md). */
import { passwordLength } from '../../auth/passwords/password-rules.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { endpoint, openEndpoint } from '../../http/endpoint/endpoint.ts'
import { component, empty, json, objectOf, type ValueOf } from '../../http/openapi/operation.ts'
import {
  firstFactorAnswers,
  guessed,
  invitationCode,
  signInName,
  typedName,
} from './started-session.ts'

export type PasswordDeps = { readonly passwords: Passwords }

const tag = 'Sessions'

const password = Type.String({ minLength: 1, maxLength: passwordLength.max })
const newPassword = Type.String({
  maxLength: passwordLength.max,
  description: `At least ${passwordLength.min} characters, and none of the name or address alone.`,
})
const code = invitationCode

const invited = component(
  'InvitedPerson',
  objectOf({ full_name: { type: 'string' }, email: { type: 'string' } }),
)

export type InvitedPerson = ValueOf<typeof invited>

export const passwordEndpoints = [
  openEndpoint({
    ...guessed,
    path: '/console/-/session/password',
    id: 'signInByPassword',
    summary: 'Sign a browser in with a password',
    description:
      'Only a page of the service can do this. The answer is the same whether the name, the password or the user is wrong. After five failures each further one has to wait, up to a quarter of an hour; a browser in which the user has signed in before counts its own.',
    body: checkedBody(Type.Object({ name: signInName, password }, { additionalProperties: false })),
    answers: firstFactorAnswers,
    handle: ({ body, request, reply }, { passwords }: PasswordDeps) =>
      passwords.signIn({ ...body, name: typedName(body.name) }, { request, reply }),
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
    summary: 'Accept an invitation, and sign in',
    description:
      'Works once, and sets the password, which is required where people have passwords. Passkeys, the second factor and all other sessions of the user end.',
    body: checkedBody(
      Type.Object({ code, password: Type.Optional(newPassword) }, { additionalProperties: false }),
    ),
    answers: firstFactorAnswers,
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
    description:
      'All your other sessions end. Without one you set your first; then, and with an authenticator app, you need a proof of the last ten minutes.',
    body: checkedBody(
      Type.Object(
        { password: Type.Optional(password), new_password: newPassword },
        { additionalProperties: false },
      ),
    ),
    errors: [
      ...(['caller.forbidden', 'caller.not-proven', 'session.unknown'] as const),
      ...(['request.too-many', 'request.saturated'] as const),
    ],
    answers: { 204: empty('It is changed.', ['Set-Cookie']) },
    handle: ({ body, request, reply }, { passwords }: PasswordDeps) =>
      passwords.change(body, { request, reply }),
  }),
]
