/** Stores what is told and wakes who reads it, together with what is told of others at the same time. */

import type { Gather } from '../database/gather.ts'
import type { Queryable } from '../database/pool.ts'
import { wakingSenders } from '../email/queue-deliveries.ts'
import type { Observe } from '../observations.ts'
import type { EngineParts } from './notice.ts'
import {
  fewPeople,
  type Stored,
  storeNotifications,
  type Telling,
  wakeReaders,
} from './store-notifications.ts'

/** What the engine tells people with. */
export type SendingParts = EngineParts & {
  /** Joins what jobs that run side by side ask and write of few people. */
  readonly gather: Gather
  readonly observe: Observe
}

/** Tells people of one occasion: stored for good when it answers, and on its way to who looks on. */
export const tellPeople = async (
  { pool, gather }: Pick<SendingParts, 'pool' | 'gather'>,
  telling: Telling,
): Promise<Stored> => {
  const tell = async (tellings: readonly Telling[], database: Queryable) => {
    const stored = await storeNotifications(database, tellings)
    const userIds = tellings.flatMap(({ recipients }) => recipients.userIds)
    const isMailed = tellings.some(({ mailing }) => mailing)
    await wakeReaders(database, [...new Set(userIds)], ...(isMailed ? [wakingSenders] : []))
    return stored
  }
  // One after the other: they would only wait for the counters that others of them hold.
  const tellMany = async (tellings: readonly Telling[]) => {
    const stored: Stored[] = []
    for (const one of tellings) stored.push(...(await tell([one], pool)))
    return stored
  }
  const isFew = telling.recipients.userIds.length <= fewPeople
  return isFew ? gather('tell', telling, tell) : gather('tell many', telling, tellMany)
}
