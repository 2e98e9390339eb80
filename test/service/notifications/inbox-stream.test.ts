/** GET /api/notifications/stream: events of one reader. */
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
  await notifyUsers(inbox.database.pool, [await inbox.addUser(`${userName}other`)])
  await notify()
  await until(() => reader.counts().length === 2)
  assert.deepEqual(
    reader.notifications().map((one) => one.user_id),
    [userId],
  )
})

test('a missing token, another method and an unknown parameter are rejected', async () => {
  const ask = (method: string, path: string, as: string | null) =>
    inbox.ask(method, `/api/notifications/stream${path}`, { as })
  assert.equal((await ask('GET', '', null)).status, 401)
  // HEAD would open a stream without a reader.
  assert.equal((await ask('HEAD', '', `${userName}@example.com`)).status, 405)
  assert.equal((await ask('POST', '', `${userName}@example.com`)).status, 405)
  const reply = await ask('GET', '?token=abc', `${userName}@example.com`)
  assert.deepEqual(invalidPaths(reply, 400), ['token'])
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
