/** Stores what is told and wakes who reads it, together with what is told of others at the same time. */

import type { Gather } from '../../database/gather.ts'
import type { Queryable } from '../../database/pool.ts'
import { wakingSenders } from '../../email/queue-deliveries.ts'
import type { Observe } from '../../observations.ts'
import {
  fewPeople,
  type Stored,
  storeNotifications,
  type Telling,
  wakeReaders,
} from '../inbox/store-notifications.ts'
import type { EngineParts } from '../rules/notice.ts'

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
  const count = telling.recipients.userIds.length
  const [stored] =
    count > fewPeople
      ? await tell([telling], pool)
      : [await gather('tell', telling, tell, count / fewPeople)]
  return stored ?? { stored: 0, unreachable: [] }
}

const tell = async (tellings: readonly Telling[], database: Queryable) => {
  const stored = await storeNotifications(database, tellings)
  const userIds = tellings.flatMap(({ recipients }) => recipients.userIds)
  const isMailed = tellings.some(({ mailing }) => mailing)
  await wakeReaders(database, [...new Set(userIds)], ...(isMailed ? [wakingSenders] : []))
  return stored
}

/**
 * Does what is done for very many people when it is its turn in this process: side by side they would
 * only wait for each other's counters, each with its contents in memory.
 */
export const inTurn = <Answer>(
  { gather }: Pick<SendingParts, 'gather'>,
  count: number,
  work: () => Promise<Answer>,
): Promise<Answer> =>
  count > fewPeople ? gather('in turn', work, async ([go]) => [await (go ?? work)()], 1) : work()
