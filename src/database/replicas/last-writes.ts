/**
 * The last write of each caller by this process: callers that send no position read their own writes too, as long
 * as the same process answers them.
 */
import { laterOf, type Position, primaryOnly } from './position.ts'

export type LastWrites = {
  readonly note: (callerKey: string, position: Position) => void
  /** 0 for a caller without a write within the lag limit: every replica that is used has older ones. */
  readonly of: (callerKey: string) => Position
}

type Write = { readonly position: Position; readonly until: number }

const maxCallers = 10_000

// A write of unknown position has a time of its own: later writes do not prolong it.
const unknownOf = (callerKey: string) => `${callerKey} unknown`

/** Remembers a write for the lag limit. */
export const createLastWrites = (limitMs: number): LastWrites => {
  // In the order of time.
  const writes = new Map<string, Write>()
  /** Of callers that there was no room for: it holds for all. */
  let ofAll: Write = { position: 0n, until: 0 }
  const positionOf = (write: Write | undefined) =>
    write && write.until > performance.now() ? write.position : 0n
  const forget = () => {
    for (const [key, write] of writes) {
      if (write.until > performance.now()) {
        if (writes.size <= maxCallers) return
        ofAll = { position: laterOf(positionOf(ofAll), write.position), until: write.until }
      }
      writes.delete(key)
    }
  }
  return {
    note: (callerKey, position) => {
      const key = position === primaryOnly ? unknownOf(callerKey) : callerKey
      const later = laterOf(position, positionOf(writes.get(key)))
      writes.delete(key)
      writes.set(key, { position: later, until: performance.now() + limitMs })
      forget()
    },
    of: (callerKey) =>
      [writes.get(callerKey), writes.get(unknownOf(callerKey)), ofAll]
        .map(positionOf)
        .reduce(laterOf),
  }
}
