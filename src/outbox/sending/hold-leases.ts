/**
 * Holds the leases of deliveries that a process sends: they are renewed together until the deliveries end.
 * A delivery that has lost its lease is neither begun nor continued, and no delivery of other processes is
 * taken over directly after the database was unavailable.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../database/pool.ts'
import { type Attempt, renewLeases } from '../delivery-store.ts'

export type Leases = {
  /** How long each lasts. */
  readonly seconds: number
  /** An attempt that was taken by a statement that began at that time of `performance.now()`. */
  readonly hold: (attempt: Attempt, askedAt: number) => void
  readonly end: (attempt: Attempt) => void
  /** The database did not answer. */
  readonly lost: () => void
  /**
   * Whether no other process can have the attempt for some seconds; asks the database if that is not known.
   */
  readonly isOwn: (attempt: Attempt) => Promise<boolean>
  /** Aborted with a LeaseLost when another process may have the attempt. */
  readonly signalOf: (attempt: Attempt) => AbortSignal
  /**
   * False until the database has answered for the time of a lease: while it was unavailable, other
   * processes could neither renew their leases nor record what they have sent.
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
  /** When the statement that took or renewed it began: the lease counts from then. */
  since: number
  readonly lost: AbortController
}

type Times = ReturnType<typeof timesOf>

/** Of 30 seconds: renewed every 7.5, young for 5, aborted after 28, which is looked at twice a second. */
const timesOf = (leaseSeconds: number) => ({
  leaseSeconds,
  leaseMs: leaseSeconds * 1_000,
  renewEveryMs: leaseSeconds * 250,
  // A younger lease needs no check: most e-mails are sent immediately.
  youngMs: (leaseSeconds * 1_000) / 6,
  // Aborted sending should have ended when other processes take over.
  cutAfterMs: (leaseSeconds * 14_000) / 15,
  lookEveryMs: (leaseSeconds * 1_000) / 60,
})

/** Starts renewing leases of so many seconds. */
export const holdLeases = (pool: Pool, leaseSeconds: number): Leases => {
  const times = timesOf(leaseSeconds)
  const { leaseMs, renewEveryMs, lookEveryMs } = times
  const held = new Map<Attempt, Lease>()
  const stopped = new AbortController()
  let quietUntil = 0
  const lost = () => {
    quietUntil = performance.now() + leaseMs
  }
  const renew = createRenewal(pool, held, times)
  const renewOften = async () => {
    while (!stopped.signal.aborted) {
      await delay(renewEveryMs, undefined, { signal: stopped.signal }).catch(() => undefined)
      if (held.size > 0) await renew().catch(lost)
    }
  }
  const ended = renewOften()
  const watch = setInterval(() => cutOff(held, times), lookEveryMs).unref()
  return {
    seconds: leaseSeconds,
    hold: (attempt, since) => held.set(attempt, { since, lost: new AbortController() }),
    end: (attempt) => held.delete(attempt),
    lost,
    isOwn: async (attempt) => {
      const lease = held.get(attempt)
      // A running renewal may have begun before this one was taken.
      for (let asked = 0; lease && asked < 2 && isAsking(lease, times); asked++)
        await Promise.race([renew().catch(lost), aborted(lease.lost.signal)])
      return lease !== undefined && !lease.lost.signal.aborted && isYoung(lease, times)
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

const isYoung = ({ since }: Lease, { youngMs }: Times): boolean =>
  performance.now() - since < youngMs

const isAsking = (lease: Lease, times: Times): boolean =>
  !isYoung(lease, times) && !lease.lost.signal.aborted

/** Aborts deliveries that other processes may take over soon. */
const cutOff = (held: ReadonlyMap<Attempt, Lease>, { cutAfterMs }: Times): void => {
  const now = performance.now()
  for (const { since, lost } of held.values())
    if (now - since >= cutAfterMs) lost.abort(new LeaseLost())
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** Renews all leases with one statement; concurrent callers share it. */
const createRenewal = (
  pool: Pool,
  held: ReadonlyMap<Attempt, Lease>,
  { leaseSeconds, renewEveryMs }: Times,
): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  const renew = async () => {
    const since = performance.now()
    const asked = [...held]
    const tries = asked.map(([attempt]) => attempt)
    const own = new Set(
      (await renewLeases(pool, tries, { leaseSeconds, withinMs: renewEveryMs })).map(nameOf),
    )
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
