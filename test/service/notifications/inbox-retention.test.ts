/** Old notifications are removed, seen ones sooner; counters and streams are updated. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { removeOldNotifications } from '../../../src/notifications/inbox/retention.ts'
import type { TestDatabase } from '../../support/database.ts'
import { afterRollOut } from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'
import { shareStoreDatabase } from './a-store-database.ts'

let database: TestDatabase
before(async () => {
  database = await shareStoreDatabase()
  await afterRollOut(database.pool)
})

const config = { NOTIFICATIONS_KEEP_SEEN_DAYS: 180, NOTIFICATIONS_KEEP_DAYS: 365 }

const begun = new Date().toISOString()

/** Stores `count` notifications of an age for each user. */
const fill = async (users: readonly number[], days: number, count: number, seen: boolean) => {
  await database.pool.query(
    `INSERT INTO docket.notification (_id, user_id, entity_key, entity_id, content, timestamp, seen)
     SELECT docket.notification_id(at, gen_random_uuid()::text, '0', u), u, 'order', 1, '{}', at, $4
     FROM unnest($1::integer[]) u, generate_series(1, $3) i,
       LATERAL (SELECT $5::timestamptz - make_interval(days => $2, secs => 2 * i + $4::boolean::integer) AS at) w`,
    [users, days, count, seen, begun],
  )
  await database.pool.query(
    `INSERT INTO docket.notification_count (user_id, total, unseen, last_at)
     SELECT n.user_id, count(*), count(*) FILTER (WHERE NOT seen), max(timestamp)
     FROM docket.notification n LEFT JOIN docket.notification_count c USING (user_id)
     WHERE n.timestamp >= coalesce(c.kept_from, '-infinity') GROUP BY 1
     ON CONFLICT (user_id) DO UPDATE SET total = excluded.total, unseen = excluded.unseen`,
  )
}
const agesOf = async (userId: number) => {
  const { rows } = await database.pool.query(
    `SELECT extract(day FROM now() - timestamp)::integer AS days, seen, count(*)::integer AS count
     FROM docket.notification JOIN docket.notification_count USING (user_id)
     WHERE user_id = $1 AND timestamp >= kept_from GROUP BY 1, 2 ORDER BY 1, 2`,
    [userId],
  )
  return rows.map(({ days, seen, count }) => [days, seen, count])
}
const countersOf = async (userId: number) => {
  const { rows } = await database.pool.query(
    'SELECT total, unseen FROM docket.notification_count WHERE user_id = $1',
    [userId],
  )
  return rows[0]
}

test('seen notifications are removed after 180 days, unseen ones after 365', async () => {
  for (const days of [1, 179, 181, 364, 366])
    for (const seen of [true, false]) await fill([1], days, 2, seen)
  assert.equal(await removeOldNotifications(database.pool, config), 8)
  assert.deepEqual(await agesOf(1), [
    [1, false, 2],
    [1, true, 2],
    [179, false, 2],
    [179, true, 2],
    [181, false, 2],
    [364, false, 2],
  ])
  assert.deepEqual(await countersOf(1), { total: 12, unseen: 8 })
  assert.equal(await removeOldNotifications(database.pool, config), 0)
})

test('the limit for all notifications applies to seen ones too', async () => {
  await fill([2], 20, 3, true)
  await fill([2], 5, 3, false)
  const limits = { NOTIFICATIONS_KEEP_SEEN_DAYS: 400, NOTIFICATIONS_KEEP_DAYS: 10 }
  await removeOldNotifications(database.pool, limits)
  assert.deepEqual(await agesOf(2), [[5, false, 3]])
  assert.deepEqual(await countersOf(2), { total: 3, unseen: 3 })
})

test('users and notifications of several batches are all processed', async () => {
  const users = Array.from({ length: 450 }, (_, index) => 1000 + index)
  await fill(users, 400, 3, false)
  await fill([1449], 200, 5000, true)
  await fill(users, 1, 1, false)
  assert.equal(await removeOldNotifications(database.pool, config), 450 * 3 + 5000)
  for (const userId of [1000, 1199, 1200, 1449])
    assert.deepEqual(await countersOf(userId), { total: 1, unseen: 1 })
})

test('concurrent processes remove each notification once', async () => {
  const users = Array.from({ length: 300 }, (_, index) => 5000 + index)
  await fill(users, 400, 4, false)
  const removed = await Promise.all(
    [1, 2, 3].map(() => removeOldNotifications(database.pool, config)),
  )
  assert.equal(
    removed.reduce((sum, one) => sum + one, 0),
    1200,
  )
  assert.deepEqual(await countersOf(5299), { total: 0, unseen: 0 })
})

test('every process is notified of users whose counters have changed', async () => {
  await fill([9001], 400, 1, false)
  const connection = await database.pool.connect()
  const payloads: string[] = []
  connection.on('notification', ({ payload = '' }) => payloads.push(payload))
  await connection.query('LISTEN docket_notification')
  await removeOldNotifications(database.pool, config)
  await until(async () => payloads.length > 0)
  await connection.query('UNLISTEN *')
  connection.removeAllListeners('notification')
  connection.release()
  assert.deepEqual(payloads, ['9001'])
})

test('the query for old notifications uses the index', async () => {
  const users = Array.from({ length: 1000 }, (_, index) => 20_000 + index)
  await fill(users, 100, 20, true)
  await database.pool.query('ANALYZE docket.notification')
  const { rows } = await database.pool.query(
    `EXPLAIN SELECT u.id FROM unnest('{20000,20001}'::integer[]) AS u(id) WHERE EXISTS
     (SELECT FROM docket.notification n WHERE n.user_id = u.id AND n.seen AND n.timestamp < now() - make_interval(days => 180))`,
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(plan, /notification_(seen|user)_idx/)
  assert.doesNotMatch(plan, /Seq Scan/)
})
