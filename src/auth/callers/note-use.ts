/** Records that a credential was used: while the request goes on, at most once a minute, never failing. */
import { createBoundedCache } from '../../bounded-cache.ts'
import { isUnavailable } from '../../database/database-errors.ts'
import type { Observe } from '../../observations.ts'

const notedEveryMs = 60_000
const remembered = 10_000

type Options = {
  /** Writes the time of use; it is now. */
  readonly mark: (id: number) => Promise<unknown>
  readonly observe: Observe
  readonly now?: () => number
}

/** Creates the function that a use of the credential with an id is reported to. */
export const createNoteUse = ({ mark, observe, now = Date.now }: Options) => {
  const notedAt = createBoundedCache<{ readonly at: number }>(remembered)
  return (id: number): void => {
    const last = notedAt.get(String(id))?.at
    if (last !== undefined && now() - last < notedEveryMs) return
    notedAt.set(String(id), { at: now() })
    mark(id).catch((error: unknown) => {
      if (isUnavailable(error)) observe({ kind: 'databaseConnectionLost', error })
    })
  }
}
