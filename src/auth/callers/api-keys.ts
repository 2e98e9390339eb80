/** API keys for machines: shown once when they are made, known only by their digest after that. */
import { hash, randomBytes } from 'node:crypto'
import { isUnavailable } from '../../database/database-errors.ts'
import type { Pool, Queryable } from '../../database/pool.ts'
import { StartupError } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import {
  type ApiKey,
  insertApiKey,
  markApiKeyRevoked,
  markApiKeyUsed,
  selectApiKeys,
} from './api-key-store.ts'

const prefix = 'docket_'

/** Whether a credential is an API key rather than a JWT. */
export const isApiKey = (credential: string): boolean => credential.startsWith(prefix)

/** What is stored of a key. With 256 random bits in it, a slow hash would protect nothing more. */
export const digestOf = (key: string): string => hash('sha256', key, 'hex')

type NewKey = { readonly userId: number; readonly name: string }

/** Makes a key for a user; the answer is the only place where the key ever stands. */
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

/** Ends a key at once in every process; false when there was none to end. */
export const revokeApiKey = (database: Queryable, id: number): Promise<boolean> =>
  markApiKeyRevoked(database, id)

const notedEveryMs = 60_000

type NoteOptions = {
  readonly pool: Pool
  readonly observe: Observe
  readonly now?: () => number
}

/** Makes the note that a key was used: beside the request, at most once a minute, never failing. */
export const createNoteUse = ({ pool, observe, now = Date.now }: NoteOptions) => {
  const notedAt = new Map<number, number>()
  return (apiKeyId: number): void => {
    const last = notedAt.get(apiKeyId)
    if (last !== undefined && now() - last < notedEveryMs) return
    notedAt.set(apiKeyId, now())
    markApiKeyUsed(pool, apiKeyId).catch((error: unknown) => {
      if (isUnavailable(error)) observe({ kind: 'databaseConnectionLost', error })
    })
  }
}
