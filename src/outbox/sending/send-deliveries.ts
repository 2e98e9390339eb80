/** Sends the due deliveries of a channel, in any number of processes at the same time. */
import { createBatcher } from '../../database/batcher.ts'
import type { Listener } from '../../database/listener.ts'
import type { Pool } from '../../database/pool.ts'
import { workQueue } from '../../jobs/work-queue.ts'
import { createLimit } from '../../limit.ts'
import type { Observe } from '../../observations.ts'
import type { ChannelOptions, OpenChannel } from '../channel.ts'
import { channels } from '../channels.ts'
import { deliveryQueueOf } from '../delivery.ts'
import { markSent } from '../sent-message-store.ts'
import { type Delivering, deliver, waitForRate } from './deliver.ts'
import { takeDeliveries } from './taken-delivery.ts'

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
  readonly stop: (graceMs: number) => Promise<unknown>
}

// While so many are given to the provider, as many again are composed or recorded.
const ahead = 2

/** Starts sending. */
export const sendDeliveries = ({
  pool,
  listener,
  channel,
  observe,
  leaseSeconds = 30,
}: SenderDeps): Sender => {
  const { name, maxConcurrent, maxPerSecond, maxTries } = channel
  const queue = deliveryQueueOf(name, maxTries)
  const batcher = createBatcher(pool)
  const delivering: Delivering = {
    pool,
    channel,
    observe,
    queue,
    limit: createLimit(maxConcurrent),
    markSent: (one) =>
      batcher('sent', one, async (sent) => {
        await markSent(pool, sent)
        return sent.map(() => undefined)
      }),
  }
  return workQueue({
    pool,
    listener,
    queue,
    leaseSeconds,
    most: ahead * maxConcurrent,
    least: maxConcurrent,
    ...(maxPerSecond !== undefined && { batch: 1 }),
    take: (limit) => takeDeliveries(pool, queue, { limit, leaseSeconds }),
    work: (delivery, during) => deliver(delivering, delivery, during),
    pace: (stop) => waitForRate(pool, channel, stop),
    onFailure: (task, error) =>
      observe({
        kind: 'maintenanceFailed',
        task: task === 'take' ? 'takeDeliveries' : 'renewLeases',
        error,
      }),
    onEnded: (jobs) => observe({ kind: 'workerRecovered', jobs }),
    onSignalsLost: (reason) => observe({ kind: 'deliveryWakeUpDelayed', channel: name, reason }),
    // Aborted sending ends immediately.
    onCut: (unfinished) => Promise.all(unfinished.values()),
  })
}

type Options = ChannelOptions & {
  readonly listener: Listener
  readonly observe: Observe
}

/** Opens every channel and starts sending its queued deliveries. */
export const openSenders = async (options: Options): Promise<Sender> => {
  const { pool, listener, observe } = options
  const opened = await Promise.all(channels.map((channel) => channel.open(options)))
  const senders = opened.map((channel) => ({
    channel,
    sender: sendDeliveries({ pool, listener, channel, observe }),
  }))
  return {
    stop: async (graceMs) => {
      await Promise.all(
        senders.map(async ({ channel, sender }) => {
          await sender.stop(graceMs)
          await channel.close()
        }),
      )
    },
  }
}
