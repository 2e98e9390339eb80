/** Signs a browser in at the issuer: it is redirected there, and from there back to a page of the console. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { originOf, recordRefusal } from '../../audit/record-audit.ts'
import { type Config, publicUrlOf } from '../../config/load-config.ts'
import type { Pool } from '../../database/pool.ts'
import { errorText, StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { authorOf } from '../caller.ts'
import { digestOf } from '../callers/api-keys.ts'
import {
  type BindInvited,
  type BindUser,
  createFindTokenCaller,
  type FindTokenCaller,
} from '../callers/find-callers.ts'
import { isLoopback } from '../tokens/development-issuer.ts'
import { isUnauthorized } from '../unauthorized.ts'
import { type Cookies, createCookies } from './cookies.ts'
import {
  type Begun,
  createOpenId,
  type OpenId,
  SignInError,
  type SignInFailure,
} from './open-id.ts'
import type { Sessions } from './sessions.ts'

/** Where to send the browser; with a failure it is the page of the sign-in. */
type Next = { readonly address: string; readonly failure?: SignInFailure }

export type IssuerSignIn = {
  /**
   * Begins a sign-in that ends at a page of the console. The code of an invitation makes who signs in its user; `asksAgain`: the issuer
   * signs in nobody whom it only knows.
   */
  readonly begin: (
    request: FastifyRequest,
    reply: FastifyReply,
    goal: Goal & { readonly asksAgain?: boolean },
  ) => Promise<Next>
  /** Reads what the browser brings back from the issuer, and starts its session. */
  readonly finish: (request: FastifyRequest, reply: FastifyReply) => Promise<Next>
  /** The address that ends the session at the issuer; undefined if it has none or does not answer. */
  readonly endAddress: () => Promise<string | undefined>
}

type Options = {
  readonly config: Config
  readonly pool: Pool
  readonly sessions: Sessions
  readonly bindUser: BindUser | undefined
  readonly bindInvited: BindInvited
  readonly observe: Observe
}

/** Time for signing in at the issuer. */
const signInSeconds = 600

/** Creates the sign-in of a service with AUTH_CLIENT_ID. */
export const createIssuerSignIn = (options: Options): IssuerSignIn | undefined => {
  const { AUTH_ISSUER: issuer, AUTH_CLIENT_ID: clientId, ...config } = options.config
  if (issuer === undefined || clientId === undefined) return undefined
  if (config.PUBLIC_URL === undefined && !isLoopback(config.HOST))
    throw new StartupError(
      'AUTH_CLIENT_ID needs PUBLIC_URL: the issuer sends browsers back to its path /console/-/callback.',
    )
  const openId = createOpenId({ issuer, clientId, clientSecret: config.AUTH_CLIENT_SECRET })
  const findTokenCaller = createFindTokenCaller({
    ...options,
    provisionRole: config.AUTH_PROVISION_ROLE,
  })
  const parts = { ...options, openId, findTokenCaller, cookies: createCookies(options.config) }
  return {
    begin: (request, reply, goal) =>
      orFailure(parts, request, () => begin(parts, { request, reply }, goal)),
    finish: (request, reply) => orFailure(parts, request, () => finish(parts, request, reply)),
    endAddress: () => openId.endAddress().catch(() => undefined),
  }
}

type Parts = Options & {
  readonly openId: OpenId
  readonly findTokenCaller: FindTokenCaller
  readonly cookies: Cookies
}

const begin = async (
  { config, openId, cookies }: Parts,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  { asksAgain = false, ...goal }: Goal & { readonly asksAgain?: boolean },
): Promise<string> => {
  const { address, begun } = await openId.begin(callbackOf(config, request), asksAgain)
  const others = readSignIns(cookies.read(request.headers.cookie, 'signIns'))
  keep(cookies, reply, [{ ...begun, ...goal }, ...others])
  return address
}

const finish = async (
  { config, sessions, findTokenCaller, openId, cookies, ...deps }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> => {
  const parameters = new URL(request.url, 'http://localhost').searchParams
  const all = readSignIns(cookies.read(request.headers.cookie, 'signIns'))
  const one = all.find(({ state }) => state === parameters.get('state'))
  if (!one) throw new SignInError('expired', 'this browser has begun no such sign-in')
  keep(
    cookies,
    reply,
    all.filter((other) => other !== one),
  )
  const { claims, at } = await openId.finish(parameters, one, callbackOf(config, request))
  if (one.invitation !== undefined) await bind(deps, one.invitation, claims.subject)
  const { caller } = await findTokenCaller(claims)
  await sessions.start(request, reply, {
    ...authorOf(caller),
    way: 'issuer',
    maySwitch: false,
    // An issuer that knew the browser has asked nothing now.
    ...(at !== undefined && { provenAt: at }),
  })
  return one.to
}

/** The person becomes the invited user, whatever their subject and e-mail are. */
const bind = async (
  { bindInvited, observe }: Pick<Parts, 'bindInvited' | 'observe'>,
  code: string,
  subject: string,
): Promise<void> => {
  const bound = await bindInvited(digestOf(code), subject)
  if (bound.result !== 'bound')
    throw bound.result === 'ended'
      ? new SignInError('invitation', 'the invitation was used or revoked, or is too old')
      : new SignInError('taken', `another user than the invited one has the subject ${subject}`)
  observe({ kind: 'userBound', userId: bound.userId, subject })
}

const keep = (cookies: Cookies, reply: FastifyReply, all: readonly BegunSignIn[]) =>
  reply.header('Set-Cookie', cookies.print('signIns', printSignIns(all), signInSeconds))

// A browser keeps cookies of 4096 bytes.
const maxCookie = 3_500

/** The page to open, and the invitation that led here. */
type Goal = { readonly to: string; readonly invitation?: string }

/** A sign-in that has begun at the issuer, and the page to open after it; the cookie has one for each tab. */
type BegunSignIn = Begun & Goal

/** The sign-ins of a cookie, the newest first. */
const readSignIns = (value = ''): readonly BegunSignIn[] =>
  value.split('~').flatMap((text) => {
    const [state, nonce, verifier, to, invitation] = text.split('.')
    if (!state || !nonce || !verifier || !to) return []
    const page = Buffer.from(to, 'base64url').toString()
    return [{ state, nonce, verifier, to: page, ...(invitation && { invitation }) }]
  })

/** The value of the cookie: the newest sign-ins that have room. */
const printSignIns = (all: readonly BegunSignIn[]): string => {
  const value = all
    .map(({ state, nonce, verifier, to, invitation }) => {
      const page = Buffer.from(to).toString('base64url')
      return [state, nonce, verifier, page, ...(invitation ? [invitation] : [])].join('.')
    })
    .join('~')
  return value.length <= maxCookie ? value : printSignIns(all.slice(0, -1))
}

const callbackOf = (config: Config, { socket }: FastifyRequest): string =>
  `${publicUrlOf(config, socket.localPort)}/console/-/callback`

/** The page of the sign-in with the code of the failure; the log has the rest. */
const orFailure = async (
  { config, pool, observe }: Parts,
  request: FastifyRequest,
  work: () => Promise<string>,
): Promise<Next> => {
  try {
    return { address: await work() }
  } catch (error) {
    const isUnknown = isUnauthorized(error)
    if (!isUnknown && !(error instanceof SignInError)) throw error
    const failure = error instanceof SignInError ? error.failure : 'unknown'
    const detail = errorText(error)
    observe({ kind: 'signInFailed', requestId: request.id, reason: failure, detail })
    const origin = originOf(request)
    await recordRefusal(pool, { way: 'issuer', reason: failure, userId: undefined, origin })
    const base = publicUrlOf(config, request.socket.localPort)
    return { address: `${base}/console/-/login?error=${failure}`, failure }
  }
}
