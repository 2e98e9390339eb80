/** The refused sign-ins over HTTP, for administrators, who can create or link the missing users. */
import { selectRefusals } from '../../auth/callers/credential-notes.ts'
import type { Pool } from '../../database/pool.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import {
  component,
  dataOf,
  json,
  objectOf,
  textOrNull,
  time,
  type ValueOf,
} from '../../http/openapi/operation.ts'

const refusedSignIn = component(
  'RefusedSignIn',
  objectOf({
    subject: {
      type: 'string',
      description: 'What `identity_provider_user_id` of the user has to be.',
    },
    email: { ...textOrNull, description: 'As the issuer says.' },
    is_email_verified: { type: 'boolean', description: 'Whether the issuer has verified it.' },
    name: textOrNull,
    reason: { type: 'string', description: 'Why the service refused the sign-in.' },
    times: { type: 'integer', description: 'How often; those of one minute count once.' },
    first_at: time,
    last_at: time,
    user: {
      anyOf: [
        objectOf({ id: { type: 'integer' }, full_name: { type: 'string' } }),
        { type: 'null' },
      ],
      description: 'The user who has this e-mail.',
    },
  }),
)

export type RefusedSignIn = ValueOf<typeof refusedSignIn>

/** /api/refused-sign-ins. */
export const refusedSignInEndpoints = [
  endpoint({
    tag: 'Service',
    who: 'administrator',
    method: 'get',
    path: '/api/refused-sign-ins',
    id: 'listRefusedSignIns',
    summary: 'People for whom the issuer vouches, and whom the service refused',
    description:
      'The newest first, at most 500 of the last 30 days. People who are active users by now are left out. For administrators.',
    answers: { 200: json('All of them.', dataOf(refusedSignIn)) },
    handle: async (_call, { pool }: { readonly pool: Pool }) => ({
      data: await selectRefusals(pool),
    }),
  }),
]
