/** What a browser signs in with: a development link, an API key, or during development another user. */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { orRefused } from '../../audit/record-audit.ts'
import type { Config } from '../../config/load-config.ts'
import type { Pool, Queryable } from '../../database/pool.ts'
import { apiError } from '../../errors.ts'
import { authorOf, isScoped } from '../caller.ts'
import { digestOf, isApiKey, markApiKeyUsed } from '../callers/api-keys.ts'
import { findKeyCaller, findUserCaller } from '../callers/find-callers.ts'
import { insertCode, takeCode } from '../codes/one-time-code-store.ts'
import { acceptedCredentials } from '../sign-in-ways.ts'
import { invalidToken } from '../unauthorized.ts'
import type { Sessions, StartedSession } from './sessions.ts'

/** Exactly one of them is given. */
type Credential = {
  readonly code?: string
  readonly api_key?: string
  readonly user_id?: number
}

/** Starts a session; throws an error 401 if the credential is wrong. */
export type SignIn = (
  credential: Credential,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<StartedSession>

type Options = { readonly config: Config; readonly pool: Pool; readonly sessions: Sessions }

/** Creates the sign-in of one service. */
export const createSignIn = ({ config, pool, sessions }: Options): SignIn => {
  const isDevelopment = acceptedCredentials(config) === 'development'

  const byCode = async (code: string) => {
    if (!isDevelopment)
      throw invalidToken('A link signs in only with the development issuer, on this machine.')
    const userId = await takeCode(pool, { kind: 'link', digest: digestOf(code) })
    if (userId === undefined)
      throw invalidToken('The link is wrong, was used or is older than ten minutes.')
    return {
      ...authorOf(await findUserCaller(pool, userId)),
      way: 'link',
      maySwitch: true,
    } as const
  }

  const byKey = async (key: string) => {
    if (!isApiKey(key)) throw invalidToken('This is not an API key; it begins with "docket_".')
    const { caller, apiKeyId } = await findKeyCaller(pool, digestOf(key))
    if (isScoped(caller))
      throw apiError('caller.forbidden', 'An API key with a scope does not sign in to the console.')
    if (apiKeyId !== undefined) await markApiKeyUsed(pool, apiKeyId)
    return {
      ...authorOf(caller),
      way: 'apiKey',
      maySwitch: false,
      ...(apiKeyId !== undefined && { apiKeyId }),
    } as const
  }

  const bySwitch = async (userId: number, request: FastifyRequest) => {
    const { session, caller } = await sessions.current(request)
    if (!session.maySwitch)
      throw apiError(
        'caller.forbidden',
        'Only a session of a development link can switch to another user.',
      )
    if (userId === caller.userId)
      throw apiError('caller.forbidden', 'The session is of this user. Choose another user.')
    await findUserCaller(pool, userId)
    // A person who becomes several users in turn stays the one who signed in.
    const first = caller.actingUser?.id ?? caller.userId
    const actingUserId = first === userId ? null : first
    return { userId, actingUserId, way: 'user', maySwitch: true } as const
  }

  return async ({ code, api_key: key, user_id: userId }, request, reply) => {
    // A page of another service must not sign a browser in as another user.
    sessions.assertOwnPage(request)
    if (code !== undefined) {
      const one = await orRefused(pool, { way: 'link', request }, () => byCode(code))
      return sessions.start(request, reply, one)
    }
    if (key !== undefined) {
      const one = await orRefused(pool, { way: 'apiKey', request }, () => byKey(key))
      return sessions.start(request, reply, one)
    }
    return sessions.start(request, reply, await bySwitch(userId ?? 0, request))
  }
}

/** Creates a code that signs in once as a user, within ten minutes. */
export const createLoginCode = async (database: Queryable, userId: number): Promise<string> => {
  const code = randomBytes(32).toString('base64url')
  await insertCode(database, { kind: 'link', userId, digest: digestOf(code) })
  return code
}

/** The address that signs in; the fragment stays in the browser, and so in no log. */
export const loginLink = (base: string, code: string): string =>
  `${base}/console/-/login#code=${code}`
