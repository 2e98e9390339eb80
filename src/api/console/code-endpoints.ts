/** Sign-in by a code that is sent by e-mail, over HTTP (docs/console-sign-in.md). */
import type { AskedCodes } from '../../auth/codes/asked-codes.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { openEndpoint } from '../../http/endpoint/endpoint.ts'
import { empty } from '../../http/openapi/operation.ts'
import { firstFactorAnswers, guessed, signInName, typedName } from './started-session.ts'

export type CodeDeps = { readonly codes: AskedCodes }

export const codeEndpoints = [
  openEndpoint({
    ...guessed,
    path: '/console/-/code',
    id: 'askForCode',
    summary: 'Send a code for signing in by e-mail',
    description:
      'Only a page of the service can do this. The answer is the same whether or not somebody has the name. The code signs in only the browser that has the cookie of this answer, once, within ten minutes. 429: the next one can be asked for after a while.',
    body: checkedBody(Type.Object({ name: signInName }, { additionalProperties: false })),
    answers: { 204: empty('It is on its way, if a user has this name.', ['Set-Cookie']) },
    handle: async ({ body, request, reply }, { codes }: CodeDeps) => {
      await codes.ask(typedName(body.name), { request, reply })
    },
  }),
  openEndpoint({
    ...guessed,
    path: '/console/-/session/code',
    id: 'signInByCode',
    summary: 'Sign a browser in with a code',
    description: 'Five tries for each code, in the browser that asked for it.',
    body: checkedBody(
      Type.Object(
        { code: Type.String({ minLength: 1, maxLength: 40 }) },
        { additionalProperties: false },
      ),
    ),
    answers: firstFactorAnswers,
    handle: ({ body, request, reply }, { codes }: CodeDeps) =>
      codes.signIn(body.code, { request, reply }),
  }),
]
