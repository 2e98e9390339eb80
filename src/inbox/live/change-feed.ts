/**
 * The changes of all records in this database, read from the history while somebody watches
 * (docs/decisions/0046-watched-changes-are-read-from-the-history.md). Ids are given before the commit: an id
 * that is missing may belong to a transaction that has not ended, so it is read again until that has, at most for some
 * minutes. Ids of writes that were rolled back, such as dry runs, stay missing.
 */
import type { Pool } from '../../database/pool.ts'
import { runOutsideRequest } from '../../database/request-context.ts'
import type { Entity } from '../../definitions/catalog.ts'
import { type Change, findPosition, type Horizon, readChanges } from './change-store.ts'

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

export const createChangeFeed = (
  pool: Pool,
  partEntity: Entity | undefined,
  clock: () => number = Date.now,
): ChangeFeed => {
  let begun: Promise<void> | undefined
  let last = 0
  const missing = createMissing()
  const begin = async () => {
    const found = await findPosition(pool, maxChanges)
    last = found.last
    missing.restart(found.missing, clock())
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
      const wanted = { after: last, missing: missing.ids(), limit: maxChanges + 1 }
      const { changes, horizon } = await readChanges(pool, partEntity, wanted)
      const now = clock()
      if (changes.length > maxChanges) {
        await begin()
        return { changes: [], isLossy: true }
      }
      const isLossy = missing.takeLoss(now)
      for (const { id } of changes) {
        missing.expect(id, last, now)
        last = Math.max(last, id)
      }
      missing.forgetEnded(horizon)
      missing.forgetOld(now)
      return { changes, isLossy }
    },
  }
}

/** The ids that belong to nothing yet, and when those that were given up may have ended. */
const createMissing = () => {
  /** When each of them is given up. */
  const until = new Map<number, number>()
  /** The first transaction that cannot be that of the id, because it had not begun when the id was missed. */
  const before = new Map<number, number>()
  /** When what was given up first may have ended at the latest, and what was given up last. */
  let lossyAt: number | undefined
  let lossyUntil = 0
  const giveUp = (now: number) => {
    lossyUntil = now + missingForMs
    lossyAt ??= lossyUntil
  }
  return {
    ids: () => [...until.keys()],
    restart: (ids: readonly number[], now: number) => {
      until.clear()
      before.clear()
      for (const id of ids) until.set(id, now + missingForMs)
    },
    /** An id has come; those between the last one and it may come later. */
    expect: (id: number, last: number, now: number) => {
      until.delete(id)
      before.delete(id)
      if (id - last > maxMissing) giveUp(now)
      else for (let gap = last + 1; gap < id; gap++) until.set(gap, now + missingForMs)
    },
    /** A write has its transaction before it takes an id, so what is not there when all of them have ended never comes. */
    forgetEnded: ({ ended, begun }: Horizon) => {
      for (const id of until.keys()) {
        const first = before.get(id)
        if (first === undefined) before.set(id, begun)
        else if (first <= ended) {
          until.delete(id)
          before.delete(id)
        }
      }
    },
    forgetOld: (now: number) => {
      for (const [id, end] of until)
        if (end < now) {
          until.delete(id)
          before.delete(id)
        }
      if (until.size <= maxMissing) return
      until.clear()
      before.clear()
      giveUp(now)
    },
    /** Whether something that was given up has ended since this was asked last. */
    takeLoss: (now: number): boolean => {
      if (lossyAt === undefined || lossyAt > now) return false
      lossyAt = lossyUntil > now ? lossyUntil : undefined
      return true
    },
  }
}
