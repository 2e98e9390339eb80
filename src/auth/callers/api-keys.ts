/** API keys for machines: shown once when they are created, afterwards known only by their digest. */
import { hash, randomBytes } from 'node:crypto'
import type { Queryable } from '../../database/pool.ts'
import { StartupError } from '../../errors.ts'
import { type ApiKey, insertApiKey, markApiKeyRevoked, selectApiKeys } from './api-key-store.ts'

const prefix = 'docket_'

/** Whether a credential is an API key rather than a JWT. */
export const isApiKey = (credential: string): boolean => credential.startsWith(prefix)

/** The stored digest of a key. A key has 256 random bits, so a slow hash would not protect it better. */
export const digestOf = (key: string): string => hash('sha256', key, 'hex')

type NewKey = { readonly userId: number; readonly name: string }

/** Creates a key for a user; the result is the only place where the key is visible. */
export const createApiKey = async (
  database: Queryable,
  { userId, name }: NewKey,
): Promise<{ id: number; key: string }> => {
  const key = `${prefix}${randomBytes(32).toString('base64url')}`
  const id = await insertApiKey(database, { userId, name, digest: digestOf(key) })
  if (id === undefined) throw new StartupError(`There is no user ${userId}.`)
  return { id, key }
}

/** Every key, or those of one user, the newest first. */
export const listApiKeys = (database: Queryable, userId?: number): Promise<ApiKey[]> =>
  selectApiKeys(database, userId)

/** Revokes a key immediately in every process; false if there was none. */
export const revokeApiKey = (database: Queryable, id: number): Promise<boolean> =>
  markApiKeyRevoked(database, id)
