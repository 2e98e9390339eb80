/** Notifications are stored once, counted, and ordered by commit; their ids are derived from the event, the rule and the user. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { notificationIds } from '../../../src/notifications/inbox/notification-id.ts'
import { storeNotifications } from '../../../src/notifications/inbox/store-notifications.ts'
import { storeBatches } from '../../../src/notifications/jobs/notify-users.ts'
import type { TestDatabase } from '../../support/database.ts'
import {
  aContent,
  newEvent,
  notificationsOf,
  notifyUsers,
} from '../../support/notifications/an-inbox.ts'
import { shareStoreDatabase } from './a-store-database.ts'

let database: TestDatabase
before(async () => {
  database = await shareStoreDatabase()
})

type Row = { _id: string; user_id: number; timestamp: string; content: string; seen: boolean }
const rowsOf = async (userId: number): Promise<Row[]> => {
  const { rows } = await database.pool.query(
    'SELECT * FROM docket.notification WHERE user_id = $1 ORDER BY timestamp',
    [userId],
  )
  return rows
}
const countersOf = async (userId: number) => {
  const { rows } = await database.pool.query(
    'SELECT total, unseen FROM docket.notification_count WHERE user_id = $1',
    [userId],
  )
  return rows[0]
}

test('each recipient gets an unseen notification and counters', async () => {
  assert.equal(await notifyUsers(database.pool, [12, 11], { entityId: 7, title: 'Hello' }), 2)
  for (const userId of [11, 12]) {
    const [row, ...rest] = await rowsOf(userId)
    assert.deepEqual(rest, [])
    const { _id, timestamp, content, ...fields } = row ?? assert.fail()
    assert.deepEqual(fields, {
      user_id: userId,
      entity_key: 'order',
      entity_id: 7,
      seen: false,
      seen_at: null,
    })
    assert.deepEqual(JSON.parse(content), aContent({ title: 'Hello' }))
    assert.deepEqual(await countersOf(userId), { total: 1, unseen: 1 })
  }
})

test('a repeated event is stored once', async () => {
  const event = newEvent()
  assert.equal(await notifyUsers(database.pool, [21, 22], event), 2)
  assert.equal(await notifyUsers(database.pool, [22, 23, 21], { ...event, title: 'Again' }), 1)
  const [row] = await rowsOf(21)
  assert.equal(JSON.parse(row?.content ?? '').title, 'Order approved')
  for (const userId of [21, 22, 23])
    assert.deepEqual(await countersOf(userId), { total: 1, unseen: 1 })
})

test('ten concurrent workers store an event once', async () => {
  const event = newEvent()
  const userIds = Array.from({ length: 50 }, (_, index) => 300 + index)
  const stored = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      notifyUsers(database.pool, index % 2 ? userIds : userIds.toReversed(), event),
    ),
  )
  assert.deepEqual(stored.sort(), [...Array(9).fill(0), 50].sort())
  assert.deepEqual(await countersOf(349), { total: 1, unseen: 1 })
})

test('a duplicate recipient is notified once, and no recipient of none', async () => {
  assert.equal(await notifyUsers(database.pool, [31, 31, 31]), 1)
  assert.deepEqual(await countersOf(31), { total: 1, unseen: 1 })
  assert.equal(await notifyUsers(database.pool, []), 0)
})

test('several events in one call are stored once and in their order', async () => {
  const known = { event: newEvent(), recipients: { userIds: [33, 35], content: aContent() } }
  await storeBatches(database.pool, [known])
  const titles = ['first', 'second', 'third']
  const batches = titles.map((title, index) => ({
    event: newEvent(),
    recipients:
      index === 1
        ? { userIds: [34, 33], contents: [aContent({ title: 'own' }), aContent({ title })] }
        : { userIds: [33], content: aContent({ title }) },
  }))
  const [first, second, third] = batches
  assert.ok(first && second && third)
  const stored = await storeBatches(database.pool, [first, known, second, third])
  assert.deepEqual(
    stored.map((one) => one.stored),
    [1, 0, 2, 1],
  )
  const rows = (await rowsOf(33)).slice(1)
  assert.deepEqual(
    rows.map(({ content }) => JSON.parse(content).title),
    titles,
  )
  assert.equal(new Set(rows.map(({ timestamp }) => timestamp)).size, 3)
  assert.deepEqual(await countersOf(33), { total: 4, unseen: 4 })
  assert.deepEqual(await countersOf(34), { total: 1, unseen: 1 })
  const later = await notifyUsers(database.pool, [33])
  assert.equal(later, 1)
  assert.ok(((await rowsOf(33)).at(-1)?.timestamp ?? '') > (rows.at(-1)?.timestamp ?? ''))
})

test('each recipient can have different content', async () => {
  const userIds = [43, 41, 42]
  const contents = userIds.map((id) => aContent({ title: `For ${id}`, message: `"{,}\\ ${id}` }))
  const recipients = { userIds, contents }
  await storeBatches(database.pool, [{ event: newEvent(), recipients }])
  for (const [index, userId] of userIds.entries())
    assert.deepEqual(JSON.parse((await rowsOf(userId))[0]?.content ?? ''), contents[index])
})

test('text is stored unchanged, except characters that PostgreSQL rejects, which become U+FFFD', async () => {
  const content = aContent({ title: 'NUL \u0000 and \ud800 half', message: `'; DROP "x" \n ž 🦊` })
  await notifyUsers(database.pool, [51], content)
  assert.deepEqual(JSON.parse((await rowsOf(51))[0]?.content ?? ''), {
    ...content,
    title: 'NUL \ufffd and \ufffd half',
  })
})

test('a transaction that is rolled back stores nothing', async () => {
  const event = newEvent()
  const connection = await database.pool.connect()
  await connection.query('BEGIN')
  const recipients = { userIds: [61], content: aContent() }
  await storeNotifications(connection, [notificationsOf(recipients, event)])
  await connection.query('ROLLBACK')
  connection.release()
  assert.deepEqual(await rowsOf(61), [])
  assert.equal(await countersOf(61), undefined)
  assert.equal(await notifyUsers(database.pool, [61], event), 1)
})

test('timestamps of a user are unique and in the order of the commits, also after the clock was ahead', async () => {
  await notifyUsers(database.pool, [71])
  // As if the clock had been an hour ahead.
  await database.pool.query(
    `UPDATE docket.notification_count SET last_at = last_at + interval '1 hour' WHERE user_id = 71`,
  )
  for (let round = 0; round < 20; round++) await notifyUsers(database.pool, [71])
  const times = (await rowsOf(71)).map(({ timestamp }) => timestamp)
  assert.equal(new Set(times).size, 21)
  const { rows } = await database.pool.query(
    'SELECT last_at FROM docket.notification_count WHERE user_id = 71',
  )
  assert.equal(rows[0]?.last_at, times.at(-1))
})

test('a transaction that waits gets a later timestamp than the one it waited for', async () => {
  const [first, second] = [await database.pool.connect(), await database.pool.connect()]
  const recipients = { userIds: [81], content: aContent() }
  for (const connection of [first, second]) await connection.query('BEGIN')
  await storeNotifications(first, [notificationsOf(recipients)])
  const later = notificationsOf(recipients, newEvent({ id: 'later' }))
  const waiting = storeNotifications(second, [later])
  const { rows } = await database.pool.query('SELECT clock_timestamp()::timestamptz(3) AS now')
  await first.query('COMMIT')
  await waiting
  await second.query('COMMIT')
  first.release()
  second.release()
  const [, last] = await rowsOf(81)
  // Compared as times: PostgreSQL prints no trailing zeros. Rounding may add half a millisecond.
  const compared = await database.pool.query(
    `SELECT $1::timestamptz >= $2::timestamptz - interval '1 millisecond' AS is_later`,
    [last?.timestamp, rows[0]?.now],
  )
  assert.deepEqual(compared.rows, [{ is_later: true }])
  assert.deepEqual(await countersOf(81), { total: 2, unseen: 2 })
})

test('concurrent batches with the same users in different order do not deadlock', async () => {
  const userIds = Array.from({ length: 500 }, (_, index) => 1000 + index)
  const stored = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      notifyUsers(database.pool, index % 2 ? userIds : userIds.toReversed()),
    ),
  )
  assert.deepEqual(stored, Array(12).fill(500))
  assert.deepEqual(await countersOf(1499), { total: 12, unseen: 12 })
})

test('ten thousand users are notified in one call', async () => {
  const userIds = Array.from({ length: 10_000 }, (_, index) => 100_000 + index)
  assert.equal(await notifyUsers(database.pool, userIds), 10_000)
  assert.deepEqual(await countersOf(109_999), { total: 1, unseen: 1 })
})

test('every process gets the ids of notified users, also after a repeated try, or * for more than 500 users', async () => {
  const connection = await database.pool.connect()
  const payloads: string[] = []
  connection.on('notification', ({ payload = '' }) => payloads.push(payload))
  await connection.query('LISTEN docket_notification')
  const event = newEvent()
  await notifyUsers(database.pool, [2, 3], event)
  await notifyUsers(database.pool, [2, 3], event)
  const many = Array.from({ length: 501 }, (_, index) => 2_000_000_000 + index)
  await notifyUsers(database.pool, many.slice(0, 500))
  await notifyUsers(database.pool, many)
  await connection.query('UNLISTEN *')
  connection.removeAllListeners('notification')
  connection.release()
  assert.equal(payloads.length, 4)
  for (const payload of payloads.slice(0, 2))
    assert.deepEqual(payload.split(',').sort(), ['2', '3'])
  assert.equal(payloads[2]?.split(',').length, 500)
  assert.equal(payloads[3], '*')
})

test('the id is a UUIDv7 with the time of the event, different for each event, rule and user', async () => {
  const at = '2026-05-04T08:30:00.123Z'
  const idOf = async (event: string, ruleKey: string, userId: number) => {
    const [id = ''] = notificationIds(newEvent({ id: event, rule: ruleKey, at }), [userId])
    const { rows } = await database.pool.query(
      'SELECT docket.notification_id($1, $2, $3, $4) AS earlier, $5::uuid AS id',
      [at, event, ruleKey, userId, id],
    )
    // Earlier versions generated it in the database.
    assert.equal(rows[0]?.id, rows[0]?.earlier)
    return String(rows[0]?.id)
  }
  const ids = [
    await idOf('a', '0', 1),
    await idOf('a', '0', 2),
    await idOf('a', '1', 1),
    await idOf('b', '0', 1),
    // The parts are separated, so that moving a character between them changes the id.
    await idOf('a 0', '', 1),
    await idOf('a', '0 1', 1),
    await idOf('', 'a 0', 1),
    await idOf('ž 🦊', '0', 1),
  ]
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), Date.parse(at))
  }
  assert.equal(await idOf('a', '0', 1), ids[0])
})

test('the hashed digits of 1,000 ids have all values', async () => {
  const { rows } = await database.pool.query(
    `SELECT docket.notification_id('2026-05-04', 'e', '0', i) AS id FROM generate_series(1, 1000) i`,
  )
  const ids = rows.map(({ id }) => String(id).replaceAll('-', ''))
  assert.equal(new Set(ids).size, ids.length)
  for (let position = 13; position < 32; position++) {
    const digits = new Set(ids.map((id) => id[position]))
    assert.equal(digits.size, position === 16 ? 4 : 16, `position ${position}`)
  }
})
