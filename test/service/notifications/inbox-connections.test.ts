/** Connections of streams: queries, heartbeats, expired tokens, an unavailable database, slow readers. */
import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../../src/auth/caller.ts'
import { createPermissions } from '../../../src/auth/permissions.ts'
import { feedsOn } from '../../../src/database/feeds/feeds.ts'
import { createListener } from '../../../src/database/listening/listener.ts'
import { ApiError, apiError } from '../../../src/errors.ts'
import { createServer, type Server } from '../../../src/http/server.ts'
import { storeBatches } from '../../../src/notifications/jobs/notify-users.ts'
import { streamEndpoint } from '../../../src/notifications/stream/endpoint.ts'
import {
  type NotificationWatch,
  watchNotifications,
} from '../../../src/notifications/stream/watch-notifications.ts'
import { watchChanges } from '../../../src/notifications/watch/watch-changes.ts'
import { openReader, type Reader } from '../../support/notifications/a-stream-reader.ts'
import {
  aContent,
  type Inbox,
  newEvent,
  newUser,
  notifyUsers,
  shareInbox,
} from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'

let inbox: Inbox
let userId: number
const readers: Reader[] = []
const stops: (() => Promise<void>)[] = []
before(async () => {
  inbox = await shareInbox()
})
beforeEach(async () => {
  userId = (await newUser(inbox)).id
})
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close()
  for (const stop of stops.splice(0)) await stop()
})

const notify = (values = {}) => notifyUsers(inbox.database.pool, [userId], values)

type StreamServer = Pick<NotificationWatch, 'countOf'> & { readonly url: string }

/** Starts a server with the stream endpoint only, with short heartbeats and the given authentication. */
const startStreamServer = async (
  authenticate: (request: FastifyRequest) => Promise<Caller>,
  { pool = inbox.database.pool, heartbeatMs = 250 } = {},
): Promise<StreamServer> => {
  const { connectionString } = inbox.database
  const observe = () => undefined
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  const { catalog } = inbox.project
  const feeds = feedsOn(pool)
  const watch = watchNotifications({
    ...{ pool, feeds, catalog, listener, observe, heartbeatMs },
    listenerOf: () => listener,
  })
  await listener.start()
  const permissions = createPermissions(catalog)
  const changeWatch = watchChanges({ pool, catalog, permissions, onFailure: observe })
  const deps = {
    feeds,
    authenticate,
    locale: 'en',
    timeZone: 'UTC',
    watch,
    changeWatch,
    permissions,
  }
  const mount = (scope: Server) => streamEndpoint.mount(scope, deps)
  const server = createServer({ basePath: '', bodyLimit: 1000, observe, mount, authenticate })
  server.addHook('preClose', async () => watch.endStreams())
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  stops.push(async () => {
    await server.close()
    await Promise.all([watch.close(), changeWatch.close(), listener.close()])
  })
  return { url, countOf: watch.countOf }
}

const callerOf = (id: number): Caller => ({
  userId: id,
  actingUser: null,
  roleKey: '',
  fullName: '',
  email: '',
})

test('one query reads the new notifications of all readers', async () => {
  const { pool } = inbox.database
  const queries: string[] = []
  const recorded = new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'query') return Reflect.get(target, name, target)
      return (statement: { text: string }) => {
        queries.push(statement.text)
        return target.query(statement)
      }
    },
  })
  const streamServer = await startStreamServer(
    async ({ headers }) => callerOf(Number(headers.authorization?.slice(7))),
    // No heartbeat looks meanwhile.
    { pool: recorded, heartbeatMs: 600_000 },
  )
  const userIds = Array.from({ length: 60 }, (_, index) => 500_000 + index)
  const all = await Promise.all(userIds.map((id) => openReader(streamServer.url, `${id}`)))
  readers.push(...all)
  await until(() => all.every((reader) => reader.counts().length === 1))
  const before = queries.length
  await notifyUsers(pool, userIds)
  await until(() => all.every((reader) => reader.notifications().length === 1))
  // A query of opening the streams can still run.
  assert.ok(queries.length - before <= 2)
  // Changes during a query need only one more query.
  await Promise.all(userIds.map((id) => notifyUsers(pool, [id])))
  await until(() => all.every((reader) => reader.notifications().length === 2))
  assert.ok(queries.length - before < userIds.length)
})

test('a notification whose signal was lost arrives with a heartbeat', async () => {
  const { pool } = inbox.database
  const streamServer = await startStreamServer(async () => callerOf(userId))
  const reader = await openReader(streamServer.url, 'token')
  readers.push(reader)
  await until(() => reader.counts().length === 1)
  const recipients = { userIds: [userId], content: aContent() }
  await storeBatches(pool, [{ event: newEvent(), recipients }])
  await until(() => reader.notifications().length === 1)
  assert.deepEqual(reader.counts(), [0, 1])
})

test('a stream sends heartbeats, and ends when its token has expired', async () => {
  let isValid = true
  let authentications = 0
  const streamServer = await startStreamServer(async () => {
    authentications++
    if (!isValid) throw apiError('caller.unauthenticated', 'The token has expired.')
    return callerOf(userId)
  })
  const reader = await openReader(streamServer.url, 'token')
  await until(() => reader.text().split(': \n\n').length > 3)
  assert.ok(authentications > 3)
  isValid = false
  assert.equal(await reader.ended, true)
})

test('an unavailable database does not end a stream', async () => {
  let failures = 0
  let isUnavailable = false
  const streamServer = await startStreamServer(async () => {
    if (isUnavailable) failures++
    if (isUnavailable)
      throw new ApiError('database.unavailable', 'The database cannot be reached now.')
    return callerOf(userId)
  })
  const reader = await openReader(streamServer.url, 'token')
  readers.push(reader)
  await until(() => reader.counts().length === 1)
  isUnavailable = true
  await until(() => failures > 2)
  await notify()
  await until(() => reader.notifications().length === 1)
})

test('a reader that does not read is disconnected, delays no other reader, and can resume', async () => {
  const streamServer = await startStreamServer(async () => callerOf(userId))
  const slow = await openReader(streamServer.url, 'token', { isPaused: true })
  const fast = await openReader(streamServer.url, 'token')
  readers.push(fast, slow)
  await until(() => fast.counts().length === 1)
  const message = 'x'.repeat(500_000)
  // Sockets buffer several megabytes; beyond that the stream waits for its reader.
  for (let index = 0; index < 60; index++) await notify({ message, title: `${index}` })
  await until(() => fast.notifications().length === 60)
  await until(() => streamServer.countOf(userId) === 1)
  slow.resume()
  assert.equal(await slow.ended, false)
  const id = slow.events.at(-1)?.id
  const resumed = await openReader(streamServer.url, 'token', {
    headers: { 'Last-Event-ID': `${id}` },
  })
  readers.push(resumed)
  await until(() => slow.notifications().length + resumed.notifications().length === 60)
  assert.deepEqual([...slow.notifications(), ...resumed.notifications()], fast.notifications())
})
