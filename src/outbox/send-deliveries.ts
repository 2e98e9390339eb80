/** Sends the due deliveries of a channel, in any number of processes at the same time. */
import { setTimeout as delay } from 'node:timers/promises'
import { createBatcher } from '../database/batcher.ts'
import type { Listener } from '../database/listener.ts'
import { type Pool, queryRow } from '../database/pool.ts'
import { bound, sql, text } from '../database/sql.ts'
import type { ChannelName } from '../definitions/schemas/notification-rule.ts'
import { errorText } from '../errors.ts'
import { LeaseLost } from '../jobs/leases.ts'
import { failRow, type Queue, releaseRows, removeRow } from '../jobs/queue.ts'
import { type During, recordResult, workQueue } from '../jobs/work-queue.ts'
import { createLimit, type Limit } from '../limit.ts'
import type { Observe } from '../observations.ts'
import { deliveryRetries, pauseAfter } from '../retry-policy.ts'
import { inSpan, type SpanDescription } from '../spans.ts'
import { awaitAttachments } from './attachments/attachment-store.ts'
import type { ChannelOptions, DeliveryMessage, OpenChannel, PreparedDelivery } from './channel.ts'
import { channels } from './channels.ts'
import {
  AttachmentsAwaited,
  DeliveryError,
  deliveryQueueOf,
  NothingToSend,
  type TakenDelivery,
  takeDeliveries,
} from './delivery.ts'
import { markSent, packMessage, type SentDelivery } from './sent-message-store.ts'

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

type Delivering = {
  readonly pool: Pool
  readonly channel: OpenChannel
  readonly observe: Observe
  readonly queue: Queue
  /** Limits the deliveries that the provider gets at the same time. */
  readonly limit: Limit
  readonly markSent: (sent: SentDelivery) => Promise<void>
}

type Outcome =
  /** Without the message if it is not stored, or an earlier attempt, which may have composed another one, was accepted. */
  | { readonly kind: 'sent'; readonly message?: DeliveryMessage }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** Not given to the provider: another process may take it immediately. */
  | { readonly kind: 'not begun' }
  | { readonly kind: 'awaits attachments'; readonly audience: string }
  | { readonly kind: 'nothing to send' }
  /** Aborted while the provider had it: after the lease it is sent again. */
  | { readonly kind: 'cut' }

// Without a response within this time the attempt counts as failed.
const answerWithinMs = 60_000

/** Resolves when the outcome is recorded, or the process ends. */
const deliver = (
  delivering: Delivering,
  delivery: TakenDelivery,
  during: During,
): Promise<void> => {
  const span = spanOf('process', 'consumer', delivering.channel, delivery)
  const work = async () => {
    const outcome = await attempt(delivering, delivery, during)
    await record(delivering, delivery, outcome, during).catch(() => {
      // Reported already; after the lease it is sent again.
    })
  }
  return inSpan(span, work, delivery.traceparent)
}

const spanOf = (
  operation: 'process' | 'send',
  kind: SpanDescription['kind'],
  { name, provider }: OpenChannel,
  { id, tries }: TakenDelivery,
): SpanDescription => ({
  name: `${operation} ${name}`,
  kind,
  attributes: {
    'messaging.system': provider,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
    'messaging.destination.name': name,
    'messaging.message.id': String(id),
    'docket.delivery.attempt': tries,
  },
})

const attempt = async (
  { channel, limit }: Delivering,
  delivery: TakenDelivery,
  { leases, turn, cut }: During,
): Promise<Outcome> => {
  const lost = leases.signalOf(delivery)
  let isBegun = false
  let isRepeated = false
  try {
    const [prepared] = await Promise.all([channel.prepare(delivery), turn])
    await limit(async () => {
      const signal = AbortSignal.any([cut, lost, AbortSignal.timeout(answerWithinMs)])
      isRepeated = delivery.tries > 1 && (await wasTaken(prepared, signal))
      if (isRepeated) return
      if (!(await leases.isOwn(delivery))) throw new LeaseLost()
      // It may have waited until the process stops.
      cut.throwIfAborted()
      isBegun = true
      await inSpan(spanOf('send', 'client', channel, delivery), () => prepared.send(signal))
    })
    const isStored = !isRepeated && prepared.isStored !== false
    return isStored ? { kind: 'sent', message: prepared.message } : { kind: 'sent' }
  } catch (error) {
    if (error instanceof AttachmentsAwaited)
      return { kind: 'awaits attachments', audience: error.audience }
    if (error instanceof NothingToSend) return { kind: 'nothing to send' }
    if (isBegun)
      return cut.aborted ? { kind: 'cut' } : { kind: 'failed', error: lost.reason ?? error }
    const isUnbegun = cut.aborted || error instanceof RateUnknown || error instanceof LeaseLost
    return isUnbegun ? { kind: 'not begun' } : { kind: 'failed', error }
  }
}

/** Whether an earlier attempt without a response was accepted; false if that cannot be known. */
const wasTaken = async (prepared: PreparedDelivery, signal: AbortSignal): Promise<boolean> =>
  (await prepared.wasTaken?.(signal).catch(() => false)) ?? false

const record = async (
  delivering: Delivering,
  delivery: TakenDelivery,
  outcome: Outcome,
  { leases, cut }: During,
): Promise<void> => {
  const { pool, channel, queue, markSent, observe } = delivering
  const { id, tries } = delivery
  const retry = (work: () => Promise<unknown>) =>
    recordResult(work, cut, (error) => {
      leases.lost()
      observe({ kind: 'maintenanceFailed', task: 'markDelivery', error })
    })
  // Repeated, these could undo what another process has begun meanwhile: they wait for the database first.
  const once = async (write: () => Promise<void>) => {
    await retry(() => pool.query('SELECT'))
    await write()
  }
  switch (outcome.kind) {
    case 'sent': {
      const message = outcome.message && (await packMessage(outcome.message))
      await retry(() => markSent({ id, message }))
      observe({
        kind: 'deliverySent',
        channel: channel.name,
        delivery: id,
        provider: channel.provider,
        tries,
      })
      return
    }
    case 'failed':
      return recordFailure(delivering, delivery, outcome.error, retry)
    case 'not begun':
      return once(() => releaseRows(pool, queue, [delivery]))
    case 'awaits attachments':
      return once(() => awaitAttachments(pool, delivery, outcome.audience))
    case 'nothing to send':
      return once(() => removeRow(pool, queue, delivery))
    case 'cut':
      return
  }
}

const recordFailure = async (
  { pool, channel, queue, observe }: Delivering,
  delivery: TakenDelivery,
  error: unknown,
  retry: (work: () => Promise<unknown>) => Promise<void>,
): Promise<void> => {
  const { id, tries } = delivery
  const { name, provider, maxTries } = channel
  const text = oneLine(errorText(error))
  const known = error instanceof DeliveryError ? error : undefined
  const isDead = known?.retryable === false || tries >= maxTries
  const pauseMs = Math.max(known?.retryAfterMs ?? 0, pauseAfter(deliveryRetries, tries))
  await retry(() =>
    failRow(pool, queue, delivery, { error: text, pauseMs: isDead ? undefined : pauseMs }),
  )
  const kind = isDead ? 'deliveryDead' : 'deliveryFailed'
  observe({ kind, channel: name, delivery: id, provider, tries, of: maxTries, error })
}

// Responses of servers may have several lines.
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, 1000)

/** It is not known when the next delivery may be sent, or the process stops before. */
class RateUnknown extends Error {
  override name = 'RateUnknown'
}

/** Waits until one delivery of the channel may be sent; throws a RateUnknown if that cannot be determined. */
const waitForRate = async (
  pool: Pool,
  { name, maxPerSecond }: { readonly name: ChannelName; readonly maxPerSecond: number | undefined },
  stop: AbortSignal,
): Promise<void> => {
  if (maxPerSecond === undefined) return
  try {
    const step = sql`interval '1 second' / ${bound(maxPerSecond, 'double precision')}`
    const row = await queryRow<{ wait: string }>(
      pool,
      sql`
INSERT INTO docket.delivery_rate AS r (channel, next_at)
VALUES (${text(name)}, clock_timestamp() + ${step})
ON CONFLICT (channel) DO UPDATE SET next_at = greatest(r.next_at, clock_timestamp()) + ${step}
RETURNING (extract(epoch FROM r.next_at - ${step} - clock_timestamp()) * 1000)::text AS wait`,
    )
    const waitMs = Math.max(0, Number(row?.wait ?? 0))
    await delay(waitMs, undefined, { signal: stop, ref: false })
  } catch (cause) {
    throw new RateUnknown('It is not known when the delivery may go.', { cause })
  }
}
