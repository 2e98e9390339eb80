/** GET /api/notifications/stream: what one reader gets, from the start or from where they were. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { invalidPaths } from '../support/a-project.ts'
import { until } from '../support/wait.ts'
import { type Inbox, notifyUsers, openReader, type Reader, startInbox } from './an-inbox.ts'

let inbox: Inbox
let word: string
let userId: number
let people = 0
const readers: Reader[] = []
before(async () => {
  inbox = await startInbox()
})
beforeEach(async () => {
  word = `user${++people}`
  userId = await inbox.addUser(word)
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
after(() => inbox.stop())

const open = async (headers = {}, path = '/api/notifications/stream'): Promise<Reader> => {
  const token = await inbox.tokenOf(`${word}@example.com`)
  const reader = await openReader(inbox.url, token, { headers, path })
  readers.push(reader)
  return reader
}
const tell = (values = {}) => notifyUsers(inbox.database.pool, [userId], values)

test('it is a stream of events that nothing between keeps back', async () => {
  const { response } = await open()
  assert.equal(response.headers['content-type'], 'text/event-stream')
  assert.equal(response.headers['cache-control'], 'no-store, no-transform')
  assert.equal(response.headers['x-accel-buffering'], 'no')
  assert.ok(response.headers['x-request-id'])
})

test('the unseen count comes first, and after every change of it', async () => {
  await tell()
  const reader = await open()
  await until(() => reader.counts().length === 1)
  await tell()
  await until(() => reader.counts().length === 2)
  const [latest] = await inbox.list(word)
  await inbox.mark(word, { ids: [latest?._id], status: 'seen' })
  await until(() => reader.counts().length === 3)
  await inbox.mark(word, { ids: [latest?._id], status: 'seen' })
  await inbox.mark(word, { ids: [latest?._id], status: 'unseen' })
  await until(() => reader.counts().length === 4)
  assert.deepEqual(reader.counts(), [1, 2, 1, 2])
})

test('a new notification comes as the record of the list, then the count', async () => {
  const reader = await open()
  await until(() => reader.counts().length === 1)
  await tell({ title: 'Line\nbreak \u2028 "quoted"', due_at: '2020-01-01T00:00:00.000Z' })
  await until(() => reader.counts().length === 2)
  assert.deepEqual(
    reader.events.map(({ event }) => event),
    ['count', 'notification', 'count'],
  )
  const listed = await inbox.list(word)
  assert.deepEqual(reader.told(), listed)
  assert.match(listed[0]?.content.due_date ?? '', /^vor \d+ Jahren$/)
  assert.equal(reader.events[1]?.id, listed[0]?.timestamp)
})

test('what came before the stream is not told without an id', async () => {
  await tell()
  const reader = await open()
  await until(() => reader.counts().length === 1)
  await tell({ title: 'New' })
  await until(() => reader.told().length === 1)
  assert.equal(reader.told()[0]?.content.title, 'New')
})

test('two streams of one user are told the same', async () => {
  const [first, second] = [await open(), await open()]
  await until(() => first.counts().length === 1 && second.counts().length === 1)
  await tell()
  await until(() => first.counts().length === 2 && second.counts().length === 2)
  assert.deepEqual(first.told(), second.told())
})

test("another user's notifications do not come", async () => {
  const reader = await open()
  await until(() => reader.counts().length === 1)
  await notifyUsers(inbox.database.pool, [await inbox.addUser(`${word}other`)])
  await tell()
  await until(() => reader.counts().length === 2)
  assert.deepEqual(
    reader.told().map((one) => one.user_id),
    [userId],
  )
})

test('Last-Event-ID goes on after it, in order; the address may say it too, and the header wins', async () => {
  for (let index = 0; index < 5; index++) await tell({ title: `${index}` })
  const all = await inbox.list(word, '?sortOrder=asc')
  const titles = async (reader: Reader) => {
    await until(() => reader.counts().length === 1)
    return reader.told().map(({ content }) => content.title)
  }
  const id = all[1]?.timestamp ?? ''
  assert.deepEqual(await titles(await open({ 'Last-Event-ID': id })), ['2', '3', '4'])
  const path = `/api/notifications/stream?lastEventId=${all[3]?.timestamp}`
  assert.deepEqual(await titles(await open({}, path)), ['4'])
  assert.deepEqual(await titles(await open({ 'Last-Event-ID': id }, path)), ['2', '3', '4'])
  const last = all[4]?.timestamp
  assert.deepEqual(await titles(await open({ 'Last-Event-ID': last })), [])
})

test('a reader who was told nothing but the count loses nothing either', async () => {
  const reader = await open()
  await until(() => reader.events.length === 1)
  const id = reader.events[0]?.id
  reader.close()
  await tell({ title: 'While away' })
  const again = await open({ 'Last-Event-ID': id })
  await until(() => again.told().length === 1)
  assert.equal(again.told()[0]?.content.title, 'While away')
})

test('what retention removed is left out, the rest comes', async () => {
  for (let index = 0; index < 4; index++) await tell({ title: `${index}` })
  const all = await inbox.list(word, '?sortOrder=asc')
  await inbox.database.pool.query('DELETE FROM docket.notification WHERE _id = ANY ($1)', [
    [all[0]?._id, all[2]?._id],
  ])
  const reader = await open({ 'Last-Event-ID': all[0]?.timestamp })
  await until(() => reader.counts().length === 1)
  assert.deepEqual(
    reader.told().map(({ content }) => content.title),
    ['1', '3'],
  )
})

test('a thousand that were missed come in order, none twice', async () => {
  await tell()
  const [first] = await inbox.list(word)
  await inbox.database.pool.query(
    `INSERT INTO docket.notification (_id, user_id, entity_key, entity_id, content, timestamp)
     SELECT gen_random_uuid(), $1, 'order', i, $3, $2::timestamptz + make_interval(secs => i * 0.001) FROM generate_series(1, 1000) i`,
    [userId, first?.timestamp, JSON.stringify({ ...first?.content, due_at: null })],
  )
  await inbox.database.pool.query(
    `UPDATE docket.notification_count SET total = 1001, unseen = 1001, last_at = last_at + interval '1 second' WHERE user_id = $1`,
    [userId],
  )
  const reader = await open({ 'Last-Event-ID': first?.timestamp })
  await until(() => reader.told().length >= 1000)
  assert.deepEqual(
    reader.told().map((one) => one.entity_id),
    Array.from({ length: 1000 }, (_, index) => index + 1),
  )
})

const wrongIds = [
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
for (const id of wrongIds)
  test(`the id ${JSON.stringify(id.slice(0, 60))} is a 400`, async () => {
    const reply = await inbox.ask('GET', '/api/notifications/stream', {
      as: `${word}@example.com`,
      headers: { 'Last-Event-ID': id },
    })
    assert.deepEqual(invalidPaths(reply, 400), ['Last-Event-ID'])
    const path = `/api/notifications/stream?lastEventId=${encodeURIComponent(id)}`
    const asked = await inbox.ask('GET', path, { as: `${word}@example.com` })
    assert.deepEqual(invalidPaths(asked, 400), ['Last-Event-ID'])
  })

test('an id that is later than anything the user was told is a 400', async () => {
  const headers = { 'Last-Event-ID': new Date().toISOString() }
  const ask = () =>
    inbox.ask('GET', '/api/notifications/stream', { as: `${word}@example.com`, headers })
  assert.deepEqual(invalidPaths(await ask(), 400), ['Last-Event-ID'])
  await tell()
  headers['Last-Event-ID'] = '9999-12-31T23:59:59.999Z'
  const reply = await ask()
  assert.match(reply.json().errors[0].message, /later than your latest/)
})

test('the beginning of time is an id: everything comes', async () => {
  await tell()
  const reader = await open({ 'Last-Event-ID': '1970-01-01T00:00:00.000Z' })
  await until(() => reader.told().length === 1)
})

test('without a token, with another method or parameter there is no stream', async () => {
  const ask = (method: string, path: string, as: string | null) =>
    inbox.ask(method, `/api/notifications/stream${path}`, { as })
  assert.equal((await ask('GET', '', null)).status, 401)
  // HEAD would be a stream that nobody reads.
  assert.equal((await ask('HEAD', '', `${word}@example.com`)).status, 405)
  assert.equal((await ask('POST', '', `${word}@example.com`)).status, 405)
  const reply = await ask('GET', '?token=abc', `${word}@example.com`)
  assert.deepEqual(invalidPaths(reply, 400), ['token'])
})

test('a user has at most 50 streams here; one that closes makes room', async () => {
  const opened = await Promise.all(Array.from({ length: 50 }, () => open()))
  const path = '/api/notifications/stream'
  const reply = await inbox.ask('GET', path, { as: `${word}@example.com` })
  assert.equal(reply.status, 503)
  assert.equal(reply.headers.get('retry-after'), '30')
  opened[0]?.close()
  await until(async () => (await open().catch(() => undefined)) !== undefined)
})

test('resumes again and again while writers run: every notification once and in order', async () => {
  const written = 200
  let isDone = false
  const writers = Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let index = 0; index < written / 4; index++) await tell({ title: `${writer}-${index}` })
    }),
  ).then(() => {
    isDone = true
  })
  const told: string[] = []
  let id: string | undefined = '1970-01-01T00:00:00.000Z'
  let rounds = 0
  const goOn = async () => {
    const from = told.length
    const reader = await open({ 'Last-Event-ID': id })
    // Leaves after a few, in the middle of whatever is being sent.
    await until(
      () => reader.told().length >= 15 || (isDone && from + reader.told().length >= written),
    )
    reader.close()
    told.push(...reader.told().map(({ _id }) => _id))
    id = reader.events.at(-1)?.id ?? id
    rounds++
  }
  while (told.length < written) await goOn()
  await writers
  const all = await inbox.list(word, '?sortOrder=asc&limit=1000')
  assert.deepEqual(
    told,
    all.map(({ _id }) => _id),
  )
  assert.ok(rounds > 3)
})
