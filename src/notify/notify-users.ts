/**
 * Notifies users of events: inbox, channels and streams, in batches with other jobs that run at the same
 * time.
 */
import { type Batcher, smallBatch } from '../database/batcher.ts'
import type { Pool } from '../database/pool.ts'
import { transaction } from '../database/transaction.ts'
import { changedChannel } from '../inbox/changed-channel.ts'
import { notificationIds } from '../inbox/notification-id.ts'
import { type EventNotifications, storeNotifications } from '../inbox/store-notifications.ts'
import type { Observe } from '../observations.ts'
import type { OutgoingEvent, Skipped } from '../outbox/channel.ts'
import { queueDeliveries } from '../outbox/channels.ts'
import { queuedChannel } from '../outbox/delivery.ts'
import type { EngineDeps } from './rules/evaluate-rules.ts'

/** What jobs need to notify users. */
export type SendingDeps = EngineDeps & {
  /** Batches the reads and writes of concurrent jobs for few users. */
  readonly batcher: Batcher
  readonly observe: Observe
}

/** The notifications of one event, also sent by channels if `outgoing` is set. */
export type NotificationBatch = Omit<EventNotifications, 'ids'> & {
  readonly outgoing?: Pick<OutgoingEvent, 'operation' | 'rule' | 'data'>
}

export type Notified = {
  /** How many notifications are new. */
  readonly stored: number
  /** The recipients to whom a channel sends nothing. */
  readonly skipped: readonly Skipped[]
}

/** Notifies the recipients of one event: stored when it resolves, and pushed to open streams. */
export const notifyUsers = async (
  { pool, batcher }: Pick<SendingDeps, 'pool' | 'batcher'>,
  batch: NotificationBatch,
): Promise<Notified> => {
  const count = batch.recipients.userIds.length
  if (count <= smallBatch) return batcher('notify', batch, notifyTogether, count / smallBatch)
  const [notified = nothing] = await notifyTogether([batch], pool)
  return notified
}

const nothing: Notified = { stored: 0, skipped: [] }

const notifyTogether = async (batches: readonly NotificationBatch[], pool: Pool) => {
  const notified = await storeBatches(pool, batches)
  // Also if an earlier attempt has stored them: it may have ended before it signalled.
  await pool.signaller.signal([
    { channel: changedChannel, values: batches.flatMap(({ recipients }) => recipients.userIds) },
    { channel: queuedChannel, values: batches.map(({ outgoing }) => (outgoing ? 1 : 0)) },
  ])
  return notified
}

/**
 * Stores the notifications of events and queues their deliveries, in one transaction; returns the result of each event.
 */
export const storeBatches = async (
  pool: Pool,
  batches: readonly NotificationBatch[],
): Promise<Notified[]> => {
  const inbox = batches.map(({ event, recipients }) => ({
    event,
    recipients,
    ids: notificationIds(event, recipients.userIds),
  }))
  const events = batches.map(({ outgoing }, index) => outgoingOf(inbox[index], outgoing))
  const outgoing = events.filter((event) => event !== undefined)
  const { stored, skipped } = await retryConflicts(() =>
    outgoing.length === 0
      ? storeOnly(pool, inbox)
      : transaction(pool, async (connection) => {
          const skipped = await queueDeliveries(connection, outgoing)
          // Last, because the counters of the recipients stay locked until the commit.
          return { skipped, stored: await storeNotifications(connection, inbox) }
        }),
  )
  const skippedOf = Map.groupBy(skipped, ({ of }) => of)
  return events.map((event, index) => ({
    stored: stored[index] ?? 0,
    skipped: (event && skippedOf.get(event)) ?? [],
  }))
}

const storeOnly = async (pool: Pool, inbox: readonly EventNotifications[]) => ({
  stored: await storeNotifications(pool, inbox),
  skipped: [],
})

const outgoingOf = (
  inbox: EventNotifications | undefined,
  outgoing: NotificationBatch['outgoing'],
): OutgoingEvent | undefined =>
  inbox &&
  outgoing && {
    event: inbox.event,
    userIds: inbox.recipients.userIds,
    notificationIds: inbox.ids,
    ...outgoing,
  }

// If two workers run the same job, the later one fails on what the earlier one stored meanwhile, and finds
// all of it when it retries.
const maxRetries = 10
const conflicts = ['23505', '40P01']

const retryConflicts = async <T>(work: () => Promise<T>): Promise<T> => {
  for (let retries = 0; ; retries++)
    try {
      return await work()
    } catch (error) {
      const { code = '' } = error as { readonly code?: string }
      if (retries === maxRetries || !conflicts.includes(code)) throw error
    }
}

/** Batches of very many users that a process works on at the same time: while one is stored, the next one is rendered. */
export const largeBatchesAtOnce = 2

let lastLane = 0

/**
 * Runs work for users. That for very many waits until fewer than so many batches of them are worked on in this process: more would
 * only wait for each other's counters, each with its contents in memory.
 */
export const runInLane = <Answer>(
  { batcher }: Pick<SendingDeps, 'batcher'>,
  count: number,
  work: () => Promise<Answer>,
): Promise<Answer> => {
  if (count <= smallBatch) return work()
  lastLane = (lastLane + 1) % largeBatchesAtOnce
  return batcher(`lane ${lastLane}`, work, async ([run]) => [await (run ?? work)()], 1)
}
