/** Notifications are stored once, counted, ordered by commit, and removed when they are old. */
import assert from 'node:assert/strict'
import { before, beforeEach, describe, test } from 'node:test'
import type { Connection, Pool } from '../../../src/database/pool.ts'
import { transaction } from '../../../src/database/transaction.ts'
import { notificationIds } from '../../../src/inbox/notification.ts'
import { removeOldNotifications } from '../../../src/inbox/retention.ts'
import { storeNotifications } from '../../../src/inbox/store-notifications.ts'
import { storeBatches } from '../../../src/notify/send-notifications.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import {
  aContent,
  afterRollOut,
  newEvent,
  notificationsOf,
  notifyUsers,
} from '../../support/notifications/an-inbox.ts'
import { assertExactCounters } from '../../support/notifications/counter-steps.ts'
import { until } from '../../support/wait.ts'
import { createStoreDatabase } from './a-store-database.ts'

let pool: Pool
before(async () => {
  pool = (await createStoreDatabase()).pool
})
beforeEach(() => pool.query('TRUNCATE docket.notification, docket.notification_count'))

const notify = (userIds: readonly number[], values = {}) => notifyUsers(pool, userIds, values)
const range = (length: number, first: number) => Array.from({ length }, (_, n) => first + n)
const together = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))
const rowsOf = async (userId: number) => {
  const { rows } = await pool.query<{ timestamp: string; content: string }>(
    'SELECT * FROM docket.notification WHERE user_id = $1 ORDER BY timestamp',
    [userId],
  )
  return rows.map(({ content, ...row }) => ({ ...row, content: JSON.parse(content) }))
}
const titlesOf = async (userId: number) =>
  (await rowsOf(userId)).map(({ content }) => content.title)
/** Asserts what is counted for users: all, and unseen ones. */
const assertCounted = async (userIds: readonly number[], total: number, unseen = total) => {
  const { rows } = await pool.query(
    'SELECT user_id, total, unseen FROM docket.notification_count WHERE user_id = ANY ($1) ORDER BY 1',
    [userIds],
  )
  const ordered = userIds.toSorted((one, other) => one - other)
  assert.deepEqual(
    rows,
    ordered.map((user_id) => ({ user_id, total, unseen })),
  )
}
/** The payloads of which every process learns meanwhile. */
const signalled = async (count: number, work: () => Promise<unknown>): Promise<string[]> => {
  const connection = await pool.connect()
  const payloads: string[] = []
  connection.on('notification', ({ payload = '' }) => payloads.push(payload))
  await connection.query('LISTEN docket_notification')
  await work()
  await until('all are signalled', async () => {
    await connection.query('SELECT')
    return payloads.length >= count
  })
  await connection.query('UNLISTEN *')
  connection.removeAllListeners('notification')
  connection.release()
  return payloads
}

test('each recipient gets an unseen notification and counters, one for all duplicates', async () => {
  assert.equal(await notify([12, 11, 12, 12], { entityId: 7, historyId: 40, title: 'Hello' }), 2)
  for (const user_id of [11, 12]) {
    const [row, ...rest] = await rowsOf(user_id)
    assert.deepEqual(rest, [])
    const { _id, timestamp, ...fields } = row as Record<string, unknown>
    assert.deepEqual(fields, {
      user_id,
      entity_key: 'order',
      entity_id: 7,
      seen: false,
      seen_at: null,
      history_id: 40,
      content: aContent({ title: 'Hello' }),
    })
  }
  await assertCounted([11, 12], 1)
  assert.equal(await notify([]), 0)
})

test('a repeated event is stored once', async () => {
  const event = newEvent()
  assert.equal(await notify([21, 22], event), 2)
  assert.equal(await notify([22, 23, 21], { ...event, title: 'Again' }), 1)
  assert.deepEqual(await titlesOf(21), ['Order approved'])
  await assertCounted([21, 22, 23], 1)
})

test('concurrent batches with the same users in different order do not deadlock', async () => {
  const users = range(500, 1000)
  const stored = await together(12, (n) => notify(n % 2 ? users : users.toReversed()))
  assert.deepEqual(stored, Array(12).fill(500))
  await assertCounted(users, 12)
})

test('several events in one call are stored once and in their order, each recipient with a content of their own', async () => {
  const shared = (title: string) => ({
    event: newEvent(),
    recipients: { userIds: [33], content: aContent({ title }) },
  })
  const [first, known, third] = [shared('first'), shared('known'), shared('third')]
  await storeBatches(pool, [known])
  const contents = [aContent({ title: 'own', message: '"{,}\\' }), aContent({ title: 'second' })]
  const second = { event: newEvent(), recipients: { userIds: [34, 33], contents } }
  const stored = await storeBatches(pool, [first, known, second, third])
  assert.deepEqual(
    stored.map((one) => one.stored),
    [1, 0, 2, 1],
  )
  assert.equal(await notify([33], { title: 'later' }), 1)
  assert.deepEqual(await titlesOf(33), ['known', 'first', 'second', 'third', 'later'])
  assert.deepEqual((await rowsOf(34))[0]?.content, contents[0])
  const times = (await rowsOf(33)).map(({ timestamp }) => timestamp)
  assert.equal(new Set(times).size, 5)
  await assertCounted([33], 5)
  await assertCounted([34], 1)
})

test('text is stored unchanged, except characters that PostgreSQL rejects, which become U+FFFD', async () => {
  const content = aContent({ title: 'NUL \u0000 and \ud800 half', message: `'; DROP "x" \n ž 🦊` })
  await notify([51], content)
  const title = 'NUL \ufffd and \ufffd half'
  assert.deepEqual((await rowsOf(51))[0]?.content, { ...content, title })
})

test('timestamps of a user are unique and in the order of the commits, also after the clock was ahead', async () => {
  await notify([71])
  // As if the clock had been an hour ahead.
  await pool.query(
    `UPDATE docket.notification_count SET last_at = last_at + interval '1 hour' WHERE user_id = 71`,
  )
  for (let round = 0; round < 20; round++) await notify([71])
  const times = (await rowsOf(71)).map(({ timestamp }) => timestamp)
  assert.equal(new Set(times).size, 21)
  const { rows } = await pool.query(
    'SELECT last_at FROM docket.notification_count WHERE user_id = 71',
  )
  assert.equal(rows[0]?.last_at, times.at(-1))
})

test('a transaction that waits gets a later timestamp than the one it waited for', async () => {
  const store = (connection: Connection) => {
    const recipients = { userIds: [81], content: aContent() }
    return storeNotifications(connection, [notificationsOf(recipients)])
  }
  let waiting: Promise<unknown> | undefined
  const now = await transaction(pool, async (first) => {
    await store(first)
    waiting = transaction(pool, store)
    await untilWaitingForLock(pool)
    const { rows } = await pool.query('SELECT clock_timestamp()::timestamptz(3) AS now')
    return rows[0]?.now
  })
  await waiting
  const [, last] = await rowsOf(81)
  // Compared as times: PostgreSQL prints no trailing zeros. Rounding may add half a millisecond.
  const { rows } = await pool.query(
    `SELECT $1::timestamptz >= $2::timestamptz - interval '1 millisecond' AS is_later`,
    [last?.timestamp, now],
  )
  assert.deepEqual(rows, [{ is_later: true }])
  await assertCounted([81], 2)
})

test('every process gets the ids of notified users, also after a repeated try, or * for more than 500 users', async () => {
  const event = newEvent()
  const many = range(501, 2_000_000_000)
  const payloads = await signalled(4, async () => {
    for (const _ of [1, 2]) await notify([2, 3], event)
    await notify(many.slice(0, 500))
    await notify(many)
  })
  const ids = payloads.map((payload) => payload.split(',').sort())
  assert.deepEqual(ids.slice(0, 2), [
    ['2', '3'],
    ['2', '3'],
  ])
  assert.deepEqual([ids[2]?.length, payloads[3], payloads.length], [500, '*', 4])
})

test('the id is a UUIDv7 with the time of the event, different for each event, rule and user', async () => {
  const at = '2026-05-04T08:30:00.123Z'
  const idOf = async (event: string, rule: string, userId: number) => {
    const [id = ''] = notificationIds(newEvent({ id: event, rule, at }), [userId])
    const inDatabase = 'SELECT docket.notification_id($1, $2, $3, $4)::text AS id'
    const { rows } = await pool.query<{ id: string }>(inDatabase, [at, event, rule, userId])
    // Earlier versions generated it there.
    assert.equal(rows[0]?.id.replaceAll('-', ''), id)
    return rows[0].id
  }
  const parts: readonly [event: string, rule: string, userId: number][] = [
    ['a', '0', 1],
    ['a', '0', 2],
    ['a', '1', 1],
    ['ž 🦊', '0', 1],
    // The parts are separated, so that moving a character between them changes the id.
    ['a 0', '', 1],
    ['', 'a 0', 1],
  ]
  const ids = await Promise.all(parts.map((one) => idOf(...one)))
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), Date.parse(at))
  }
  assert.equal(await idOf('a', '0', 1), ids[0])
})

test('counters equal a recount after any concurrent steps, and no user has notifications without them', async () => {
  await afterRollOut(pool)
  await assertExactCounters(pool, 6)
  const { rowCount } = await pool.query(
    `SELECT FROM docket.notification n WHERE NOT EXISTS
     (SELECT FROM docket.notification_count c WHERE c.user_id = n.user_id)`,
  )
  assert.equal(rowCount, 0)
})

describe('old notifications', () => {
  before(() => afterRollOut(pool))
  const config = { NOTIFICATIONS_KEEP_SEEN_DAYS: 180, NOTIFICATIONS_KEEP_DAYS: 365 }
  const remove = (limits = config) => removeOldNotifications(pool, limits)
  const begun = new Date().toISOString()

  /** Stores `count` notifications of an age for each user. */
  const fill = async (users: readonly number[], days: number, count: number, seen: boolean) => {
    await pool.query(
      `INSERT INTO docket.notification (_id, user_id, entity_key, entity_id, content, timestamp, seen)
       SELECT docket.notification_id(at, gen_random_uuid()::text, '0', u), u, 'order', 1, '{}', at, $4
       FROM unnest($1::integer[]) u, generate_series(1, $3) i,
         LATERAL (SELECT $5::timestamptz - make_interval(days => $2, secs => 2 * i + $4::boolean::integer) AS at) w`,
      [users, days, count, seen, begun],
    )
    await pool.query(
      `INSERT INTO docket.notification_count (user_id, total, unseen, last_at)
       SELECT n.user_id, count(*), count(*) FILTER (WHERE NOT seen), max(timestamp)
       FROM docket.notification n LEFT JOIN docket.notification_count c USING (user_id)
       WHERE n.timestamp >= coalesce(c.kept_from, '-infinity') GROUP BY 1
       ON CONFLICT (user_id) DO UPDATE SET total = excluded.total, unseen = excluded.unseen`,
    )
  }
  /** What a user has left, such as `2 seen of 179 days`. */
  const leftOf = async (userId: number) => {
    const { rows } = await pool.query<{ left: string }>(
      `SELECT format('%s %s of %s days', count(*), CASE WHEN seen THEN 'seen' ELSE 'unseen' END, days) AS left
       FROM docket.notification JOIN docket.notification_count USING (user_id),
         LATERAL (SELECT extract(day FROM now() - timestamp)::integer AS days) d
       WHERE user_id = $1 AND timestamp >= kept_from GROUP BY days, seen ORDER BY days, seen`,
      [userId],
    )
    return rows.map(({ left }) => left)
  }

  test('are removed after 180 days if seen, else after 365', async () => {
    for (const days of [1, 179, 181, 364, 366])
      for (const seen of [true, false]) await fill([1], days, 2, seen)
    assert.equal(await remove(), 8)
    assert.deepEqual(await leftOf(1), [
      ...['2 unseen of 1 days', '2 seen of 1 days', '2 unseen of 179 days', '2 seen of 179 days'],
      ...['2 unseen of 181 days', '2 unseen of 364 days'],
    ])
    await assertCounted([1], 12, 8)
    assert.equal(await remove(), 0)
  })

  test('are removed by the limit for all, also if they are seen', async () => {
    await fill([2], 20, 3, true)
    await fill([2], 5, 3, false)
    await remove({ NOTIFICATIONS_KEEP_SEEN_DAYS: 400, NOTIFICATIONS_KEEP_DAYS: 10 })
    assert.deepEqual(await leftOf(2), ['3 unseen of 5 days'])
    await assertCounted([2], 3)
  })

  test('of users and notifications of several batches are all removed', async () => {
    const users = range(450, 1000)
    await fill(users, 400, 3, false)
    await fill([1449], 200, 5000, true)
    await fill(users, 1, 1, false)
    assert.equal(await remove(), 450 * 3 + 5000)
    await assertCounted(users, 1)
  })

  test('are removed once by concurrent processes', async () => {
    const users = range(300, 5000)
    await fill(users, 400, 4, false)
    const removed = await together(3, () => remove())
    assert.equal(
      removed.reduce((sum, one) => sum + one, 0),
      1200,
    )
    await assertCounted(users, 0)
  })

  test('are removed with a signal of their users to every process', async () => {
    await fill([9001], 400, 1, false)
    assert.deepEqual(await signalled(1, () => remove()), ['9001'])
  })
})
