/** Sessions of browsers: a cookie holds a random secret, and the database its digest. */
import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuditedSignInWay } from '../../audit/audit-kinds.ts'
import { type AuditEvent, originOf, recordAudit } from '../../audit/record-audit.ts'
import type { Config } from '../../config/load-config.ts'
import type { Pool, Queryable } from '../../database/pool.ts'
import { transaction } from '../../database/transaction.ts'
import { apiError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import type { Author, Caller } from '../caller.ts'
import { digestOf } from '../callers/api-keys.ts'
import type { CallerCache, KnownCaller, KnownSession } from '../callers/caller-cache.ts'
import { createNoteUse } from '../callers/credential-notes.ts'
import {
  type BeforeAuthenticate,
  createFindStored,
  findSessionCaller,
} from '../callers/find-callers.ts'
import { endSessionsOf } from '../passwords/password-store.ts'
import { acceptedCredentials } from '../sign-in-ways.ts'
import { invalidToken, noCredentials } from '../unauthorized.ts'
import { createCookies, createForeignReason } from './cookies.ts'
import { deleteSession, insertSession, lockActiveUser, markSessionUsed } from './session-store.ts'

/** What a client may know about its session. */
export type StartedSession = {
  readonly user_id: number
  readonly expires_at: string
  readonly may_switch: boolean
}

type NewSession = Author & {
  /** By what the user signs in; 'user': as the user of a session, who becomes another one. */
  readonly way: AuditedSignInWay | 'user'
  readonly maySwitch: boolean
  /** The key that signs in. */
  readonly apiKeyId?: number
  /** When the user has shown who they are, in seconds since 1970; by default now. */
  readonly provenAt?: number
  /** Runs first in the transaction of the session; what it throws prevents the session. */
  readonly beforeStart?: (connection: Queryable) => Promise<void>
}

export type Sessions = {
  /** Whether a request has the cookie of a session and no header Authorization, which takes precedence. */
  readonly isSent: (request: FastifyRequest) => boolean
  /** The caller with the cookie of a request; an error 401 unless a page of this service has sent it and the session has not ended. */
  readonly authenticate: (
    request: FastifyRequest,
    beforeAsking?: BeforeAuthenticate,
  ) => Promise<Caller>
  /** The session of a request; an error 404 if it came with another credential. */
  readonly current: (request: FastifyRequest) => Promise<CurrentSession>
  /** Throws an error 401 unless a page of this service has sent the request. */
  readonly assertOwnPage: (request: FastifyRequest) => void
  /** Starts a session in place of that of the request, and sets its cookie. */
  readonly start: (
    request: FastifyRequest,
    reply: FastifyReply,
    one: NewSession,
  ) => Promise<StartedSession>
  /** Ends a session of a user in every process; throws an error 404 if they have none with this id. */
  readonly end: (one: EndedSession) => Promise<void>
  /** Ends all sessions of a user in every process, also those in which they act as another, and forgets their browsers. */
  readonly endAll: (one: Omit<EndedSession, 'id'>) => Promise<void>
  readonly clearCookie: (reply: FastifyReply) => void
  /** Ends the session of a browser in which another sign-in has begun, if it has one. */
  readonly leave: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

type EndedSession = {
  readonly id: number
  readonly userId: number
  /** Who ends it. */
  readonly by: Author
  readonly request: FastifyRequest
}

/** The session of a request, with its user. */
type CurrentSession = { readonly caller: Caller; readonly session: KnownSession }

type Options = {
  readonly config: Config
  readonly pool: Pool
  readonly callers: CallerCache
  readonly observe: Observe
  readonly now?: () => number
}

/** Finds the sessions of requests, cached like every caller. */
const createFinder = ({ config, pool, callers, now = Date.now }: Options) => {
  const cookies = createCookies(config)
  const findForeignReason = createForeignReason(config)
  const rules = {
    idleMinutes: config.SESSION_IDLE_MINUTES,
    isDevelopment: acceptedCredentials(config) === 'development',
    now,
  }
  const find = createFindStored((digest) => findSessionCaller(pool, digest, rules))
  const secretOf = ({ headers }: FastifyRequest) => cookies.read(headers.cookie, 'session')
  const assertOwnPage = (request: FastifyRequest) => {
    const reason = findForeignReason(request)
    if (reason !== undefined)
      throw noCredentials(`Only a page of this service can use its cookie: ${reason}.`)
  }
  return {
    assertOwnPage,
    /** The session that a new one replaces. It is only ended, so any page may have sent the browser here. */
    findReplaced: async (request: FastifyRequest) => {
      const secret = secretOf(request) ?? ''
      if (!isSecret(secret)) return undefined
      const digest = digestOf(secret)
      return callers.find(`session ${digest}`, () => find(digest)).catch(() => undefined)
    },
    isSent: (request: FastifyRequest) =>
      request.headers.authorization === undefined && secretOf(request) !== undefined,
    find: async (request: FastifyRequest, beforeAsking?: BeforeAuthenticate) => {
      assertOwnPage(request)
      const secret = secretOf(request) ?? ''
      if (!isSecret(secret))
        throw invalidToken('The cookie of the session was not set by this service.')
      const digest = digestOf(secret)
      return callers.find(`session ${digest}`, () => find(digest, beforeAsking))
    },
  }
}

/** Creates the sessions of one process. */
export const createSessions = (options: Options): Sessions => {
  const { config, pool, callers, observe, now = Date.now } = options
  const cookies = createCookies(config)
  const { find, findReplaced, isSent, assertOwnPage } = createFinder(options)
  const noteUse = createNoteUse({ mark: (id) => markSessionUsed(pool, id), observe, now })
  // A stream authenticates its request repeatedly, which does not count as use by a person.
  const noted = new WeakSet<FastifyRequest>()
  const clearCookie = (reply: FastifyReply) =>
    void reply.header('Set-Cookie', cookies.print('session', '', 0))
  return {
    isSent,
    assertOwnPage,
    authenticate: async (request, beforeAsking) => {
      const { caller, session } = await find(request, beforeAsking)
      if (session && !noted.has(request)) noteUse(session.id)
      noted.add(request)
      return caller
    },
    current: async (request) => {
      const { caller, session } = isSent(request) ? await find(request) : nothingSent
      if (!caller || !session) throw unknownSession('The request has no cookie of a session.')
      return { caller, session }
    },
    start: async (request, reply, one) => {
      const old = await findReplaced(request)
      const secret = randomBytes(32).toString('base64url')
      const expiresAt = await transaction(pool, async (connection) => {
        if (!(await lockActiveUser(connection, one.userId)))
          throw invalidToken('The user may not sign in any more.')
        await one.beforeStart?.(connection)
        if (old?.session)
          await deleteSession(connection, { id: old.session.id, userId: old.caller.userId })
        const stored = await insertSession(connection, {
          digest: digestOf(secret),
          hours: config.SESSION_HOURS,
          userId: one.userId,
          actingUserId: one.actingUserId,
          apiKeyId: one.apiKeyId,
          maySwitch: one.maySwitch,
          userAgent: request.headers['user-agent']?.slice(0, maxUserAgent),
          // Who has found a key, or becomes another user or themselves again, must not make a way to sign in of it.
          isProof: one.way !== 'apiKey' && one.way !== 'user',
          provenAt: one.provenAt,
        })
        await recordAudit(connection, {
          ...startOf(one),
          sessionId: stored.id,
          origin: originOf(request),
        })
        return stored.expiresAt
      })
      if (old) callers.forget(old.caller.userId)
      reply.header('Set-Cookie', cookies.print('session', secret, config.SESSION_HOURS * 3600))
      return { user_id: one.userId, expires_at: expiresAt, may_switch: one.maySwitch }
    },
    end: async (one) => {
      await endOne(pool, one)
      // The database notifies other processes; this one must drop it before it answers.
      callers.forget(one.userId)
    },
    endAll: async (one) => {
      await endAllOf(pool, one)
      callers.forget(one.userId)
    },
    clearCookie,
    leave: async (request, reply) => {
      const old = await findReplaced(request)
      if (old?.session) {
        await deleteSession(pool, { id: old.session.id, userId: old.caller.userId })
        callers.forget(old.caller.userId)
      }
      clearCookie(reply)
    },
  }
}

const endOne = (pool: Pool, one: EndedSession): Promise<void> =>
  transaction(pool, async (connection) => {
    if (!(await deleteSession(connection, one)))
      throw unknownSession('There is no such session of the user.')
    const { by, id: sessionId, userId: aboutUserId, request } = one
    const origin = originOf(request)
    await recordAudit(connection, { kind: 'endSession', by, aboutUserId, sessionId, origin })
  })

const endAllOf = (pool: Pool, { by, userId, request }: Omit<EndedSession, 'id'>): Promise<void> =>
  transaction(pool, async (connection) => {
    const sessions = await endSessionsOf(connection, { userId })
    const about = { aboutUserId: userId, origin: originOf(request), detail: { sessions } }
    await recordAudit(connection, { kind: 'endSession', by, ...about })
  })

/** What the audit says of a session that begins. */
const startOf = ({ way, userId, actingUserId }: NewSession): AuditEvent =>
  way === 'user'
    ? {
        kind: 'becomeUser',
        by: { userId: actingUserId ?? userId, actingUserId: null },
        aboutUserId: userId,
      }
    : { kind: 'signIn', by: { userId, actingUserId }, detail: { way } }

const nothingSent: Partial<KnownCaller> = {}
const maxUserAgent = 200

const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text)

/** The error of a session that does not exist, or belongs to another user. */
export const unknownSession = (detail: string) => apiError('session.unknown', detail)
