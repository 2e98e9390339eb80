/**
 * Holds the leases of the rows that a process works on: they are renewed together until the work ends, and then the
 * attempts of processes that have ended are ended. A row whose lease was lost is neither begun nor continued where that
 * matters, and nothing is taken from other processes directly after the database was unavailable.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../database/pool.ts'
import { shareRun } from '../limit.ts'
import { settledWithin } from '../within.ts'
import { type Attempt, endLostAttempts, type Queue, renewLeases } from './queue.ts'

export type Leases = {
  /** An attempt that was taken by a statement that began at that time of `performance.now()`. */
  readonly hold: (attempt: Attempt, askedAt: number) => void
  readonly end: (attempt: Attempt) => void
  /**
   * The database did not answer. Until it has answered for the time of a lease, no attempt of another process is ended:
   * while it was unavailable, that could neither renew its leases nor record what it has done.
   */
  readonly lost: () => void
  /**
   * Whether no other process can have the attempt for some seconds; asks the database if that is not known.
   */
  readonly isOwn: (attempt: Attempt) => Promise<boolean>
  /** Aborted with a LeaseLost when another process may have the attempt. */
  readonly signalOf: (attempt: Attempt) => AbortSignal
  readonly stop: () => Promise<void>
}

/** Another process may have taken the row over. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'

  constructor() {
    super('The database did not confirm in time that only this process still works on it.')
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
  // Aborted work should have ended when other processes take over.
  cutAfterMs: (leaseSeconds * 14_000) / 15,
  lookEveryMs: (leaseSeconds * 1_000) / 60,
})

const lastRenewalMs = 1_000

type Options = {
  readonly pool: Pool
  readonly queue: Queue
  /** A process that has not renewed a lease for so long has lost it. */
  readonly leaseSeconds: number
  /** So many attempts of processes that have ended were ended. */
  readonly onEnded: (attempts: number) => void
  readonly onFailure: (error: unknown) => void
}

/** Starts renewing leases, and ending those of processes that have ended. */
export const holdLeases = (options: Options): Leases => {
  const { pool, queue, leaseSeconds, onEnded, onFailure } = options
  const times = timesOf(leaseSeconds)
  const { leaseMs, renewEveryMs, lookEveryMs } = times
  const held = new Map<Attempt, Lease>()
  const stopped = new AbortController()
  let quietUntil = 0
  const lost = () => {
    quietUntil = performance.now() + leaseMs
  }
  const failed = (error: unknown) => {
    lost()
    onFailure(error)
  }
  const renew = createRenewal(options, held, times)
  const endOthers = async () => {
    const attempts = await endLostAttempts(pool, queue)
    if (attempts > 0) onEnded(attempts)
  }
  const renewOften = async () => {
    while (!stopped.signal.aborted) {
      // Own leases first: they are never those of a process that has ended.
      if (held.size > 0) await renew().catch(failed)
      if (performance.now() >= quietUntil) await endOthers().catch(failed)
      await delay(renewEveryMs, undefined, { signal: stopped.signal }).catch(() => undefined)
    }
  }
  const ended = renewOften()
  const watch = setInterval(() => cutOff(held, times), lookEveryMs).unref()
  return {
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
    stop: () => {
      stopped.abort()
      clearInterval(watch)
      return settledWithin(lastRenewalMs, ended)
    },
  }
}

const isYoung = ({ since }: Lease, { youngMs }: Times): boolean =>
  performance.now() - since < youngMs

const isAsking = (lease: Lease, times: Times): boolean =>
  !isYoung(lease, times) && !lease.lost.signal.aborted

/** Aborts work that other processes may take over soon. */
const cutOff = (held: ReadonlyMap<Attempt, Lease>, { cutAfterMs }: Times): void => {
  const now = performance.now()
  for (const { since, lost } of held.values())
    if (now - since >= cutAfterMs) lost.abort(new LeaseLost())
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

/** Renews all leases with one statement; concurrent callers share it. */
const createRenewal = (
  { pool, queue }: Options,
  held: ReadonlyMap<Attempt, Lease>,
  { leaseSeconds, renewEveryMs }: Times,
): (() => Promise<void>) =>
  shareRun(async () => {
    const since = performance.now()
    const leases = [...held]
    const attempts = leases.map(([attempt]) => attempt)
    const limits = { leaseSeconds, withinMs: renewEveryMs }
    const own = new Set((await renewLeases(pool, queue, attempts, limits)).map(nameOf))
    for (const [attempt, lease] of leases)
      if (own.has(nameOf(attempt))) lease.since = since
      else lease.lost.abort(new LeaseLost())
  })

const nameOf = ({ id, tries }: Attempt): string => `${id} ${tries}`
