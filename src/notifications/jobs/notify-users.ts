/** Stores notifications and pushes them, together with those that other jobs store at the same time. */
import type { Batcher } from '../../database/batcher.ts'
import type { Queryable } from '../../database/pool.ts'
import { wakingSenders } from '../../deliveries/queue-deliveries.ts'
import type { Observe } from '../../observations.ts'
import {
  fewPeople,
  type NotificationBatch,
  type Stored,
  storeNotifications,
  wakeReaders,
} from '../inbox/store-notifications.ts'
import type { EngineDeps } from '../rules/notice.ts'

/** What jobs need to notify users. */
export type SendingDeps = EngineDeps & {
  /** Batches what jobs that run side by side read and write for few users. */
  readonly batcher: Batcher
  readonly observe: Observe
}

/** Notifies the recipients of one event: stored when it resolves, and pushed to open streams. */
export const notifyUsers = async (
  { pool, batcher }: Pick<SendingDeps, 'pool' | 'batcher'>,
  batch: NotificationBatch,
): Promise<Stored> => {
  const count = batch.recipients.userIds.length
  const [stored] =
    count > fewPeople
      ? await storeAndPush([batch], pool)
      : [await batcher('notify', batch, storeAndPush, count / fewPeople)]
  return stored ?? { stored: 0, unreachable: [] }
}

const storeAndPush = async (batches: readonly NotificationBatch[], database: Queryable) => {
  const stored = await storeNotifications(database, batches)
  const userIds = batches.flatMap(({ recipients }) => recipients.userIds)
  const isMailed = batches.some(({ mailing }) => mailing)
  await wakeReaders(database, [...new Set(userIds)], ...(isMailed ? [wakingSenders] : []))
  return stored
}

/**
 * Runs work for very many users one at a time in this process: side by side they would only wait for
 * each other's counters, each with its contents in memory.
 */
export const inTurn = <Answer>(
  { batcher }: Pick<SendingDeps, 'batcher'>,
  count: number,
  work: () => Promise<Answer>,
): Promise<Answer> =>
  count > fewPeople ? batcher('in turn', work, async ([go]) => [await (go ?? work)()], 1) : work()
