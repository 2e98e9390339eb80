/** GET /api/notifications/stream resumes after the id of an event. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
import { openReader, type Reader } from '../../support/notifications/a-stream-reader.ts'
import { type Inbox, notifyUsers, startInbox } from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'

let inbox: Inbox
let userName: string
let userId: number
let userCount = 0
const readers: Reader[] = []
before(async () => {
  inbox = await startInbox()
})
beforeEach(async () => {
  userName = `user${++userCount}`
  userId = await inbox.addUser(userName)
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
after(() => inbox.stop())

const open = async (headers = {}, path = '/api/notifications/stream'): Promise<Reader> => {
  const token = await inbox.tokenOf(`${userName}@example.com`)
  const reader = await openReader(inbox.url, token, { headers, path })
  readers.push(reader)
  return reader
}
const notify = (values = {}) => notifyUsers(inbox.database.pool, [userId], values)

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
for (const id of invalidIds)
  test(`the id ${JSON.stringify(id.slice(0, 60))} returns 400`, async () => {
    const reply = await inbox.ask('GET', '/api/notifications/stream', {
      as: `${userName}@example.com`,
      headers: { 'Last-Event-ID': id },
    })
    assert.deepEqual(invalidPaths(reply, 400), ['Last-Event-ID'])
    const path = `/api/notifications/stream?lastEventId=${encodeURIComponent(id)}`
    const asked = await inbox.ask('GET', path, { as: `${userName}@example.com` })
    assert.deepEqual(invalidPaths(asked, 400), ['Last-Event-ID'])
  })

test('an id later than the latest notification of the user returns 400', async () => {
  const headers = { 'Last-Event-ID': new Date().toISOString() }
  const ask = () =>
    inbox.ask('GET', '/api/notifications/stream', { as: `${userName}@example.com`, headers })
  assert.deepEqual(invalidPaths(await ask(), 400), ['Last-Event-ID'])
  await notify()
  headers['Last-Event-ID'] = '9999-12-31T23:59:59.999Z'
  const reply = await ask()
  assert.match(reply.json().errors[0].message, /later than your latest/)
})

test('the id 1970-01-01 sends all notifications', async () => {
  await notify()
  const reader = await open({ 'Last-Event-ID': '1970-01-01T00:00:00.000Z' })
  await until(() => reader.notifications().length === 1)
})

test('a stream that resumes repeatedly during writes gets every notification once and in order', async () => {
  const written = 200
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
