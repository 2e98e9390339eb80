/** From the header Authorization to the caller: a JWT of the issuer, or an API key. */

import type { Catalog } from '../definitions/catalog.ts'
import type { Caller } from './caller.ts'
import { digestOf, isApiKey, markApiKeyUsed } from './callers/api-keys.ts'
import type { CallerCache } from './callers/caller-cache.ts'
import { createNoteUse } from './callers/credential-notes.ts'
import {
  type BeforeAuthenticate,
  createFindStored,
  createFindTokenCaller,
  findKeyCaller,
  type TokenOptions,
} from './callers/find-callers.ts'
import { checkProvisionRole } from './callers/provision-user.ts'
import type { VerifyToken } from './tokens/verify-token.ts'
import { noCredentials } from './unauthorized.ts'

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
