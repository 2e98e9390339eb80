/** GET /api/notifications/stream: its events, resuming after the id of one, and streams of several processes. */
import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, describe, test } from 'node:test'
import pg from 'pg'
import { invalidPaths } from '../../support/a-project.ts'
import { openReader, type Reader } from '../../support/notifications/a-stream-reader.ts'
import {
  newUser,
  notifyUsers,
  type OtherService,
  shareInbox,
  startOtherService,
} from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'

const path = '/api/notifications/stream'

let user: Awaited<ReturnType<typeof newUser>>
let as: string
const readers: Reader[] = []
const inbox = await shareInbox()
beforeEach(async () => {
  user = await newUser(inbox)
  as = `${user.name}@example.com`
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})

type Opening = {
  readonly url?: string
  readonly name?: string
  /** In the header. */
  readonly lastId?: string | undefined
  readonly query?: string
}

/** Opens a stream and waits for its first count. */
const open = async ({ url = inbox.url, name = user.name, lastId, query = '' }: Opening = {}) => {
  const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId }
  const token = await inbox.tokenOf(`${name}@example.com`)
  const reader = await openReader(url, token, { headers, path: `${path}${query}` })
  readers.push(reader)
  await until('the stream has begun', () => reader.counts().length > 0)
  return reader
}
const notify = (values = {}) => notifyUsers(inbox.database.pool, [user.id], values)
/** Stores notifications with the titles 0, 1 and so on; returns the list, the oldest first. */
const notifyTitled = async (count: number) => {
  for (let index = 0; index < count; index++) await notify({ title: `${index}` })
  return inbox.list(user.name, '?sortOrder=asc')
}
const titlesOf = (reader: Reader) =>
  reader
    .notifications()
    .map(({ content }) => content.title)
    .join()
const untilTold = (count: number, ...told: readonly Reader[]) =>
  until(`${count} notifications are told`, () =>
    told.every((one) => one.notifications().length >= count),
  )
const untilCounted = (unseen: number, ...told: readonly Reader[]) =>
  until(`${unseen} unseen are told`, () => told.every((one) => one.counts().at(-1) === unseen))

test('the answer is an event stream that proxies do not buffer or cache', async () => {
  const { headers } = (await open()).response
  assert.equal(headers['content-type'], 'text/event-stream')
  assert.equal(headers['cache-control'], 'no-store, no-transform')
  assert.equal(headers['x-accel-buffering'], 'no')
  assert.ok(headers['x-request-id'])
})

test('the first event is the unseen count, and each change of it sends another', async () => {
  await notify()
  const reader = await open()
  await notify()
  await untilCounted(2, reader)
  const [latest] = await inbox.list(user.name)
  const mark = (status: string) => inbox.mark(user.name, { ids: [latest?._id], status })
  await mark('seen')
  await untilCounted(1, reader)
  await mark('seen')
  await mark('unseen')
  await untilCounted(2, reader)
  assert.deepEqual(reader.counts(), [1, 2, 1, 2])
})

test('a new notification is sent as in the list, to all streams of its user, followed by the count', async () => {
  await notify({ title: 'Earlier' })
  const [reader, second] = [await open(), await open()]
  await notifyUsers(inbox.database.pool, [(await newUser(inbox)).id])
  await notify({ title: 'Line\nbreak \u2028 "quoted"', due_at: '2020-01-01T00:00:00.000Z' })
  await untilCounted(2, reader, second)
  const kinds = reader.events.map(({ event }) => event)
  assert.deepEqual(kinds, ['count', 'notification', 'count'])
  const [listed] = await inbox.list(user.name)
  for (const one of [reader, second]) assert.deepEqual(one.notifications(), [listed])
  assert.match(listed?.content.due_date ?? '', /^vor \d+ Jahren$/)
  assert.equal(reader.events[1]?.id, listed?.timestamp)
})

test('HEAD is rejected: it would open a stream without a reader', async () => {
  assert.equal((await inbox.ask('HEAD', path, { as })).status, 405)
})

test('a user can have at most 50 streams, and another one after one is closed', async () => {
  const opened = await Promise.all(Array.from({ length: 50 }, () => open()))
  const reply = await inbox.ask('GET', path, { as })
  assert.deepEqual([reply.status, reply.headers.get('retry-after')], [503, '30'])
  opened[0]?.close()
  await until(async () => (await open().catch(() => undefined)) !== undefined)
})

describe('resuming', () => {
  test('begins after Last-Event-ID or the lastEventId parameter; the header has precedence', async () => {
    const [, second, , fourth, last] = await notifyTitled(5)
    const lastId = second?.timestamp
    const query = `?lastEventId=${fourth?.timestamp}`
    assert.equal(titlesOf(await open({ lastId })), '2,3,4')
    assert.equal(titlesOf(await open({ query })), '4')
    assert.equal(titlesOf(await open({ lastId, query })), '2,3,4')
    assert.equal(titlesOf(await open({ lastId: last?.timestamp })), '')
    assert.equal(titlesOf(await open({ lastId: '1970-01-01T00:00:00.000Z' })), '0,1,2,3,4')
    // After the id of a count.
    const [count] = (await open()).events
    await notify({ title: 'While disconnected' })
    assert.equal(titlesOf(await open({ lastId: count?.id })), 'While disconnected')
  })

  test('sends a thousand missed notifications in order and once', async () => {
    const [first] = await notifyTitled(1)
    const { pool } = inbox.database
    await pool.query(
      `INSERT INTO docket.notification (_id, user_id, entity_key, entity_id, content, timestamp)
       SELECT docket.notification_id(at, i::text, '0', $1), $1, 'order', i, $3, at
       FROM generate_series(1, 1000) i, LATERAL (SELECT $2::timestamptz + make_interval(secs => i * 0.001) AS at) w`,
      [user.id, first?.timestamp, JSON.stringify({ ...first?.content, due_at: null })],
    )
    await pool.query(
      `UPDATE docket.notification_count SET total = 1001, unseen = 1001, last_at = last_at + interval '1 second' WHERE user_id = $1`,
      [user.id],
    )
    const reader = await open({ lastId: first?.timestamp })
    await untilTold(1000, reader)
    const told = reader.notifications().map((one) => one.entity_id)
    assert.deepEqual(
      told,
      Array.from({ length: 1000 }, (_, index) => index + 1),
    )
  })

  const invalidIds = [
    ...['x', '7', '9'.repeat(5000), '2026-02-30T10:00:00.000Z', '2026-05-04T08:30:00+02:00'],
    '2026-05-04T08:30:00.000Z, 2026-05-04T08:30:00.000Z',
  ]
  test('refuses an id that is invalid, or later than the latest notification of the user', async () => {
    const refusedAt = async (id: string, query = '') => {
      const headers: Record<string, string> = query ? {} : { 'Last-Event-ID': id }
      const reply = await inbox.ask('GET', `${path}${query}`, { as, headers })
      assert.deepEqual(invalidPaths(reply, 400), ['Last-Event-ID'], id)
      return reply.json().errors[0].message
    }
    for (const id of invalidIds) {
      await refusedAt(id)
      await refusedAt(id, `?lastEventId=${encodeURIComponent(id)}`)
    }
    await refusedAt(new Date().toISOString())
    await notify()
    assert.match(await refusedAt('9999-12-31T23:59:59.999Z'), /later than your latest/)
  })

  test('repeatedly during writes gets every notification once and in order', async () => {
    const written = 100
    const write = async () => {
      for (let index = 0; index < written / 4; index++) await notify()
    }
    let isDone = false
    const writing = Promise.all([write(), write(), write(), write()]).finally(() => {
      isDone = true
    })
    const received: string[] = []
    let lastId: string | undefined = '1970-01-01T00:00:00.000Z'
    let rounds = 0
    for (; received.length < written; rounds++) {
      const reader: Reader = await open({ lastId })
      const told = () => reader.notifications().map(({ _id }) => _id)
      // Closes after a few notifications, while others are being sent.
      await until(
        () => told().length >= 15 || (isDone && received.length + told().length >= written),
      )
      reader.close()
      received.push(...told())
      lastId = reader.events.at(-1)?.id ?? lastId
    }
    await writing
    const all = await inbox.list(user.name, '?sortOrder=asc&limit=1000')
    assert.deepEqual(
      received,
      all.map(({ _id }) => _id),
    )
    assert.ok(rounds > 3)
  })
})

describe('streams of two processes', () => {
  let other: OtherService
  before(async () => {
    await inbox.database.pool.query(
      `UPDATE records.security_role SET _is_deleted = true WHERE key = 'removed'`,
    )
    other = await startOtherService(inbox)
  })
  const openBoth = (name = user.name) =>
    Promise.all([open({ name }), open({ url: other.url, name })])

  test('are told the changes of each other', async () => {
    const [here, there] = await openBoth()
    await notify()
    await untilTold(1, here, there)
    await untilCounted(1, here, there)
    const [latest] = await inbox.list(user.name)
    const response = await fetch(`${other.url}/api/notifications/mark`, {
      method: 'PUT',
      headers: {
        Authorization: `Bearer ${await inbox.tokenOf(as)}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ ids: [latest?._id], status: 'seen' }),
    })
    assert.deepEqual(await response.json(), { count: 1 })
    await untilCounted(0, here, there)
    // More recipients than a signal names.
    const many = Array.from({ length: 600 }, (_, index) => 1_000_000 + index)
    await notifyUsers(inbox.database.pool, [...many, user.id])
    await untilTold(2, here, there)
    assert.deepEqual(here.notifications(), there.notifications())
  })

  test('get each notification of concurrent writers once and in order', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => newUser(inbox)))
    const ids = people.map(({ id }) => id)
    const all = await Promise.all(people.map(({ name }) => openBoth(name)))
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const users = index % 2 ? ids : ids.toReversed().slice(0, 5)
        return notifyUsers(inbox.database.pool, users, { title: `${index}` })
      }),
    )
    for (const [index, { name }] of people.entries()) {
      const expected = await inbox.list(name, '?sortOrder=asc&limit=1000')
      const both = all[index] ?? assert.fail()
      await untilTold(expected.length, ...both)
      await untilCounted(expected.length, ...both)
      for (const reader of both) assert.deepEqual(reader.notifications(), expected)
    }
  })

  const setAllowConnections = async (allow: boolean) => {
    const address = new URL(inbox.database.connectionString)
    const name = pg.escapeIdentifier(address.pathname.slice(1))
    address.pathname = '/postgres'
    const client = new pg.Client({ connectionString: address.href })
    await client.connect()
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allow}`)
    await client.end()
  }
  const closeListeners = () =>
    inbox.database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'docket listener' AND datname = current_database()`,
    )
  const delays = () =>
    [...inbox.observations, ...other.observations].filter(
      ({ kind }) => kind === 'notificationPushDelayed',
    ).length

  test('lose and repeat no notification when the listening connections are closed', async () => {
    const both = await openBoth()
    for (let round = 0; round < 5; round++) {
      await closeListeners()
      await notify({ title: `${round}` })
    }
    const expected = await inbox.list(user.name, '?sortOrder=asc')
    await untilTold(5, ...both)
    for (const reader of both) assert.deepEqual(reader.notifications(), expected)
  })

  test('are told with a delay while no process can listen', async () => {
    const both = await openBoth()
    // The loss of a connection is told once, so that one of the test before must not last.
    await until('both listen', () =>
      [inbox, other].every(({ runtime }) => runtime.listener.isListening()),
    )
    const before = delays()
    await setAllowConnections(false)
    try {
      await closeListeners()
      await until('both are delayed', () => delays() >= before + 2)
      await notify()
      await untilTold(1, ...both)
    } finally {
      await setAllowConnections(true)
    }
    await notify()
    await untilTold(2, ...both)
  })

  const removedRole = `(SELECT id FROM records.security_role WHERE key = 'removed')`
  test('end for a user who is blocked, inactive, removed or in a removed role, and not for others', async () => {
    const theirs = await open()
    const { pool } = inbox.database
    for (const change of [
      ...['is_blocked = true', 'is_active = false', '_is_deleted = true'],
      `security_role_id = ${removedRole}`,
    ]) {
      const { name, id } = await newUser(inbox)
      const both = await openBoth(name)
      await pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [id])
      assert.deepEqual(await Promise.all(both.map(({ ended }) => ended)), [true, true], change)
    }
    await notify()
    await untilTold(1, theirs)
  })

  test('end with their service, which does not wait for the readers', async () => {
    const reader = await open({ url: other.url })
    await other.stop()
    assert.equal(await reader.ended, true)
  })
})
