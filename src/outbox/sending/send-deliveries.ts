/**
 * Sends due deliveries of a channel: several at once in this process, and any number of processes at the
 * same time. A process takes a delivery with a lease that it renews while it sends, so that another one can
 * take over if it ends.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { createBatcher } from '../../database/batcher.ts'
import type { Listener } from '../../database/listener.ts'
import type { Pool } from '../../database/pool.ts'
import type { Observe } from '../../observations.ts'
import type { OpenChannel } from '../channel.ts'
import { queuedChannel } from '../delivery.ts'
import { takeDeliveries } from '../delivery-store.ts'
import { markSent } from '../sent-message-store.ts'
import { type Delivering, deliver, reportLost } from './deliver.ts'
import { holdLeases } from './hold-leases.ts'
import { createLimit } from './limit.ts'
import { waitForRate } from './rate-limit.ts'
import type { TakenDelivery } from './taken-delivery.ts'

export type SenderDeps = {
  readonly pool: Pool
  /** Receives its signals. */
  readonly listener: Listener
  readonly channel: OpenChannel
  readonly observe: Observe
  /** A process that has not renewed the lease of a delivery for so long has lost it. Default: 30. */
  readonly leaseSeconds?: number
}

export type Sender = {
  /** Takes no more deliveries; those that are being sent have the grace time. */
  readonly stop: (graceMs: number) => Promise<void>
}

// While so many are given to the provider, as many again are composed or recorded.
const ahead = 2
// Retries become due without a notification.
const lookEveryMs = 1_000

/** Starts sending. */
export const sendDeliveries = (deps: SenderDeps): Sender => {
  const { listener, channel, pool, observe } = deps
  const maxTaken = ahead * channel.maxConcurrent
  const delivering = prepareDelivering(deps)
  const [stop, cut] = [new AbortController(), new AbortController()]
  const running = new Set<Promise<void>>()
  let wake = Promise.withResolvers<void>()
  const look = () => wake.resolve()
  listener.subscribe({
    channels: { [queuedChannel.name]: look },
    onListening: look,
    onLost: (reason) => observe({ kind: 'deliveryWakeUpDelayed', channel: channel.name, reason }),
  })
  const begin = (delivery: TakenDelivery, turn: Promise<void>) => {
    const sending = deliver(delivering, { delivery, turn }, cut.signal).finally(() => {
      delivering.leases.end(delivery)
      running.delete(sending)
      look()
    })
    running.add(sending)
  }
  const beginAll = async (taken: readonly TakenDelivery[]) => {
    const turn = waitForRate(pool, channel, stop.signal)
    // Each keeps its lease, and is composed, while it waits for its turn; no more are taken before.
    for (const delivery of taken) begin(delivery, turn)
    await turn.catch(async (error) => {
      if (!stop.signal.aborted) reportLost(delivering, 'takeDeliveries', error)
      await pause(lookEveryMs, stop.signal)
    })
  }
  const loop = async () => {
    while (!stop.signal.aborted) {
      wake = Promise.withResolvers()
      // Several with one statement, as long as the provider has enough to do.
      const free = maxTaken - running.size
      const taken = free < channel.maxConcurrent ? [] : await takeNext(delivering, free)
      if (taken.length > 0) await beginAll(taken)
      if (taken.length === 0 || maxTaken - running.size < channel.maxConcurrent)
        await Promise.race([wake.promise, pause(lookEveryMs, stop.signal)])
    }
  }
  const ended = loop()
  return {
    stop: async (graceMs) => {
      stop.abort()
      await ended
      await Promise.race([Promise.all(running), pause(graceMs, AbortSignal.any([]))])
      cut.abort(new Error('The process ends.'))
      await Promise.all([...running, delivering.leases.stop()])
    },
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal, ref: false }).catch(() => undefined)

const prepareDelivering = ({
  pool,
  channel,
  observe,
  leaseSeconds = 30,
}: SenderDeps): Delivering => {
  const batcher = createBatcher(pool)
  return {
    pool,
    channel,
    observe,
    leases: holdLeases(pool, leaseSeconds),
    limit: createLimit(channel.maxConcurrent),
    markSent: (one) =>
      batcher('sent', one, async (sent) => {
        await markSent(pool, sent)
        return sent.map(() => undefined)
      }),
  }
}

/** The due deliveries, as many as may be sent now; none while the database is unavailable. */
const takeNext = async (delivering: Delivering, free: number): Promise<TakenDelivery[]> => {
  const { pool, leases, channel } = delivering
  try {
    const askedAt = performance.now()
    const taken = await takeDeliveries(pool, channel.name, {
      limit: channel.maxPerSecond === undefined ? free : 1,
      leaseSeconds: leases.seconds,
      mayTakeOver: leases.mayTakeOver(),
    })
    for (const delivery of taken) leases.hold(delivery, askedAt)
    return taken
  } catch (error) {
    reportLost(delivering, 'takeDeliveries', error)
    return []
  }
}
