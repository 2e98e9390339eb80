/** GET /api/notifications/stream: events of one reader, also one that resumes after the id of an event. */
import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, describe, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import { openReader, type Reader } from '../../support/notifications/a-stream-reader.ts'
import {
  type Inbox,
  newUser,
  notifyUsers,
  shareInbox,
} from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'

let inbox: Inbox
let userName: string
let userId: number
const readers: Reader[] = []
before(async () => {
  inbox = await shareInbox()
})
beforeEach(async () => {
  ;({ name: userName, id: userId } = await newUser(inbox))
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})

const open = async (headers = {}, path = '/api/notifications/stream'): Promise<Reader> => {
  const token = await inbox.tokenOf(`${userName}@example.com`)
  const reader = await openReader(inbox.url, token, { headers, path })
  readers.push(reader)
  return reader
}
const notify = (values = {}) => notifyUsers(inbox.database.pool, [userId], values)

test('the answer is an event stream that proxies do not buffer or cache', async () => {
  const { response } = await open()
  assert.equal(response.headers['content-type'], 'text/event-stream')
  assert.equal(response.headers['cache-control'], 'no-store, no-transform')
  assert.equal(response.headers['x-accel-buffering'], 'no')
  assert.ok(response.headers['x-request-id'])
})

test('the first event is the unseen count, and each change of it sends another', async () => {
  await notify()
  const reader = await open()
  await until(() => reader.counts().length === 1)
  await notify()
  await until(() => reader.counts().length === 2)
  const [latest] = await inbox.list(userName)
  await inbox.mark(userName, { ids: [latest?._id], status: 'seen' })
  await until(() => reader.counts().length === 3)
  await inbox.mark(userName, { ids: [latest?._id], status: 'seen' })
  await inbox.mark(userName, { ids: [latest?._id], status: 'unseen' })
  await until(() => reader.counts().length === 4)
  assert.deepEqual(reader.counts(), [1, 2, 1, 2])
})

test('a new notification is sent as in the list, followed by the count', async () => {
  const reader = await open()
  await until(() => reader.counts().length === 1)
  await notify({ title: 'Line\nbreak \u2028 "quoted"', due_at: '2020-01-01T00:00:00.000Z' })
  await until(() => reader.counts().length === 2)
  assert.deepEqual(
    reader.events.map(({ event }) => event),
    ['count', 'notification', 'count'],
  )
  const listed = await inbox.list(userName)
  assert.deepEqual(reader.notifications(), listed)
  assert.match(listed[0]?.content.due_date ?? '', /^vor \d+ Jahren$/)
  assert.equal(reader.events[1]?.id, listed[0]?.timestamp)
})

test('earlier notifications are not sent without an id', async () => {
  await notify()
  const reader = await open()
  await until(() => reader.counts().length === 1)
  await notify({ title: 'New' })
  await until(() => reader.notifications().length === 1)
  assert.equal(reader.notifications()[0]?.content.title, 'New')
})

test('two streams of one user get the same events', async () => {
  const [first, second] = [await open(), await open()]
  await until(() => first.counts().length === 1 && second.counts().length === 1)
  await notify()
  await until(() => first.counts().length === 2 && second.counts().length === 2)
  assert.deepEqual(first.notifications(), second.notifications())
})

test('notifications of other users are not sent', async () => {
  const reader = await open()
  await until(() => reader.counts().length === 1)
  await notifyUsers(inbox.database.pool, [(await newUser(inbox)).id])
  await notify()
  await until(() => reader.counts().length === 2)
  assert.deepEqual(
    reader.notifications().map((one) => one.user_id),
    [userId],
  )
})

test('HEAD is rejected: it would open a stream without a reader', async () => {
  const as = `${userName}@example.com`
  assert.equal((await inbox.ask('HEAD', '/api/notifications/stream', { as })).status, 405)
})

test('a user can have at most 50 streams, and another one after one is closed', async () => {
  const opened = await Promise.all(Array.from({ length: 50 }, () => open()))
  const path = '/api/notifications/stream'
  const reply = await inbox.ask('GET', path, { as: `${userName}@example.com` })
  assert.equal(reply.status, 503)
  assert.equal(reply.headers.get('retry-after'), '30')
  opened[0]?.close()
  await until(async () => (await open().catch(() => undefined)) !== undefined)
})

describe('resuming', () => {
  test('a stream resumes after Last-Event-ID or the lastEventId parameter, and the header has precedence', async () => {
    for (let index = 0; index < 5; index++) await notify({ title: `${index}` })
    const all = await inbox.list(userName, '?sortOrder=asc')
    const titles = async (reader: Reader) => {
      await until(() => reader.counts().length === 1)
      return reader.notifications().map(({ content }) => content.title)
    }
    const id = all[1]?.timestamp ?? ''
    assert.deepEqual(await titles(await open({ 'Last-Event-ID': id })), ['2', '3', '4'])
    const path = `/api/notifications/stream?lastEventId=${all[3]?.timestamp}`
    assert.deepEqual(await titles(await open({}, path)), ['4'])
    assert.deepEqual(await titles(await open({ 'Last-Event-ID': id }, path)), ['2', '3', '4'])
    const last = all[4]?.timestamp
    assert.deepEqual(await titles(await open({ 'Last-Event-ID': last })), [])
  })

  test('a stream can resume after the id of a count', async () => {
    const reader = await open()
    await until(() => reader.events.length === 1)
    const id = reader.events[0]?.id
    reader.close()
    await notify({ title: 'While disconnected' })
    const resumed = await open({ 'Last-Event-ID': id })
    await until(() => resumed.notifications().length === 1)
    assert.equal(resumed.notifications()[0]?.content.title, 'While disconnected')
  })

  test('a stream resumes without notifications that were removed', async () => {
    for (let index = 0; index < 4; index++) await notify({ title: `${index}` })
    const all = await inbox.list(userName, '?sortOrder=asc')
    await inbox.database.pool.query('DELETE FROM docket.notification WHERE _id = ANY ($1)', [
      [all[0]?._id, all[2]?._id],
    ])
    const reader = await open({ 'Last-Event-ID': all[0]?.timestamp })
    await until(() => reader.counts().length === 1)
    assert.deepEqual(
      reader.notifications().map(({ content }) => content.title),
      ['1', '3'],
    )
  })

  test('a thousand missed notifications are sent in order and once', async () => {
    await notify()
    const [first] = await inbox.list(userName)
    await inbox.database.pool.query(
      `INSERT INTO docket.notification (_id, user_id, entity_key, entity_id, content, timestamp)
       SELECT docket.notification_id(at, i::text, '0', $1), $1, 'order', i, $3, at
       FROM generate_series(1, 1000) i, LATERAL (SELECT $2::timestamptz + make_interval(secs => i * 0.001) AS at) w`,
      [userId, first?.timestamp, JSON.stringify({ ...first?.content, due_at: null })],
    )
    await inbox.database.pool.query(
      `UPDATE docket.notification_count SET total = 1001, unseen = 1001, last_at = last_at + interval '1 second' WHERE user_id = $1`,
      [userId],
    )
    const reader = await open({ 'Last-Event-ID': first?.timestamp })
    await until(() => reader.notifications().length >= 1000)
    assert.deepEqual(
      reader.notifications().map((one) => one.entity_id),
      Array.from({ length: 1000 }, (_, index) => index + 1),
    )
  })

  const ask = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    inbox.ask('GET', `/api/notifications/stream${query}`, {
      as: `${userName}@example.com`,
      headers,
    })

  const invalidIds = [
    '',
    'x',
    '7',
    '-1',
    'null',
    '2026-02-30T10:00:00.000Z',
    '2026-05-04 08:30:00',
    '2026-05-04T08:30:00+02:00',
    '2026-05-04T08:30:00.000Z, 2026-05-04T08:30:00.000Z',
    "2026-05-04T08:30:00.000Z'--",
    '9'.repeat(5000),
  ]
  test('an invalid id returns 400', async () => {
    for (const id of invalidIds) {
      const inHeader = await ask('', { 'Last-Event-ID': id })
      assert.deepEqual(invalidPaths(inHeader, 400), ['Last-Event-ID'], id)
      const inQuery = await ask(`?lastEventId=${encodeURIComponent(id)}`)
      assert.deepEqual(invalidPaths(inQuery, 400), ['Last-Event-ID'], id)
    }
  })

  test('an id later than the latest notification of the user returns 400', async () => {
    const headers = { 'Last-Event-ID': new Date().toISOString() }
    assert.deepEqual(invalidPaths(await ask('', headers), 400), ['Last-Event-ID'])
    await notify()
    headers['Last-Event-ID'] = '9999-12-31T23:59:59.999Z'
    const reply = await ask('', headers)
    assert.match(reply.json().errors[0].message, /later than your latest/)
  })

  test('the id 1970-01-01 sends all notifications', async () => {
    await notify()
    const reader = await open({ 'Last-Event-ID': '1970-01-01T00:00:00.000Z' })
    await until(() => reader.notifications().length === 1)
  })

  test('a stream that resumes repeatedly during writes gets every notification once and in order', async () => {
    const written = 100
    let isDone = false
    const writers = Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let index = 0; index < written / 4; index++)
          await notify({ title: `${writer}-${index}` })
      }),
    ).then(() => {
      isDone = true
    })
    const received: string[] = []
    let id: string | undefined = '1970-01-01T00:00:00.000Z'
    let rounds = 0
    const resume = async () => {
      const from = received.length
      const reader = await open({ 'Last-Event-ID': id })
      // Closes after a few notifications, while others are being sent.
      await until(
        () =>
          reader.notifications().length >= 15 ||
          (isDone && from + reader.notifications().length >= written),
      )
      reader.close()
      received.push(...reader.notifications().map(({ _id }) => _id))
      id = reader.events.at(-1)?.id ?? id
      rounds++
    }
    while (received.length < written) await resume()
    await writers
    const all = await inbox.list(userName, '?sortOrder=asc&limit=1000')
    assert.deepEqual(
      received,
      all.map(({ _id }) => _id),
    )
    assert.ok(rounds > 3)
  })
})
