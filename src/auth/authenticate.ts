/** From the header Authorization to the caller: a JWT of the issuer, or an API key. */
import type { Pool } from '../database/pool.ts'
import type { Catalog } from '../definitions/catalog.ts'
import type { Observe } from '../observations.ts'
import type { User } from '../users/user.ts'
import { findUserBySubject, wasUserRemoved } from '../users/user-store.ts'
import { findApiKeyUser } from './api-key-store.ts'
import { createNoteUse, digestOf, isApiKey } from './api-keys.ts'
import type { Caller } from './caller.ts'
import type { CallerCache, KnownCaller } from './caller-cache.ts'
import { checkProvisionRole, provisionUser } from './provision-user.ts'
import { invalidToken, noCredentials } from './refusal.ts'
import type { Claims, VerifyToken } from './verify-token.ts'

/** Answers with the caller, or throws a fault 401 (503 while the issuer has never answered). */
export type Authenticate = (authorization: string | undefined) => Promise<Caller>

type Options = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly callers: CallerCache
  readonly verifyToken: VerifyToken
  /** Role of first-time callers (AUTH_PROVISION_ROLE); without it they are refused. */
  readonly provisionRole: string | undefined
  readonly observe: Observe
}

/** Makes the door of the service; throws a StartFault when the role of first-time callers is none. */
export const createAuthenticate = (options: Options): Authenticate => {
  const { pool, catalog, callers, verifyToken, provisionRole, observe } = options
  if (provisionRole !== undefined) checkProvisionRole(catalog, provisionRole)
  const noteUse = createNoteUse({ pool, observe })
  return async (authorization) => {
    const credential = credentialOf(authorization)
    if (isApiKey(credential)) {
      const digest = digestOf(credential)
      const known = await callers.find(`key ${digest}`, () => findKeyCaller(pool, digest))
      if (known.apiKeyId !== undefined) noteUse(known.apiKeyId)
      return known.caller
    }
    const claims = await verifyToken(credential)
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
  // Whoever was removed does not come back by calling again.
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
