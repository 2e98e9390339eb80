/** From a checked credential to its caller, a user who may call now; throws an error 401 otherwise. */
import { hash } from 'node:crypto'
import { createBoundedCache } from '../../bounded-cache.ts'
import type { Pool, Queryable } from '../../database/pool.ts'
import type { Catalog } from '../../definitions/catalog.ts'
import { administratorRole } from '../../definitions/checks/check-role.ts'
import { fieldTypeOf } from '../../definitions/field-types.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { errorText, StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import {
  findUserById,
  findUserBySubject,
  insertUser,
  type NewUser,
  type User,
  wasUserRemoved,
} from '../../users/user-store.ts'
import { type Caller, wholeRoleKey, withScope } from '../caller.ts'
import { findSessionUser } from '../sessions/session-store.ts'
import type { Claims, VerifyToken } from '../tokens/verify-token.ts'
import { invalidToken, isUnauthorized, noCredentials } from '../unauthorized.ts'
import { digestOf, findApiKeyUser, isApiKey, markApiKeyUsed } from './api-keys.ts'
import type { CallerCache, KnownCaller } from './caller-cache.ts'
import { createNoteRefusal, createNoteUse } from './credential-notes.ts'

/** Called before the check of a credential that was never valid before; may throw. */
export type BeforeAuthenticate = () => Promise<void>

const rightDigests = 10_000

/**
 * Creates the lookup of a credential that the database stores by its digest. One that was valid before does not count
 * as a guess: cached callers are dropped whenever any user changes.
 */
export const createFindStored = (find: (digest: string) => Promise<KnownCaller>) => {
  const right = createBoundedCache<KnownCaller>(rightDigests)
  return async (digest: string, beforeAsking?: BeforeAuthenticate): Promise<KnownCaller> => {
    if (!right.get(digest)) await beforeAsking?.()
    const known = await find(digest).catch((error: unknown) => {
      if (isUnauthorized(error)) right.delete(digest)
      throw error
    })
    right.set(digest, known)
    return known
  }
}

/** The caller of an API key, by its digest. */
export const findKeyCaller = async (pool: Pool, digest: string): Promise<KnownCaller> => {
  const found = await findApiKeyUser(pool, digest)
  if (!found) throw invalidToken('The API key is wrong or was revoked.')
  const { secondsLeft, expiresAt, apiKeyId, scope, user } = found
  if (secondsLeft !== null && secondsLeft <= 0)
    throw invalidToken(`The API key was valid until ${expiresAt}.`)
  if (!user) throw invalidToken('The user of the API key was removed.')
  const caller = callerOf(user)
  return {
    caller: scope === null ? caller : { ...caller, roleKey: withScope(caller.roleKey, scope) },
    apiKeyId,
    ...(secondsLeft !== null && { rereadAt: Date.now() + secondsLeft * 1000 }),
  }
}

type SessionRules = {
  readonly idleMinutes: number
  /** Whether sessions of the development link are accepted. */
  readonly isDevelopment: boolean
  readonly now: () => number
}

// How often a session is read again, because other processes may note its use.
const rereadMs = 60_000

/** The caller of a session, by the digest of its secret. */
export const findSessionCaller = async (
  pool: Pool,
  digest: string,
  { idleMinutes, isDevelopment, now }: SessionRules,
): Promise<KnownCaller> => {
  const found = await findSessionUser(pool, digest, idleMinutes)
  // A session that may become that of any user is accepted only during development.
  if (!found || (found.maySwitch && !isDevelopment))
    throw invalidToken('The session has ended. Sign in again.')
  const { id, maySwitch, expiresAt, secondsLeft, user, actingUser } = found
  if (!user) throw invalidToken('The user of the session was removed.')
  return {
    caller: { ...callerOf(user), actingUser },
    session: { id, maySwitch, expiresAt },
    rereadAt: now() + Math.min(rereadMs, secondsLeft * 1000),
  }
}

/** Gives the subject to the one active user who has this e-mail and no subject yet; undefined if there is none. */
export type BindUser = (email: string, subject: string) => Promise<number | undefined>

/**
 * Gives the subject to the user of an open invitation, by its digest, and uses that up. `taken`: another user has the subject, and
 * nothing has changed.
 */
export type BindInvited = (
  digest: string,
  subject: string,
) => Promise<
  | { readonly result: 'bound'; readonly userId: number }
  | { readonly result: 'ended' | 'taken'; readonly userId?: undefined }
>

type TokenOptions = {
  readonly pool: Pool
  /** Role of first-time callers (AUTH_PROVISION_ROLE); without it they are rejected. */
  readonly provisionRole: string | undefined
  /** Of first-time callers with a verified e-mail (AUTH_BIND_BY_EMAIL); without it none is bound. */
  readonly bindUser?: BindUser | undefined
  readonly observe: Observe
}

/** The caller for whom the issuer vouches; a first-time caller may become a user. */
export type FindTokenCaller = (claims: Claims) => Promise<KnownCaller>

/** Creates the lookup. It reports to administrators whom it refuses: only they can make that person a user. */
export const createFindTokenCaller = (options: TokenOptions): FindTokenCaller => {
  const noteRefusal = createNoteRefusal(options)
  return async (claims) => {
    try {
      const user =
        (await findUserBySubject(options.pool, claims.subject)) ??
        (await firstTimeUser(options, claims))
      return { caller: callerOf(user) }
    } catch (error) {
      if (isUnauthorized(error)) await noteRefusal(claims, errorText(error))
      throw error
    }
  }
}

const firstTimeUser = async (options: TokenOptions, claims: Claims): Promise<User> => {
  const { pool, provisionRole: roleKey, observe } = options
  // A removed user is not created again by a further call.
  if (await wasUserRemoved(pool, claims.subject)) throw invalidToken('The user was removed.')
  const bound = await boundUser(options, claims)
  if (bound) return bound
  if (roleKey === undefined) throw invalidToken('There is no user with the subject of the token.')
  return provisionUser({ pool, roleKey, observe }, claims)
}

/** Of two first sign-ins at the same time, the second finds the user that the first has bound. */
const boundUser = async (
  { pool, bindUser, observe }: TokenOptions,
  { subject, email, isEmailVerified }: Claims,
): Promise<User | undefined> => {
  if (!bindUser || email === undefined || isEmailVerified !== true) return undefined
  const userId = await bindUser(email, subject)
  if (userId !== undefined) observe({ kind: 'userBound', userId, subject })
  return findUserBySubject(pool, subject)
}

/** The caller who is the user with this id. */
export const findUserCaller = async (database: Queryable, userId: number): Promise<Caller> => {
  const user = await findUserById(database, userId)
  if (!user) throw invalidToken('The user was removed.')
  return callerOf(user)
}

const callerOf = (user: User): Caller => {
  if (user.is_blocked) throw invalidToken('The user is blocked.')
  if (!user.is_active) throw invalidToken('The user is not active.')
  if (user.role_key === null) throw invalidToken('The security role of the user was removed.')
  return {
    userId: user.id,
    actingUser: null,
    roleKey: wholeRoleKey(user.role_key),
    fullName: user.full_name,
    email: user.email,
  }
}

// From the header Authorization to the caller: a JWT of the issuer, or an API key.

/** Returns the caller, or throws an error 401 (503 while the issuer has never answered). */
export type Authenticate = (
  authorization: string | undefined,
  beforeAsking?: BeforeAuthenticate,
) => Promise<Caller>

type Options = TokenOptions & {
  readonly catalog: Catalog
  readonly callers: CallerCache
  readonly verifyToken: VerifyToken
}

/** Creates the authentication; throws a StartupError when the role of first-time callers does not exist. */
export const createAuthenticate = (options: Options): Authenticate => {
  const { pool, catalog, callers, verifyToken, provisionRole, observe } = options
  if (provisionRole !== undefined) checkProvisionRole(catalog, provisionRole)
  const noteUse = createNoteUse({ mark: (id) => markApiKeyUsed(pool, id), observe })
  const findTokenCaller = createFindTokenCaller(options)
  const findKey = createFindStored((digest) => findKeyCaller(pool, digest))
  return async (authorization, beforeAsking) => {
    const credential = credentialOf(authorization)
    if (isApiKey(credential)) {
      const digest = digestOf(credential)
      const known = await callers.find(`key ${digest}`, () => findKey(digest, beforeAsking))
      if (known.apiKeyId !== undefined) noteUse(known.apiKeyId)
      return known.caller
    }
    const claims = await verifyToken(credential, beforeAsking)
    const known = await callers.find(`sub ${claims.subject}`, () => findTokenCaller(claims))
    return known.caller
  }
}

const credentialOf = (authorization: string | undefined): string => {
  if (!authorization) throw noCredentials('The header Authorization is missing.')
  const [, credential] = /^bearer +(\S+) *$/i.exec(authorization) ?? []
  if (!credential)
    throw noCredentials('The header Authorization is not of the form `Bearer <token>`.')
  return credential
}

// Creates a user for a first-time caller with a valid token (AUTH_PROVISION_ROLE).

type ProvisionOptions = { readonly pool: Pool; readonly roleKey: string; readonly observe: Observe }

/** Throws a StartupError unless the role is one of roles/. */
const checkProvisionRole = (catalog: Catalog, roleKey: string): void => {
  if (roleKey === administratorRole)
    throw new StartupError(
      'AUTH_PROVISION_ROLE cannot be "administrator": everybody with a token would control the service.',
    )
  if (!catalog.roles.has(roleKey))
    throw new StartupError(
      `AUTH_PROVISION_ROLE names the role "${roleKey}", and there is no roles/${roleKey}.json${didYouMean(roleKey, catalog.roles.keys())}.`,
    )
}

/** Creates the user once, however many requests ask; throws an error 401 if that is not possible. */
const provisionUser = async (
  { pool, roleKey, observe }: ProvisionOptions,
  claims: Claims,
): Promise<User> => {
  const userId = await insertUser(pool, newUserOf(claims, roleKey))
  if (userId !== undefined) observe({ kind: 'userProvisioned', userId, role: roleKey })
  const user = await findUserBySubject(pool, claims.subject)
  if (user) return user
  // Matching an existing user by e-mail trusts the issuer with that account: only AUTH_BIND_BY_EMAIL allows it.
  throw invalidToken(
    'The user of this token cannot be created: another user has the same e-mail, or the role of first-time callers was removed. An administrator can set identity_provider_user_id of that user to the subject of the token, which GET /api/refused-sign-ins names.',
  )
}

const newUserOf = (claims: Claims, roleKey: string): NewUser => {
  const { subject, givenName, familyName } = claims
  // An address that the issuer has not verified may be anyone's.
  const claimed = claims.isEmailVerified === false ? undefined : claims.email
  const given = [givenName, familyName].filter((part) => part !== undefined).join(' ')
  const fullName = claims.name ?? (given || claimed || subject)
  const words = fullName.split(/\s+/)
  return {
    identity_provider_user_id: subject,
    first_name: (givenName ?? words.at(0) ?? fullName).slice(0, 255),
    last_name: (familyName ?? words.at(-1) ?? fullName).slice(0, 255),
    full_name: fullName.slice(0, 511),
    email: emailOf(claimed, subject),
    role_key: roleKey,
  }
}

// A user needs an e-mail, which machines do not have: RFC 2606 reserves `.invalid`, so no mailbox has such
// an address.
const emailOf = (email: string | undefined, subject: string): string =>
  [email, subject].find(isEmail) ?? `${hash('sha256', subject, 'hex').slice(0, 32)}@users.invalid`

const isEmail = (text: string | undefined): text is string =>
  text !== undefined && 'value' in fieldTypeOf({ key: 'email', type: 'email' }).check(text, 'UTC')
