/** Accounts over HTTP, for administrators: who signs in and how, with which roles, and in which browsers (docs/users.md). */
import { authorOf } from '../../auth/caller.ts'
import type { Sessions } from '../../auth/sessions/sessions.ts'
import type { SignInWays } from '../../auth/sign-in-ways.ts'
import type { Pool } from '../../database/pool.ts'
import { apiError } from '../../errors.ts'
import { answerIn, type LanguageDeps, namesLanguage } from '../../http/endpoint/answer-language.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import {
  id,
  integer,
  limitedText,
  oneOf,
  pageOf,
  pageParameters,
} from '../../http/endpoint/parameters.ts'
import {
  component,
  count,
  dataOf,
  empty,
  json,
  objectOf,
  schemasBy,
  time,
  type ValueOf,
} from '../../http/openapi/operation.ts'
import { session, sessionsOf } from '../console/session-endpoints.ts'
import { describedRoles, printRoles } from '../roles-of-user.ts'
import {
  accountSignInWays,
  accountStatuses,
  countAccounts,
  findAccountName,
  selectAccounts,
} from './account-store.ts'
import { wordsOf } from './people-endpoint.ts'

export type AccountDeps = LanguageDeps & {
  readonly pool: Pool
  readonly sessions: Sessions
  readonly ways: Pick<SignInWays, 'offered'>
}

const integerType = { type: 'integer' } as const

const account = component(
  'Account',
  objectOf({
    id: { ...integerType, description: 'Id of the user.' },
    version: { ...integerType, description: 'Of the user record, for `If-Match` of a change.' },
    full_name: { type: 'string' },
    email: { type: 'string' },
    username: { type: 'string' },
    is_active: { type: 'boolean' },
    is_blocked: { type: 'boolean' },
    roles: describedRoles.roles,
    groups: {
      type: 'array',
      description: 'The first 20 by name.',
      items: objectOf({ id: integerType, name: { type: 'string' } }),
    },
    invitation: {
      anyOf: [objectOf({ id: integerType, expires_at: time }), { type: 'null' }],
      description: 'The one that is open.',
    },
    is_invited: {
      type: 'boolean',
      description: 'Whether an invitation is open and the user was not seen since.',
    },
    is_anonymised: { type: 'boolean' },
    ways: {
      type: 'array',
      items: { type: 'string', enum: accountSignInWays },
      description:
        'How the user can sign in: with a password, with a passkey, with tokens of the issuer by a subject that is known, with an API key, with a code by e-mail.',
    },
    has_second_factor: {
      type: 'boolean',
      description: 'Whether the code of an authenticator app is asked after the password.',
    },
    last_seen_at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the user last sent a request, to the minute; null: never.',
    },
  }),
)

const accounts = component(
  'Accounts',
  objectOf({
    data: { type: 'array', items: account },
    counts: {
      ...objectOf(schemasBy(['all', ...accountStatuses], count)),
      description: 'Of all pages, whatever the status of this list.',
    },
  }),
)

export type Account = ValueOf<typeof account>
export type Accounts = ValueOf<typeof accounts>

const common = { tag: 'People', who: 'administrator' } as const

const unknownAccount = (text: number | string) =>
  apiError('record.unknown', `There is no user ${text}.`)

/** The id of a user in a path. */
export const accountId = id({
  description: 'Id of the user.',
  unknown: unknownAccount,
  errors: ['record.unknown'],
})

export const requireAccount = async (pool: Pool, userId: number): Promise<string> => {
  const name = await findAccountName(pool, userId)
  if (name === undefined) throw unknownAccount(userId)
  return name
}

const sessionId = id({
  description: 'Id of the session.',
  unknown: (text) => apiError('session.unknown', `There is no session ${text} of the user.`),
  errors: ['session.unknown'],
})

const ofUser = '/api/accounts/{id}/sessions'

/** /api/accounts and the sessions below. */
export const accountEndpoints = [
  endpoint({
    ...common,
    method: 'get',
    path: '/api/accounts',
    id: 'listAccounts',
    summary: 'Users, with how they sign in and when they were last seen',
    description: 'By name, without removed users. For administrators.',
    query: {
      q: wordsOf('the name, the e-mail or the user name contains'),
      status: oneOf(accountStatuses, {
        description:
          'Only users who may sign in (`active`), have an open invitation and were not seen since, are blocked, or are not active.',
      }),
      role: limitedText('Only users who have the role with this key.', 63),
      ...pageParameters,
      limit: integer({ min: 1, max: 100, default: 20, description: 'Users of one page.' }),
    },
    headers: { acceptLanguage: namesLanguage },
    answers: { 200: json('One page.', accounts, ['Content-Language']) },
    handle: async ({ query, headers, reply }, deps: AccountDeps) => {
      const { catalog } = answerIn(deps, headers.acceptLanguage, reply)
      const offersCodes = deps.ways.offered.includes('code')
      const wanted = { words: query.q, status: query.status, role: query.role }
      const [rows, counts] = await Promise.all([
        selectAccounts(deps.pool, wanted, { ...pageOf(query), offersCodes }),
        countAccounts(deps.pool, wanted),
      ])
      const data = rows.map(({ role_key: key, ...row }) => ({
        ...row,
        roles: key === null ? [] : printRoles(catalog, key).roles,
      }))
      return { data, counts }
    },
  }),
  endpoint({
    ...common,
    method: 'get',
    path: ofUser,
    id: 'listSessionsOfUser',
    summary: 'The sessions of a user, the newest first',
    params: { id: accountId },
    answers: { 200: json('All of them.', dataOf(session)) },
    handle: async ({ params, request }, deps: AccountDeps) => {
      await requireAccount(deps.pool, params.id)
      return { data: await sessionsOf(deps, params.id, request) }
    },
  }),
  endpoint({
    ...common,
    method: 'delete',
    path: ofUser,
    id: 'endSessionsOfUser',
    summary: 'End all sessions of a user',
    description:
      'Also those in which they act as another user. API keys and tokens stay valid. For administrators.',
    params: { id: accountId },
    answers: { 204: empty('They have ended.') },
    handle: async ({ params, caller, request }, { pool, sessions }: AccountDeps) => {
      await requireAccount(pool, params.id)
      await sessions.endAll({ userId: params.id, by: authorOf(caller), request })
    },
  }),
  endpoint({
    ...common,
    method: 'delete',
    path: `${ofUser}/{session}`,
    id: 'endSessionOfUser',
    summary: 'End one session of a user',
    params: { id: accountId, session: sessionId },
    answers: { 204: empty('It has ended.') },
    handle: ({ params, caller, request }, { sessions }: AccountDeps) =>
      sessions.end({ id: params.session, userId: params.id, by: authorOf(caller), request }),
  }),
]
