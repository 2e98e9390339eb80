/** Tells administrators whom the issuer vouches for and the service refuses: in the log and in the database. */
import { createBoundedCache } from '../../bounded-cache.ts'
import { isUnavailable } from '../../database/database-errors.ts'
import type { Pool } from '../../database/pool.ts'
import type { Observe } from '../../observations.ts'
import type { Claims } from '../tokens/verify-token.ts'
import { storeRefusal } from './refused-sign-in-store.ts'

const notedEveryMs = 60_000
const remembered = 10_000

type Options = {
  readonly pool: Pool
  readonly observe: Observe
  readonly now?: () => number
}

/** Creates the function that a refusal is reported to: the same one counts once a minute, and it never fails. */
export const createNoteRefusal = ({ pool, observe, now = Date.now }: Options) => {
  const notedAt = createBoundedCache<{ readonly at: number }>(remembered)
  return async (claims: Claims, reason: string): Promise<void> => {
    const { subject, email, isEmailVerified = false } = claims
    const key = `${subject} ${reason}`
    const last = notedAt.get(key)?.at
    if (last !== undefined && now() - last < notedEveryMs) return
    notedAt.set(key, { at: now() })
    observe({ kind: 'callerRefused', subject, email, isEmailVerified, reason })
    await storeRefusal(pool, claims, reason).catch((error: unknown) => {
      if (isUnavailable(error)) observe({ kind: 'databaseConnectionLost', error })
    })
  }
}
