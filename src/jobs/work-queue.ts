/**
 * Works on the rows of a queue: several at once in this process, and any number of processes at the same time. Rows are
 * taken when they are signalled, and every second: others become due without a signal, or their signal was lost.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from '../database/database-errors.ts'
import type { Listener } from '../database/listener.ts'
import type { Pool } from '../database/pool.ts'
import { pauseAfter, writeRetries } from '../retry-policy.ts'
import { settledWithin } from '../within.ts'
import { holdLeases, type Leases } from './leases.ts'
import type { Attempt, Queue } from './queue.ts'

/** What the work on a row may use. */
export type During = {
  readonly leases: Leases
  /** Resolves when the row may be handed on; see `pace`. */
  readonly turn: Promise<void>
  /** Aborted when the process must end. */
  readonly cut: AbortSignal
}

type Options<Taken extends Attempt> = {
  readonly pool: Pool
  readonly listener: Pick<Listener, 'subscribe'>
  readonly queue: Queue
  readonly leaseSeconds: number
  /** Rows that this process has at the same time. */
  readonly most: number
  /** Further ones are taken when there is room for so many; default: one. */
  readonly least?: number
  /** Rows of one statement; default: as many as there is room for. */
  readonly batch?: number
  readonly take: (limit: number) => Promise<readonly Taken[]>
  /** Resolves when the result is recorded, or the process ends. Never throws. */
  readonly work: (taken: Taken, during: During) => Promise<void>
  /** After each statement that takes rows: no more are taken before it resolves. */
  readonly pace?: (stop: AbortSignal) => Promise<void>
  /** A task could not reach the database. */
  readonly onFailure: (task: 'take' | 'renewLeases', error: unknown) => void
  /** Rows could be taken, if there were any. */
  readonly onTaken?: () => void
  /** So many attempts of processes that have ended were ended. */
  readonly onEnded: (attempts: number) => void
  /** Why signals are not received. */
  readonly onSignalsLost?: (reason: string) => void
  /** Called after the grace time with the rows that are still worked on. */
  readonly onCut: (unfinished: ReadonlyMap<Taken, Promise<void>>) => Promise<unknown>
}

type Worker = {
  /** Takes no more rows; those that are worked on have the grace time. Returns how many did not end in it. */
  readonly stop: (graceMs: number) => Promise<number>
}

const lookEveryMs = 1_000

/** Starts to work. */
export const workQueue = <Taken extends Attempt>(options: Options<Taken>): Worker => {
  const { pool, listener, queue, leaseSeconds } = options
  let wake = Promise.withResolvers<void>()
  const look = () => wake.resolve()
  const leases = holdLeases({
    pool,
    queue,
    leaseSeconds,
    onEnded: (attempts) => {
      look()
      options.onEnded(attempts)
    },
    onFailure: (error) => options.onFailure('renewLeases', error),
  })
  const [stop, cut] = [new AbortController(), new AbortController()]
  const running = new Map<Taken, Promise<void>>()
  const takeSome = createTaking({ ...options, leases, running, look }, stop.signal, cut.signal)
  const loop = async () => {
    while (!stop.signal.aborted) {
      wake = Promise.withResolvers()
      if (!(await takeSome())) await wake.promise
    }
  }
  const ended = loop()
  const interval = setInterval(look, lookEveryMs)
  const unsubscribe = listener.subscribe({
    channels: { [queue.channel.name]: look },
    // Signals may have been missed.
    onListening: look,
    ...(options.onSignalsLost && { onLost: options.onSignalsLost }),
  })
  return {
    stop: async (graceMs) => {
      stop.abort()
      unsubscribe()
      clearInterval(interval)
      look()
      await settledWithin(
        graceMs,
        ended.then(() => Promise.all(running.values())),
      )
      const unfinished = running.size
      cut.abort(new Error('The process ends.'))
      if (unfinished > 0) await options.onCut(running)
      await leases.stop()
      return unfinished
    },
  }
}

type Taking<Taken extends Attempt> = Options<Taken> & {
  readonly leases: Leases
  /** The rows that are worked on. */
  readonly running: Map<Taken, Promise<void>>
  readonly look: () => void
}

/** Takes rows for which there is room, and begins their work; returns whether to take more immediately. */
const createTaking = <Taken extends Attempt>(
  options: Taking<Taken>,
  stop: AbortSignal,
  cut: AbortSignal,
): (() => Promise<boolean>) => {
  const { leases, running, look, most, least = 1, batch = most, pace } = options
  // Whether the last statement left rows, or there was no room for one.
  let mayBeMore = true
  const failed = (error: unknown) => {
    if (stop.aborted) return
    leases.lost()
    options.onFailure('take', error)
  }
  const take = async (limit: number): Promise<readonly Taken[]> => {
    const askedAt = performance.now()
    try {
      const rows = await options.take(limit)
      for (const row of rows) leases.hold(row, askedAt)
      options.onTaken?.()
      return rows
    } catch (error) {
      failed(error)
      return []
    }
  }
  const begin = (row: Taken, turn: Promise<void>) => {
    const working = options.work(row, { leases, turn, cut }).finally(() => {
      leases.end(row)
      running.delete(row)
      if (mayBeMore) look()
    })
    running.set(row, working)
  }
  return async () => {
    const free = most - running.size
    const limit = free < least ? 0 : Math.min(free, batch)
    const rows = limit === 0 ? [] : await take(limit)
    mayBeMore = rows.length === limit
    const turn = rows.length > 0 && pace ? pace(stop) : Promise.resolve()
    // Each keeps its lease, and is prepared, while it waits for its turn.
    for (const row of rows) begin(row, turn)
    const isPaced = await turn.then(
      () => true,
      (error) => failed(error),
    )
    return isPaced === true && mayBeMore && most - running.size >= least
  }
}

// Records the result of an attempt, also if the database is unavailable for a while.

// A statement that the database rejects will not be accepted later either.
const maxRejections = 5

/**
 * Repeats the work until it succeeds, at least once; throws its error when it is rejected repeatedly, or
 * after `cut` is aborted. `onFailure` is called for the first failure.
 */
export const recordResult = async (
  work: () => Promise<unknown>,
  cut: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> => {
  let rejections = 0
  for (let failures = 1; ; failures++)
    try {
      await work()
      return
    } catch (error) {
      if (failures === 1) onFailure(error)
      if (!isUnavailable(error)) rejections++
      if (cut.aborted || rejections === maxRejections) throw error
      await delay(pauseAfter(writeRetries, failures), undefined, { signal: cut }).catch(
        () => undefined,
      )
    }
}
