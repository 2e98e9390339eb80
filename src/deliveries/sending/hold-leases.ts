/**
 * Keeps the deliveries that a process sends its own: their leases are renewed together until they
 * have ended, what has lost its lease is neither begun nor continued, and nothing of others is
 * taken over just after the database was away.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../database/pool.ts'
import { type Attempt, leaseSeconds, renewLeases } from '../delivery-store.ts'

export type Leases = {
  /** Of an attempt that was taken by a statement which began at that moment of `performance.now()`. */
  readonly hold: (attempt: Attempt, askedAt: number) => void
  readonly end: (attempt: Attempt) => void
  /** The database did not answer. */
  readonly lost: () => void
  /** Whether nobody else can have the attempt for seconds to come; the database is asked where that is not known. */
  readonly isOwn: (attempt: Attempt) => Promise<boolean>
  /** Aborted with a LeaseLost once another process may have the attempt. */
  readonly signalOf: (attempt: Attempt) => AbortSignal
  /**
   * False until the database has answered for the time of a lease: while it was away, others could
   * neither renew their leases nor record what they have sent.
   */
  readonly mayTakeOver: () => boolean
  readonly stop: () => Promise<void>
}

/** Another process may have taken the delivery over. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'

  constructor() {
    super('The database did not confirm in time that only this process still sends the e-mail.')
  }
}

type Lease = {
  /** When the statement began by which it was taken or renewed: by then it had its whole time. */
  since: number
  readonly lost: AbortController
}

const leaseMs = leaseSeconds * 1_000
const renewEveryMs = leaseMs / 4
// Of one that is younger nothing is asked: as a rule an e-mail is sent at once.
const youngMs = 5_000
// What is cut off shall have ended when others take over.
const cutAfterMs = leaseMs - 2_000
const lookEveryMs = 500

/** Begins to renew. */
export const holdLeases = (pool: Pool): Leases => {
  const held = new Map<Attempt, Lease>()
  const stopped = new AbortController()
  let quietUntil = 0
  const lost = () => {
    quietUntil = performance.now() + leaseMs
  }
  const renew = createRenewal(pool, held)
  const renewOften = async () => {
    while (!stopped.signal.aborted) {
      await delay(renewEveryMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      if (held.size > 0) await renew().catch(lost)
    }
  }
  const ended = renewOften()
  const watch = setInterval(() => cutOff(held), lookEveryMs).unref()
  return {
    hold: (attempt, since) => held.set(attempt, { since, lost: new AbortController() }),
    end: (attempt) => held.delete(attempt),
    lost,
    isOwn: async (attempt) => {
      const lease = held.get(attempt)
      // One renewal may have begun before this one was taken.
      for (let asked = 0; lease && asked < 2 && isAsking(lease); asked++)
        await Promise.race([renew().catch(lost), aborted(lease.lost.signal)])
      return lease !== undefined && !lease.lost.signal.aborted && isYoung(lease)
    },
    signalOf: (attempt) => held.get(attempt)?.lost.signal ?? AbortSignal.abort(new LeaseLost()),
    mayTakeOver: () => performance.now() >= quietUntil,
    stop: () => {
      stopped.abort()
      clearInterval(watch)
      return ended
    },
  }
}

const isYoung = ({ since }: Lease): boolean => performance.now() - since < youngMs

const isAsking = (lease: Lease): boolean => !isYoung(lease) && !lease.lost.signal.aborted

/** Cuts off what others may take over soon. */
const cutOff = (held: ReadonlyMap<Attempt, Lease>): void => {
  const now = performance.now()
  for (const { since, lost } of held.values())
    if (now - since >= cutAfterMs) lost.abort(new LeaseLost())
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** Renews all that is held by one statement; who asks while one runs waits for that one. */
const createRenewal = (pool: Pool, held: ReadonlyMap<Attempt, Lease>): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  const renew = async () => {
    const since = performance.now()
    const asked = [...held]
    const tries = asked.map(([attempt]) => attempt)
    const own = new Set((await renewLeases(pool, tries, renewEveryMs)).map(nameOf))
    for (const [attempt, lease] of asked)
      if (own.has(nameOf(attempt))) lease.since = since
      else lease.lost.abort(new LeaseLost())
  }
  return () => {
    running ??= renew().finally(() => {
      running = undefined
    })
    return running
  }
}

const nameOf = ({ id, tries }: Attempt): string => `${id} ${tries}`
