/**
 * Builds the authentication of callers: tokens of an issuer, API keys and sessions, cached as long as they
 * are valid.
 */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/load-config.ts'
import type { Listener } from '../../database/listener.ts'
import type { Pool } from '../../database/pool.ts'
import { RequestContext, runInRequest } from '../../database/request-context.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { nativeEntity } from '../../definitions/native-entities.ts'
import type { Observe } from '../../observations.ts'
import type { Caller } from '../caller.ts'
import { type AskedCodes, createAskedCodes } from '../codes/asked-codes.ts'
import { createInvitedPasskey } from '../credentials/invited-passkey.ts'
import { createOwnCredentials } from '../credentials/own-credentials.ts'
import { createOwnKeys } from '../credentials/own-keys.ts'
import { createProve } from '../credentials/prove.ts'
import { type CookieSigner, createPasskeys } from '../passkeys/passkeys.ts'
import { createPasswords, type Passwords } from '../passwords/passwords.ts'
import { createSecondStep } from '../second-factor/second-step.ts'
import { createIssuerSignIn, type IssuerSignIn } from '../sessions/issuer-sign-in.ts'
import { createSessions, type Sessions } from '../sessions/sessions.ts'
import { createSignIn, type SignIn } from '../sessions/sign-in.ts'
import { acceptedCredentials, type SignInWays } from '../sign-in-ways.ts'
import { openDevelopmentIssuer } from '../tokens/development-issuer.ts'
import { createRemoteKeySource } from '../tokens/remote-key-source.ts'
import { createVerifyToken, type VerifyToken } from '../tokens/verify-token.ts'
import { invalidToken } from '../unauthorized.ts'
import { type CallerCache, createCallerCache, watchCallers } from './caller-cache.ts'
import { createNoteUse, markSeen } from './credential-notes.ts'
import {
  type BeforeAuthenticate,
  type BindInvited,
  type BindUser,
  createAuthenticate,
} from './find-callers.ts'

type Options = {
  readonly config: Config
  readonly ways: SignInWays
  readonly catalog: Catalog
  readonly timeZone: string
  readonly pool: Pool
  readonly listener: Listener
  /** Creates what AUTH_BIND_BY_EMAIL binds users with: a change of a record. */
  readonly createBindUser: (pool: Pool, catalog: Catalog) => BindUser
  /** Binds the user of an invitation who signs in at the issuer. */
  readonly bindInvited: BindInvited
  readonly observe: Observe
  /** Keys of the roles whose users need a second factor. */
  readonly secondFactorFor: readonly string[]
  readonly signer: CookieSigner
}

export type Callers = {
  /** The caller of a request; an error 401 if there is none. */
  readonly authenticate: (
    request: FastifyRequest,
    beforeAsking?: BeforeAuthenticate,
  ) => Promise<Caller>
  /** Call it after every write, before the response. */
  readonly onWritten: (entity: { readonly key: string }) => void
  readonly sessions: Sessions
  readonly signIn: SignIn
  readonly passwords: Passwords
  /** All other ways of this service, for its endpoints. */
  readonly credentials: Credentials
  readonly codes: AskedCodes
  /** Undefined where browsers cannot sign in at an issuer. */
  readonly issuerSignIn: IssuerSignIn | undefined
}

/** Which credentials are accepted: tokens of the issuer or the development issuer, API keys, sessions. */
export const createCallers = async (options: Options): Promise<Callers> => {
  const { config, ways, catalog, pool, listener, observe, createBindUser, bindInvited } = options
  const callers = createCallerCache()
  const bindUser = config.AUTH_BIND_BY_EMAIL === 'true' ? createBindUser(pool, catalog) : undefined
  const verifyToken = await openVerifyToken(config)
  const verify = createAuthenticate({
    pool,
    catalog,
    callers,
    verifyToken,
    provisionRole: config.AUTH_PROVISION_ROLE,
    bindUser,
    observe,
  })
  watchCallers({ listener, callers, observe })
  const sessions = createSessions({ config, pool, callers, observe })
  const credentials = createCredentials(options, { callers, sessions })
  const { secondStep } = credentials
  const noteSeen = createNoteUse({ mark: (id) => markSeen(pool, id), observe })
  // A stream authenticates its request repeatedly, and nobody needs to be there for that.
  const seen = new WeakSet<FastifyRequest>()
  return {
    sessions,
    credentials,
    signIn: createSignIn({ config, pool, sessions }),
    codes: createAskedCodes({ config, ways, pool, sessions, secondStep }),
    passwords: createPasswords({
      config,
      ways,
      pool,
      callers,
      sessions,
      secondStep,
      observe,
      serviceName: serviceNameOf(catalog),
    }),
    issuerSignIn: createIssuerSignIn({
      config,
      pool,
      sessions,
      bindUser,
      bindInvited: async (digest, subject) => {
        const bound = await bindInvited(digest, subject)
        // The database notifies other processes; this one must drop the user before it answers.
        if (bound.userId !== undefined) callers.forget(bound.userId)
        return bound
      },
      observe,
    }),
    authenticate: async (request, beforeAsking) => {
      const { authorization } = request.headers
      const caller = await verifyFor(request, () =>
        sessions.isSent(request)
          ? sessions.authenticate(request, beforeAsking)
          : verify(authorization, beforeAsking),
      )
      request.database.callerKey = `user ${caller.userId}`
      if (!seen.has(request)) noteSeen(caller.actingUser?.id ?? caller.userId)
      seen.add(request)
      return caller
    },
    onWritten: (entity: { key: string }) => {
      // The database notifies other processes; this one must drop the user before it answers.
      if (nativeEntity(entity).decidesCallers) callers.forget()
    },
  }
}

const serviceNameOf = ({ name = 'Docket' }: Catalog): string => name

type Credentials = ReturnType<typeof createCredentials>

/** Passkeys and second factors. */
const createCredentials = (
  options: Options,
  made: { readonly callers: CallerCache; readonly sessions: Sessions },
) => {
  const { ways, catalog } = options
  const serviceName = serviceNameOf(catalog)
  const reason = ways.whyNot('passkey')
  const secondStep = createSecondStep({ ...options, ...made })
  const passkeys = createPasskeys({ ...options, ...made, reason, serviceName })
  const parts = { ...options, ...made, passkeys, secondStep, serviceName }
  return {
    secondStep,
    passkeys,
    invitedPasskey: createInvitedPasskey(parts),
    ownCredentials: createOwnCredentials(parts),
    ownKeys: createOwnKeys(parts),
    prove: createProve(parts),
  }
}

/**
 * Concurrent requests with the same credential share one check, so it belongs to none of them: it continues
 * when the client of the first one disconnects. It counts for the address meanwhile.
 */
const verifyFor = (request: FastifyRequest, verify: () => Promise<Caller>): Promise<Caller> => {
  const callerKey = `address ${request.ip}`
  const { timeoutMs } = request.database
  return runInRequest(new RequestContext({ callerKey, isReadOnly: false, timeoutMs }), verify)
}

const openVerifyToken = async (config: Config): Promise<VerifyToken> => {
  const { AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = config
  if (issuer !== undefined && audience !== undefined)
    return createVerifyToken({ keys: createRemoteKeySource({ issuer }), audience })
  if (acceptedCredentials(config) === 'development')
    return createVerifyToken(await openDevelopmentIssuer(config.PROJECT))
  return async () => {
    throw invalidToken(
      'The credential is not an API key. Without AUTH_ISSUER, a service that other machines can reach accepts only API keys.',
    )
  }
}
