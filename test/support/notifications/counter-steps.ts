/** Random steps that store, mark, snooze and remove notifications at the same time, and the counters that they leave. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Pool } from '../../../src/database/pool.ts'
import { transaction } from '../../../src/database/transaction.ts'
import { markNotifications } from '../../../src/inbox/mark-notifications.ts'
import { removeOldNotifications } from '../../../src/inbox/retention.ts'
import { returnSnoozed, snoozeNotifications } from '../../../src/inbox/snooze.ts'
import { storeNotifications } from '../../../src/inbox/store-notifications.ts'
import { storeBatches } from '../../../src/notify/send-notifications.ts'
import { aContent, newEvent, notificationsOf, notifyUsers } from './an-inbox.ts'

const users = [1, 2, 3, 4, 5]
const user = fc.constantFrom(...users)
const userList = fc.array(user, { minLength: 1, maxLength: 6 })

type Step = (pool: Pool) => Promise<unknown>
const status = fc.constantFrom('seen' as const, 'unseen' as const)
// One that is over comes back with the next step that looks for it.
const untils = fc.constantFrom('2000-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z', null)
const all = { ids: [], after: '2000-01-01T00:00:00.000Z', before: undefined }
const config = { NOTIFICATIONS_KEEP_SEEN_DAYS: 180, NOTIFICATIONS_KEEP_DAYS: 365 }

/** A step with these arguments. */
const stepOf = <Arguments extends unknown[]>(
  work: (pool: Pool, ...given: Arguments) => Promise<unknown>,
  ...given: { [Index in keyof Arguments]: fc.Arbitrary<Arguments[Index]> }
): fc.Arbitrary<Step> =>
  fc.tuple<Arguments>(...given).map((values) => (pool) => work(pool, ...values))

const step = fc.oneof(
  stepOf(
    (pool, userIds, event) => notifyUsers(pool, userIds, { id: `e${event}` }),
    userList,
    fc.integer({ min: 0, max: 30 }),
  ),
  stepOf(
    (pool, lists) => storeSeveral(pool, lists),
    fc.array(userList, { minLength: 1, maxLength: 4 }),
  ),
  stepOf((pool, userIds) => storeAndRollBack(pool, userIds), userList),
  stepOf((pool, userId, to) => markSome(pool, userId, to), user, status),
  stepOf(
    (pool, userId, to) => markNotifications(pool, userId, { ...all, status: to }),
    user,
    status,
  ),
  stepOf((pool, userId, until) => snoozeSome(pool, userId, until), user, untils),
  stepOf((pool) => returnSnoozed(pool)),
  stepOf((pool, userId, days) => makeOld(pool, userId, days), user, fc.constantFrom(100, 200, 400)),
  stepOf((pool) => removeOldNotifications(pool, config)),
)

const storeSeveral = (pool: Pool, lists: readonly number[][]) => {
  const batches = lists.map((userIds) => ({
    event: newEvent(),
    recipients: { userIds, content: aContent() },
  }))
  return storeBatches(pool, batches)
}

const storeAndRollBack = (pool: Pool, userIds: number[]) =>
  transaction(pool, async (connection) => {
    const recipients = { userIds, content: aContent() }
    await storeNotifications(connection, [notificationsOf(recipients)])
    throw new Error('rolled back')
  }).catch(() => undefined)

const someIds = async (pool: Pool, userId: number) => {
  const { rows } = await pool.query(
    'SELECT _id FROM docket.notification WHERE user_id <= $1 ORDER BY random() LIMIT 4',
    [userId],
  )
  return rows.map(({ _id }) => String(_id))
}

const markSome = async (pool: Pool, userId: number, status: 'seen' | 'unseen') => {
  const ids = await someIds(pool, userId)
  await markNotifications(pool, userId, { ids, status, after: undefined, before: undefined })
}

const snoozeSome = async (pool: Pool, userId: number, until: string | null) =>
  snoozeNotifications(pool, userId, { ids: await someIds(pool, userId), until })

const makeOld = (pool: Pool, userId: number, days: number) =>
  pool.query(
    `WITH c AS MATERIALIZED (
       SELECT kept_from FROM docket.notification_count WHERE user_id = $1 FOR UPDATE
     )
     UPDATE docket.notification n SET timestamp = n.timestamp - make_interval(days => $2)
     FROM (SELECT _id FROM docket.notification, c WHERE user_id = $1 AND timestamp >= kept_from ORDER BY timestamp LIMIT 3) o, c
     WHERE n._id = o._id AND n.timestamp - make_interval(days => $2) >= c.kept_from`,
    [userId, days],
  )

/** The counters of all users, and what they should be. */
const recount = async (pool: Pool) => {
  const { rows } = await pool.query(
    `SELECT c.user_id, c.total, c.unseen, count(n._id) AS rows, count(n._id) FILTER (WHERE NOT n.seen) AS "unseenRows"
     FROM docket.notification_count c
     LEFT JOIN docket.notification n ON n.user_id = c.user_id AND n.timestamp >= c.kept_from
       AND NOT EXISTS (SELECT FROM docket.snooze z WHERE z.notification_id = n._id)
     GROUP BY c.user_id`,
  )
  return rows
}

/** Takes steps of a number of random runs, four at a time, and compares the counters with the notifications. */
export const assertExactCounters = (pool: Pool, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
      // In the order in which they get their locks.
      const waiting = [...steps]
      const workers = Array.from({ length: 4 }, async () => {
        for (let next = waiting.pop(); next; next = waiting.pop()) await next(pool)
      })
      await Promise.all(workers)
      for (const { user_id: userId, total, unseen, rows, unseenRows } of await recount(pool))
        assert.deepEqual([userId, total, unseen], [userId, rows, unseenRows])
    }),
    { numRuns },
  )
