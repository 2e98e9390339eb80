/** From the header Authorization to the caller: a JWT of the issuer, or an API key. */

import { createBoundedCache } from '../bounded-cache.ts'
import type { Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import type { Observe } from '../observations.ts'
import type { User } from '../users/user.ts'
import { findUserBySubject, wasUserRemoved } from '../users/user-store.ts'
import type { Caller } from './caller.ts'
import { findApiKeyUser } from './callers/api-key-store.ts'
import { createNoteUse, digestOf, isApiKey } from './callers/api-keys.ts'
import type { CallerCache, KnownCaller } from './callers/caller-cache.ts'
import { checkProvisionRole, provisionUser } from './callers/provision-user.ts'
import type { Claims, VerifyToken } from './tokens/verify-token.ts'
import { invalidToken, isUnauthorized, noCredentials } from './unauthorized.ts'

/** Called before the check of a credential that was never valid before; may throw. */
export type BeforeAuthenticate = () => Promise<void>

/** Returns the caller, or throws an error 401 (503 while the issuer has never answered). */
export type Authenticate = (
  authorization: string | undefined,
  beforeAsking?: BeforeAuthenticate,
) => Promise<Caller>

type Options = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly callers: CallerCache
  readonly verifyToken: VerifyToken
  /** Role of first-time callers (AUTH_PROVISION_ROLE); without it they are rejected. */
  readonly provisionRole: string | undefined
  readonly observe: Observe
}

/** Creates the authentication; throws a StartupError when the role of first-time callers does not exist. */
export const createAuthenticate = (options: Options): Authenticate => {
  const { pool, catalog, callers, verifyToken, provisionRole, observe } = options
  if (provisionRole !== undefined) checkProvisionRole(catalog, provisionRole)
  const noteUse = createNoteUse({ pool, observe })
  const findKey = createFindKey(pool)
  return async (authorization, beforeAsking) => {
    const credential = credentialOf(authorization)
    if (isApiKey(credential)) {
      const digest = digestOf(credential)
      const known = await callers.find(`key ${digest}`, () => findKey(digest, beforeAsking))
      if (known.apiKeyId !== undefined) noteUse(known.apiKeyId)
      return known.caller
    }
    const claims = await verifyToken(credential, beforeAsking)
    const known = await callers.find(`sub ${claims.subject}`, () =>
      findTokenCaller(options, claims),
    )
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

const rightKeys = 10_000

/**
 * Looks up a key. One that was valid before does not count as a guess: cached callers are dropped whenever
 * any user changes.
 */
const createFindKey = (pool: Pool) => {
  const right = createBoundedCache<KnownCaller>(rightKeys)
  return async (digest: string, beforeAsking?: BeforeAuthenticate): Promise<KnownCaller> => {
    if (!right.get(digest)) await beforeAsking?.()
    const known = await findKeyCaller(pool, digest).catch((error: unknown) => {
      if (isUnauthorized(error)) right.delete(digest)
      throw error
    })
    right.set(digest, known)
    return known
  }
}

const findKeyCaller = async (pool: Pool, digest: string): Promise<KnownCaller> => {
  const found = await findApiKeyUser(pool, digest)
  if (!found) throw invalidToken('The API key is wrong or was revoked.')
  if (!found.user) throw invalidToken('The user of the API key was removed.')
  return { caller: callerOf(found.user), apiKeyId: found.apiKeyId }
}

const findTokenCaller = async (options: Options, claims: Claims): Promise<KnownCaller> => {
  const user =
    (await findUserBySubject(options.pool, claims.subject)) ??
    (await firstTimeUser(options, claims))
  return { caller: callerOf(user), apiKeyId: undefined }
}

const firstTimeUser = async (options: Options, claims: Claims): Promise<User> => {
  const { pool, provisionRole: roleKey, observe } = options
  // A removed user is not created again by a further call.
  if (await wasUserRemoved(pool, claims.subject)) throw invalidToken('The user was removed.')
  if (roleKey === undefined) throw invalidToken('There is no user with the subject of the token.')
  return provisionUser({ pool, roleKey, observe }, claims)
}

const callerOf = (user: User): Caller => {
  if (user.is_blocked) throw invalidToken('The user is blocked.')
  if (!user.is_active) throw invalidToken('The user is not active.')
  if (user.role_key === null) throw invalidToken('The security role of the user was removed.')
  return {
    userId: user.id,
    roleKey: user.role_key,
    fullName: user.full_name,
    email: user.email,
  }
}
