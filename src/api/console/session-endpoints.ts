/** Sessions of browsers over HTTP: sign in, see who is signed in, sign out (docs/console-sign-in.md). */
import type { FastifyRequest } from 'fastify'
import { authorOf } from '../../auth/caller.ts'
import type { AskedCodes } from '../../auth/codes/asked-codes.ts'
import type { IssuerSignIn } from '../../auth/sessions/issuer-sign-in.ts'
import { selectSessions, selectSwitchUsers } from '../../auth/sessions/session-store.ts'
import { type Sessions, unknownSession } from '../../auth/sessions/sessions.ts'
import type { SignIn } from '../../auth/sessions/sign-in.ts'
import type { Pool } from '../../database/pool.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { Type } from '../../definitions/schemas/schema-builder.ts'
import { answerIn, type LanguageDeps, namesLanguage } from '../../http/endpoint/answer-language.ts'
import { checkedBody } from '../../http/endpoint/body.ts'
import { type ApiSection, endpoint, openEndpoint } from '../../http/endpoint/endpoint.ts'
import { id, maxRecordId } from '../../http/endpoint/parameters.ts'
import {
  component,
  dataOf,
  empty,
  json,
  objectOf,
  time,
  type ValueOf,
} from '../../http/openapi/operation.ts'
import { describedRoles, printRoles } from '../roles-of-user.ts'
import { type CredentialDeps, credentialEndpoints } from './credential-endpoints.ts'
import { type IssuerPageDeps, invitedAtIssuer, issuerPages } from './issuer-pages.ts'
import { type PasskeyDeps, passkeyEndpoints } from './passkey-endpoints.ts'
import { type PasswordDeps, passwordEndpoints } from './password-endpoints.ts'
import {
  firstFactorAnswers,
  guessed,
  signInName,
  started,
  startedProperties,
  typedName,
} from './started-session.ts'

// Sign-in by a code that is sent by e-mail, over HTTP (docs/console-sign-in.md).

type CodeDeps = { readonly codes: AskedCodes }

const codeEndpoints = [
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

type SessionDeps = LanguageDeps & {
  readonly pool: Pool
  readonly sessions: Sessions
  readonly signIn: SignIn
  readonly issuerSignIn: IssuerSignIn | undefined
}

const tag = 'Sessions'
const path = '/console/-/session'

const switchUser = objectOf({
  id: { type: 'integer' },
  full_name: { type: 'string' },
  ...describedRoles,
})

const current = component(
  'CurrentSession',
  objectOf(
    {
      ...startedProperties,
      users: {
        type: 'array',
        items: switchUser,
        maxItems: 200,
        description: 'The other users, of whom it may become one, with `may_switch`.',
      },
    },
    { required: ['user_id', 'expires_at', 'may_switch'] },
  ),
)

export const session = component(
  'Session',
  objectOf({
    id: { type: 'integer' },
    created_at: time,
    last_used_at: { ...time, description: 'To the minute.' },
    expires_at: time,
    user_agent: {
      type: ['string', 'null'],
      maxLength: 200,
      description: 'How the browser names itself.',
    },
    is_current: { type: 'boolean', description: 'Whether this request came with its cookie.' },
  }),
)

export type SwitchUser = ValueOf<typeof switchUser>
export type CurrentSession = ValueOf<typeof current>
export type BrowserSession = ValueOf<typeof session>

const credential = checkedBody(
  Type.Object(
    {
      code: Type.Optional(
        Type.String({ maxLength: 100, description: 'Of the link that `docket login` prints.' }),
      ),
      api_key: Type.Optional(
        Type.String({ maxLength: 200, description: 'Signs in as the user of the key.' }),
      ),
      user_id: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: maxRecordId,
          description: 'The other user to become, with a session that `may_switch`.',
        }),
      ),
    },
    { additionalProperties: false, minProperties: 1, maxProperties: 1 },
  ),
  { key: { summary: 'With an API key', value: { api_key: 'docket_…' } } },
)

const common = { tag, who: 'caller' } as const

const endpoints = [
  openEndpoint({
    tag,
    method: 'post',
    path,
    id: 'signIn',
    summary: 'Sign a browser in',
    description:
      'Only a page of the service can do this: see docs/console-sign-in.md. The session is in a cookie that scripts cannot read.',
    readers: (): 'guessers' => 'guessers',
    body: credential,
    errors: [
      ...(['caller.unauthenticated', 'caller.forbidden', 'session.unknown'] as const),
      ...(['request.saturated', 'request.contended', 'request.too-slow'] as const),
      ...(['database.unavailable', 'database.changed'] as const),
    ],
    answers: { 200: json('The session.', started, ['Set-Cookie']) },
    handle: ({ body, request, reply }, { signIn }: SessionDeps) => signIn(body, request, reply),
  }),
  endpoint({
    ...common,
    method: 'get',
    path,
    id: 'getSession',
    summary: 'Who is signed in',
    headers: { acceptLanguage: namesLanguage },
    errors: ['session.unknown'],
    answers: { 200: json('The session of the cookie.', current, ['Content-Language']) },
    handle: async ({ request, headers, reply }, deps: SessionDeps) => {
      const { caller, session: one } = await deps.sessions.current(request)
      const { catalog } = answerIn(deps, headers.acceptLanguage, reply)
      return {
        user_id: caller.userId,
        expires_at: one.expiresAt,
        may_switch: one.maySwitch,
        ...(one.maySwitch && { users: await switchUsers(deps.pool, catalog, caller.userId) }),
      }
    },
  }),
  endpoint({
    ...common,
    method: 'delete',
    path,
    id: 'signOut',
    summary: 'Sign out',
    description: 'The session ends at once in every process.',
    errors: ['session.unknown'],
    answers: { 204: empty('The session has ended.', ['Set-Cookie', 'End-Session-Address']) },
    handle: async ({ caller, request, reply }, { sessions, issuerSignIn }: SessionDeps) => {
      const { session: one } = await sessions.current(request)
      const { userId } = caller
      await sessions.end({ id: one.id, userId, by: authorOf(caller), request })
      sessions.clearCookie(reply)
      const address = await issuerSignIn?.endAddress()
      if (address !== undefined) reply.header('End-Session-Address', address)
    },
  }),
  endpoint({
    ...common,
    method: 'get',
    path: '/console/-/sessions',
    id: 'listSessions',
    summary: 'Your sessions, the newest first',
    description: 'At most 100; the oldest end when there are more.',
    answers: { 200: json('All of them.', dataOf(session)) },
    handle: async ({ caller, request }, deps: SessionDeps) => ({
      data: await sessionsOf(deps, caller.userId, request),
    }),
  }),
  endpoint({
    ...common,
    method: 'delete',
    path: '/console/-/sessions/{id}',
    id: 'endSession',
    summary: 'End one of your sessions',
    params: {
      id: id({
        description: 'Id of the session.',
        unknown: (text) => unknownSession(`You have no session ${text}.`),
        errors: ['session.unknown'],
      }),
    },
    answers: { 204: empty('It has ended.') },
    handle: ({ caller, params, request }, { sessions }: SessionDeps) =>
      sessions.end({ id: params.id, userId: caller.userId, by: authorOf(caller), request }),
  }),
]

/** The sessions of a user, of which one may be that of the request. */
export const sessionsOf = async (
  { sessions, pool }: Pick<SessionDeps, 'sessions' | 'pool'>,
  userId: number,
  request: FastifyRequest,
) => {
  const own = sessions.isSent(request) ? await sessions.current(request) : undefined
  const all = await selectSessions(pool, userId)
  return all.map((one) => ({ ...one, is_current: one.id === own?.session.id }))
}

/** The users that a session may become, with the names of their roles. */
const switchUsers = async (pool: Pool, catalog: Catalog, userId: number) =>
  (await selectSwitchUsers(pool, userId)).map(({ role_key: keys, ...user }) => ({
    ...user,
    ...printRoles(catalog, keys),
  }))

/** Signing in and out: requests of the console, and the pages of a sign-in at the issuer. */
export const sessionSection: ApiSection<
  SessionDeps & PasswordDeps & CodeDeps & PasskeyDeps & CredentialDeps & IssuerPageDeps
> = {
  tags: [{ name: tag, description: 'Browsers that are signed in to the console.' }],
  endpoints: [
    ...endpoints,
    ...passwordEndpoints,
    ...passkeyEndpoints,
    ...credentialEndpoints,
    ...codeEndpoints,
    invitedAtIssuer,
    ...issuerPages,
  ],
  headers: {
    'Set-Cookie': {
      description: 'The cookie of the session, or its removal.',
      schema: { type: 'string' },
    },
    'End-Session-Address': {
      description: 'The page of the issuer that ends the session there, if it has one.',
      schema: { type: 'string', format: 'uri' },
    },
  },
}
