/**
 * The changes of all records in this database, read from the history while somebody watches
 * (docs/decisions/0046-watched-changes-are-read-from-the-history.md). Ids are given before the commit: an id
 * that is missing may belong to a transaction that has not ended, so it is read again for some minutes.
 */
import type { Pool } from '../../database/pool.ts'
import { runOutsideRequest } from '../../database/request-context.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { type Change, findPosition, readChanges } from './change-store.ts'

export type ChangeFeed = {
  /** Begins with what is committed after this; the first call counts. */
  readonly start: () => Promise<void>
  readonly next: () => Promise<{
    readonly changes: readonly Change[]
    /** Further changes may be missing. */
    readonly isLossy: boolean
  }>
  /** Forgets the position: the next start is a new beginning. */
  readonly stop: () => void
}

const maxChanges = 1_000
const maxMissing = 10_000
// Longer than any transaction of a request.
const missingForMs = 300_000

export const createChangeFeed = (pool: Pool, partEntity: Entity | undefined): ChangeFeed => {
  let begun: Promise<void> | undefined
  let last = 0
  /** When each missing id is given up. */
  const missing = new Map<number, number>()
  /** When what was given up may have ended at the latest. */
  let lossyAt: number | undefined
  const begin = async () => {
    const found = await findPosition(pool, maxChanges)
    last = found.last
    missing.clear()
    for (const id of found.missing) missing.set(id, Date.now() + missingForMs)
  }
  const expect = (changes: readonly Change[], now: number) => {
    for (const { id } of changes) {
      missing.delete(id)
      if (id - last > maxMissing) lossyAt = now + missingForMs
      else for (let gap = last + 1; gap < id; gap++) missing.set(gap, now + missingForMs)
      last = Math.max(last, id)
    }
    for (const [id, until] of missing) if (until < now) missing.delete(id)
    if (missing.size <= maxMissing) return
    missing.clear()
    lossyAt = now + missingForMs
  }
  return {
    start: () => {
      // For all watchers, whoever of them came first and leaves.
      begun ??= runOutsideRequest(begin).catch((error: unknown) => {
        begun = undefined
        throw error
      })
      return begun
    },
    stop: () => {
      begun = undefined
    },
    next: async () => {
      const wanted = { after: last, missing: [...missing.keys()], limit: maxChanges + 1 }
      const changes = await readChanges(pool, partEntity, wanted)
      const now = Date.now()
      if (changes.length > maxChanges) {
        await begin()
        return { changes: [], isLossy: true }
      }
      const isLossy = lossyAt !== undefined && lossyAt <= now
      if (isLossy) lossyAt = undefined
      expect(changes, now)
      return { changes, isLossy }
    },
  }
}
