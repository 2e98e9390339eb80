/**
 * Notes the use of a credential, and the refusal of a user for whom the issuer vouches: the same one at most once a minute,
 * and without an error if that fails.
 */
import { createBoundedCache } from '../../bounded-cache.ts'
import { isUnavailable } from '../../database/database-errors.ts'
import { execute, type Pool, type Queryable } from '../../database/pool.ts'
import { int, sql } from '../../database/sql.ts'
import type { Observe } from '../../observations.ts'
import type { Claims } from '../tokens/verify-token.ts'
import { storeRefusal } from './refused-sign-in-store.ts'

const notedEveryMs = 60_000
const remembered = 10_000

type Options = { readonly observe: Observe; readonly now?: () => number }

const createNote = ({ observe, now = Date.now }: Options) => {
  const notedAt = createBoundedCache<{ readonly at: number }>(remembered)
  return async (key: string, write: () => Promise<unknown>): Promise<void> => {
    const last = notedAt.get(key)?.at
    if (last !== undefined && now() - last < notedEveryMs) return
    notedAt.set(key, { at: now() })
    await write().catch((error: unknown) => {
      if (isUnavailable(error)) observe({ kind: 'databaseConnectionLost', error })
    })
  }
}

type UseOptions = Options & {
  /** Writes the time of use; it is now. */
  readonly mark: (id: number) => Promise<unknown>
}

/** Creates the function that a use of the credential with an id is reported to; the request does not wait for it. */
export const createNoteUse = ({ mark, ...options }: UseOptions) => {
  const note = createNote(options)
  return (id: number): void => void note(String(id), () => mark(id))
}

/** Creates the function that tells administrators of a refusal, in the log and in the database. */
export const createNoteRefusal = ({ pool, ...options }: Options & { readonly pool: Pool }) => {
  const note = createNote(options)
  return (claims: Claims, reason: string): Promise<void> =>
    note(`${claims.subject} ${reason}`, () => {
      const { subject, email, isEmailVerified = false } = claims
      options.observe({ kind: 'callerRefused', subject, email, isEmailVerified, reason })
      return storeRefusal(pool, claims, reason)
    })
}

/** Writes that a user is seen now, unless another process has written it within the minute. */
export const markSeen = (database: Queryable, userId: number): Promise<number> =>
  execute(
    database,
    sql`
      INSERT INTO docket.last_seen AS s (user_id) VALUES (${int(userId)})
      ON CONFLICT (user_id) DO UPDATE SET seen_at = now()
      WHERE s.seen_at < now() - interval '1 minute'`,
  )
