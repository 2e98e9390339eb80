/** The counters are exact while notifications are stored, marked and removed concurrently. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { Pool } from '../../../src/database/pool.ts'
import { transaction } from '../../../src/database/transaction.ts'
import { markNotifications } from '../../../src/notifications/inbox/mark-notifications.ts'
import { removeOldNotifications } from '../../../src/notifications/inbox/retention.ts'
import { storeNotifications } from '../../../src/notifications/inbox/store-notifications.ts'
import { storeBatches } from '../../../src/notifications/jobs/notify-users.ts'
import type { TestDatabase } from '../../support/database.ts'
import {
  aContent,
  afterRollOut,
  newEvent,
  notificationsOf,
  notifyUsers,
} from '../../support/notifications/an-inbox.ts'
import { createStoreDatabase } from './a-store-database.ts'

let database: TestDatabase
before(async () => {
  database = await createStoreDatabase()
  await afterRollOut(database.pool)
})
after(() => database.drop())

const users = [1, 2, 3, 4, 5]
const user = fc.constantFrom(...users)
const userList = fc.array(user, { minLength: 1, maxLength: 6 })

type Step = (pool: Pool) => Promise<unknown>

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ userIds: userList, event: fc.integer({ min: 0, max: 30 }) }).map(
    ({ userIds, event }) =>
      (pool: Pool) =>
        notifyUsers(pool, userIds, { id: `e${event}` }),
  ),
  fc
    .array(userList, { minLength: 1, maxLength: 4 })
    .map((lists) => (pool: Pool) => storeSeveral(pool, lists)),
  fc.record({ userIds: userList }).map(
    ({ userIds }) =>
      (pool: Pool) =>
        storeAndRollBack(pool, userIds),
  ),
  fc.record({ userId: user, status: fc.constantFrom('seen' as const, 'unseen' as const) }).map(
    ({ userId, status }) =>
      (pool: Pool) =>
        markSome(pool, userId, status),
  ),
  fc.record({ userId: user, status: fc.constantFrom('seen' as const, 'unseen' as const) }).map(
    ({ userId, status }) =>
      (pool: Pool) =>
        markNotifications(pool, userId, {
          ids: [],
          status,
          after: '2000-01-01T00:00:00.000Z',
          before: undefined,
        }),
  ),
  fc.record({ userId: user, days: fc.constantFrom(100, 200, 400) }).map(
    ({ userId, days }) =>
      (pool: Pool) =>
        makeOld(pool, userId, days),
  ),
  fc.constant((pool: Pool) =>
    removeOldNotifications(pool, {
      NOTIFICATIONS_KEEP_SEEN_DAYS: 180,
      NOTIFICATIONS_KEEP_DAYS: 365,
    }),
  ),
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

const markSome = async (pool: Pool, userId: number, status: 'seen' | 'unseen') => {
  const { rows } = await pool.query(
    'SELECT _id FROM docket.notification WHERE user_id <= $1 ORDER BY random() LIMIT 4',
    [userId],
  )
  const ids = rows.map(({ _id }) => String(_id))
  await markNotifications(pool, userId, { ids, status, after: undefined, before: undefined })
}

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

const recount = async () => {
  const { rows } = await database.pool.query(
    `SELECT c.user_id, c.total, c.unseen, count(n._id) AS rows, count(n._id) FILTER (WHERE NOT n.seen) AS "unseenRows"
     FROM docket.notification_count c
     LEFT JOIN docket.notification n ON n.user_id = c.user_id AND n.timestamp >= c.kept_from GROUP BY c.user_id`,
  )
  return rows
}

test('counters equal a recount after any concurrent steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
      // Four at a time, in the order in which they get their locks.
      const waiting = [...steps]
      const workers = Array.from({ length: 4 }, async () => {
        for (let next = waiting.pop(); next; next = waiting.pop()) await next(database.pool)
      })
      await Promise.all(workers)
      for (const { user_id: userId, total, unseen, rows, unseenRows } of await recount())
        assert.deepEqual([userId, total, unseen], [userId, rows, unseenRows])
    }),
    { numRuns: 40 },
  )
})

test('no user has notifications without counters', async () => {
  const { rowCount } = await database.pool.query(
    `SELECT FROM docket.notification n WHERE NOT EXISTS
     (SELECT FROM docket.notification_count c WHERE c.user_id = n.user_id)`,
  )
  assert.equal(rowCount, 0)
})

test('marking up to a time does not change notifications that are stored concurrently', async () => {
  const { pool } = database
  const userId = 77
  await notifyUsers(pool, [userId])
  const { rows } = await pool.query(
    `SELECT to_char(last_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at FROM docket.notification_count WHERE user_id = $1`,
    [userId],
  )
  const latest = String(rows[0]?.at)
  const storing = Array.from({ length: 30 }, () => notifyUsers(pool, [userId]))
  const markUpTo = { ids: [], status: 'seen', after: undefined, before: latest } as const
  const marking = Array.from({ length: 10 }, () => markNotifications(pool, userId, markUpTo))
  await Promise.all(storing)
  const marked = await Promise.all(marking)
  assert.equal(
    marked.reduce((sum, one) => sum + one.marked, 0),
    1,
  )
  const [counted] = (await recount()).filter((one) => one.user_id === userId)
  assert.deepEqual(counted, { user_id: userId, total: 31, unseen: 30, rows: 31, unseenRows: 30 })
})
