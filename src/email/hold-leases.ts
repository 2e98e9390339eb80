/**
 * Keeps the deliveries that a process sends its own: their leases are renewed together until they
 * have ended, and nothing of others is taken over just after the database was away.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../database/pool.ts'
import { leaseSeconds, renewLeases, type Try } from './delivery-store.ts'

export type Leases = {
  readonly hold: (one: Try) => void
  readonly end: (one: Try) => void
  /** The database did not answer. */
  readonly lost: () => void
  /**
   * False until the database has answered for the time of a lease: while it was away, others could
   * neither renew their leases nor write down what they have sent.
   */
  readonly mayTakeOver: () => boolean
  readonly stop: () => Promise<void>
}

const leaseMs = leaseSeconds * 1_000
const renewEveryMs = leaseMs / 4

/** Begins to renew. */
export const holdLeases = (pool: Pool): Leases => {
  const held = new Set<Try>()
  const stopped = new AbortController()
  let quietUntil = 0
  const lost = () => {
    quietUntil = performance.now() + leaseMs
  }
  const renew = async () => {
    while (!stopped.signal.aborted) {
      await delay(renewEveryMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      if (held.size > 0) await renewLeases(pool, [...held]).catch(lost)
    }
  }
  const ended = renew()
  return {
    hold: (one) => held.add(one),
    end: (one) => held.delete(one),
    lost,
    mayTakeOver: () => performance.now() >= quietUntil,
    stop: () => {
      stopped.abort()
      return ended
    },
  }
}
