/** Streams across processes: pushes, lost connections, blocked callers, slow readers, the end. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import pg from 'pg'
import type { Caller } from '../../src/auth/caller.ts'
import { createListener } from '../../src/database/listen.ts'
import { ApiError, apiError } from '../../src/errors.ts'
import { createServer, type Server } from '../../src/http/server.ts'
import { streamEndpoint } from '../../src/notifications/stream/endpoint.ts'
import {
  type NotificationWatch,
  watchNotifications,
} from '../../src/notifications/stream/watch-notifications.ts'
import { until } from '../support/wait.ts'
import {
  type Inbox,
  notifyUsers,
  type Other,
  openReader,
  type Reader,
  startInbox,
  startOther,
} from './an-inbox.ts'

let inbox: Inbox
let other: Other
let word: string
let userId: number
let people = 0
const readers: Reader[] = []
before(async () => {
  inbox = await startInbox()
  await inbox.database.pool.query(
    `UPDATE records.security_role SET _is_deleted = true WHERE key = 'leaver'`,
  )
  other = await startOther(inbox)
})
beforeEach(async () => {
  word = `user${++people}`
  userId = await inbox.addUser(word)
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
after(async () => {
  await other.stop()
  await inbox.stop()
})

const open = async (url: string, name = word): Promise<Reader> => {
  const reader = await openReader(url, await inbox.tokenOf(`${name}@example.com`))
  readers.push(reader)
  await until(() => reader.counts().length === 1)
  return reader
}
const tell = (values = {}) => notifyUsers(inbox.database.pool, [userId], values)

test('two processes push to their readers what either of them does', async () => {
  const [here, there] = [await open(inbox.url), await open(other.url)]
  await tell()
  await until(() => here.told().length === 1 && there.told().length === 1)
  await until(() => here.counts().at(-1) === 1 && there.counts().at(-1) === 1)
  const [latest] = await inbox.list(word)
  const response = await fetch(`${other.url}/api/notifications/mark`, {
    method: 'PUT',
    headers: {
      Authorization: `Bearer ${await inbox.tokenOf(`${word}@example.com`)}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ ids: [latest?._id], status: 'seen' }),
  })
  assert.deepEqual(await response.json(), { count: 1 })
  await until(() => here.counts().at(-1) === 0 && there.counts().at(-1) === 0)
  assert.deepEqual(here.told(), there.told())
})

test('many writers, many readers, two processes: each reader is told everything once, in order', async () => {
  const words = Array.from({ length: 6 }, (_, index) => `${word}r${index}`)
  const userIds = await Promise.all(words.map((name) => inbox.addUser(name)))
  const all = await Promise.all(
    words.flatMap((name) => [open(inbox.url, name), open(other.url, name)]),
  )
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      notifyUsers(inbox.database.pool, index % 2 ? userIds : userIds.toReversed().slice(0, 5), {
        title: `${index}`,
      }),
    ),
  )
  for (const [index, name] of words.entries()) {
    const expected = await inbox.list(name, '?sortOrder=asc&limit=1000')
    for (const reader of all.slice(index * 2, index * 2 + 2)) {
      await until(() => reader.told().length >= expected.length)
      await until(() => reader.counts().at(-1) === expected.length)
      assert.deepEqual(reader.told(), expected)
    }
  }
})

test('more than five hundred recipients reach every reader', async () => {
  const reader = await open(other.url)
  const many = Array.from({ length: 600 }, (_, index) => 1_000_000 + index)
  await notifyUsers(inbox.database.pool, [...many, userId])
  await until(() => reader.told().length === 1)
})

const letConnectionsIn = async (allow: boolean) => {
  const address = new URL(inbox.database.connectionString)
  const name = pg.escapeIdentifier(address.pathname.slice(1))
  address.pathname = '/postgres'
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${allow}`)
  await client.end()
}
const cutListeners = () =>
  inbox.database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'docket listener' AND datname = current_database()`,
  )
const delays = () =>
  [...inbox.observations, ...other.observations].filter(
    ({ kind }) => kind === 'notificationPushDelayed',
  ).length

test('after a cut of the connections that listen nothing is lost and nothing comes twice', async () => {
  const [here, there] = [await open(inbox.url), await open(other.url)]
  for (let round = 0; round < 5; round++) {
    await cutListeners()
    await tell({ title: `${round}` })
  }
  const expected = await inbox.list(word, '?sortOrder=asc')
  for (const reader of [here, there]) {
    await until(() => reader.told().length >= 5)
    assert.deepEqual(reader.told(), expected)
  }
})

test('while no process hears, news come late but come', async () => {
  const [here, there] = [await open(inbox.url), await open(other.url)]
  const before = delays()
  await letConnectionsIn(false)
  try {
    await cutListeners()
    await until(() => delays() >= before + 2)
    await tell()
    await until(() => here.told().length === 1 && there.told().length === 1)
  } finally {
    await letConnectionsIn(true)
  }
  await tell()
  await until(() => here.told().length === 2 && there.told().length === 2)
})

for (const [what, change] of [
  ['blocked', 'is_blocked = true'],
  ['made inactive', 'is_active = false'],
  ['removed', '_is_deleted = true'],
  [
    'given a role that was removed',
    `security_role_id = (SELECT id FROM records.security_role WHERE key = 'leaver')`,
  ],
] as const)
  test(`the streams of a user who is ${what} end in every process, and of nobody else`, async () => {
    const neighbour = await inbox.addUser(`${word}n`)
    const [here, there] = [await open(inbox.url), await open(other.url)]
    const near = await open(inbox.url, `${word}n`)
    await inbox.database.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [userId])
    assert.deepEqual(await Promise.all([here.ended, there.ended]), [true, true])
    await notifyUsers(inbox.database.pool, [neighbour])
    await until(() => near.told().length === 1)
  })

test('a service that stops ends its streams, and does not wait for its readers to leave', async () => {
  const third = await startOther(inbox)
  const reader = await open(third.url)
  await third.stop()
  assert.equal(await reader.ended, true)
})

type Small = Pick<NotificationWatch, 'countOf'> & { readonly url: string }

const smalls: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of smalls.splice(0)) await stop()
})

/** The paths alone, with quick heart-beats and a caller of the test's own making. */
const startSmall = async (
  authenticate: (request: FastifyRequest) => Promise<Caller>,
  pool = inbox.database.pool,
): Promise<Small> => {
  const { connectionString } = inbox.database
  const observe = () => undefined
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  const watch = watchNotifications({ pool, listener, observe, heartbeatMs: 250 })
  await listener.start()
  const parts = { pool, authenticate, timeZone: 'UTC', locale: 'en', watch }
  const mount = (scope: Server) => streamEndpoint.mount(scope, parts)
  const server = createServer({ basePath: '', bodyLimit: 1000, observe, mount, authenticate })
  server.addHook('preClose', async () => watch.endStreams())
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  smalls.push(async () => {
    await server.close()
    await Promise.all([watch.close(), listener.close()])
  })
  return { url, countOf: watch.countOf }
}

const callerOf = (id: number): Caller => ({ userId: id, roleKey: '', fullName: '', email: '' })

test('one question brings the news of all readers, however many there are', async () => {
  const { pool } = inbox.database
  const questions: string[] = []
  const recorded = new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target)
      return (statement: { text: string }) => {
        questions.push(statement.text)
        return target.query(statement)
      }
    },
  })
  const small = await startSmall(
    async ({ headers }) => callerOf(Number(headers.authorization?.slice(7))),
    recorded,
  )
  const userIds = Array.from({ length: 200 }, (_, index) => 500_000 + index)
  const all = await Promise.all(userIds.map((id) => openReader(small.url, `${id}`)))
  readers.push(...all)
  await until(() => all.every((reader) => reader.counts().length === 1))
  const before = questions.length
  await notifyUsers(pool, userIds)
  await until(() => all.every((reader) => reader.told().length === 1))
  // One more may still be under way from the opening of the streams.
  assert.ok(questions.length - before <= 2)
  // What happens while a question runs is one more question.
  await Promise.all(userIds.map((id) => notifyUsers(pool, [id])))
  await until(() => all.every((reader) => reader.told().length === 2))
  assert.ok(questions.length - before < userIds.length)
})

test('a stream shows that it lives, and ends when its token has expired', async () => {
  let isGood = true
  let asked = 0
  const small = await startSmall(async () => {
    asked++
    if (!isGood) throw apiError('caller.unauthenticated', 'The token has expired.')
    return callerOf(userId)
  })
  const reader = await openReader(small.url, 'token')
  await until(() => reader.text().split(': \n\n').length > 3)
  assert.ok(asked > 3)
  isGood = false
  assert.equal(await reader.ended, true)
})

test('a database that is away ends no stream', async () => {
  let failures = 0
  let isAway = false
  const small = await startSmall(async () => {
    if (isAway) failures++
    if (isAway) throw new ApiError('database.unavailable', 'The database cannot be reached now.')
    return callerOf(userId)
  })
  const reader = await openReader(small.url, 'token')
  readers.push(reader)
  await until(() => reader.counts().length === 1)
  isAway = true
  await until(() => failures > 2)
  await tell()
  await until(() => reader.told().length === 1)
})

test('a reader who takes nothing is cut, holds up nobody, and goes on where it was', async () => {
  const small = await startSmall(async () => callerOf(userId))
  const slow = await openReader(small.url, 'token', { isPaused: true })
  const quick = await openReader(small.url, 'token')
  readers.push(quick, slow)
  await until(() => quick.counts().length === 1)
  const message = 'x'.repeat(500_000)
  // What the sockets hold is several megabytes; past it the stream waits for its reader.
  for (let index = 0; index < 60; index++) await tell({ message, title: `${index}` })
  await until(() => quick.told().length === 60)
  await until(() => small.countOf(userId) === 1)
  slow.resume()
  assert.equal(await slow.ended, false)
  const id = slow.events.at(-1)?.id
  const again = await openReader(small.url, 'token', { headers: { 'Last-Event-ID': `${id}` } })
  readers.push(again)
  await until(() => slow.told().length + again.told().length === 60)
  assert.deepEqual([...slow.told(), ...again.told()], quick.told())
})
