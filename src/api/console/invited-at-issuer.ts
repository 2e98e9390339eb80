/** An invitation that leads to the issuer: who signs in there becomes the invited user. */
import type { Passwords } from '../../auth/passwords/passwords.ts'
import type { IssuerSignIn } from '../../auth/sessions/issuer-sign-in.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { apiError } from '../../errors.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { openEndpoint } from '../../http/endpoint/endpoint.ts'
import { json, objectOf } from '../../http/openapi/operation.ts'
import { guessed, invitationCode } from './started-session.ts'

type Deps = {
  readonly passwords: Pick<Passwords, 'lookAt'>
  readonly issuerSignIn: IssuerSignIn | undefined
  readonly basePath: string
}

const address = objectOf({
  address: { type: 'string', format: 'uri', description: 'The page of the issuer.' },
})

export const invitedAtIssuer = openEndpoint({
  ...guessed,
  path: '/console/-/invitation/issuer',
  id: 'beginInvitedSignIn',
  summary: 'Begin the first sign-in of an invited user at the issuer',
  description:
    'The person who signs in becomes the invited user, from then on by their subject. The invitation is used up when they come back.',
  errors: [...guessed.errors, 'caller.forbidden'],
  body: checkedBody(Type.Object({ code: invitationCode }, { additionalProperties: false })),
  answers: { 200: json('Where to go on.', address, ['Set-Cookie']) },
  handle: async ({ body, request, reply }, { passwords, issuerSignIn, basePath }: Deps) => {
    await passwords.lookAt(body.code, { request, reply })
    if (!issuerSignIn)
      throw apiError('caller.forbidden', 'No identity provider signs people in here.')
    const goal = { to: `${basePath}/console/`, invitation: body.code }
    return { address: (await issuerSignIn.begin(request, reply, goal)).address }
  },
})
