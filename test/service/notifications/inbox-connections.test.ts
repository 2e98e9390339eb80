/** Connections of streams: heartbeats, expired tokens, an unavailable database, slow readers. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Caller } from '../../../src/auth/caller.ts'
import { createPermissions } from '../../../src/auth/permissions.ts'
import { createListener } from '../../../src/database/listener.ts'
import { ApiError, apiError } from '../../../src/errors.ts'
import { createServer, type Server } from '../../../src/http/server.ts'
import { type LiveHub, openHub } from '../../../src/inbox/live/hub.ts'
import { streamEndpoint } from '../../../src/inbox/live/stream-endpoint.ts'
import { storeBatches } from '../../../src/notify/send-notifications.ts'
import { openReader } from '../../support/notifications/a-stream-reader.ts'
import {
  aContent,
  newEvent,
  newUser,
  notifyUsers,
  shareInbox,
} from '../../support/notifications/an-inbox.ts'
import { until } from '../../support/wait.ts'

let userId: number
const ends: (() => Promise<void> | void)[] = []
const inbox = await shareInbox()
beforeEach(async () => {
  userId = (await newUser(inbox)).id
})
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const notify = (values = {}) => notifyUsers(inbox.database.pool, [userId], values)

/** Opens a stream, with the id of the user as token, and waits for its first count. */
const open = async (url: string, token: string, options: Parameters<typeof openReader>[2] = {}) => {
  const reader = await openReader(url, token, options)
  ends.push(reader.close)
  await until(() => options.isPaused || reader.counts().length > 0)
  return reader
}

/** Starts a server with the stream endpoint only, with short heartbeats and the given authentication. */
const startStreamServer = async (
  authenticate: () => Promise<Caller> = async () => callerOf(userId),
  heartbeatMs = 250,
): Promise<Pick<LiveHub, 'countOf'> & { readonly url: string }> => {
  const { connectionString, pool } = inbox.database
  const observe = () => undefined
  const listener = createListener({ connectionString, applicationName: 'docket listener' })
  const { catalog } = inbox.project
  const permissions = createPermissions(catalog)
  const live = openHub({ pool, catalog, permissions, listener, observe, heartbeatMs })
  await listener.start()
  const deps = {
    pool,
    authenticate,
    live,
    permissions,
    locale: 'en',
    timeZone: 'UTC',
  }
  const mount = (scope: Server) => streamEndpoint.mount(scope, deps)
  const server = createServer({ basePath: '', bodyLimit: 1000, observe, mount, authenticate })
  server.addHook('preClose', async () => live.endStreams())
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  ends.push(async () => {
    await server.close()
    await Promise.all([live.close(), listener.close()])
  })
  return { url, countOf: live.countOf }
}

const callerOf = (id: number): Caller => ({
  userId: id,
  actingUser: null,
  roleKey: '',
  fullName: '',
  email: '',
})

test('a notification whose signal was lost arrives with a heartbeat', async () => {
  const reader = await open((await startStreamServer()).url, 'token')
  const recipients = { userIds: [userId], content: aContent() }
  await storeBatches(inbox.database.pool, [{ event: newEvent(), recipients }])
  await until(() => reader.notifications().length === 1)
  assert.deepEqual(reader.counts(), [0, 1])
})

test('a stream sends heartbeats, and ends when its token has expired', async () => {
  let isValid = true
  let authentications = 0
  const { url } = await startStreamServer(async () => {
    authentications++
    if (!isValid) throw apiError('caller.unauthenticated', 'The token has expired.')
    return callerOf(userId)
  })
  const reader = await open(url, 'token')
  await until(() => reader.text().split(': \n\n').length > 3)
  assert.ok(authentications > 3)
  isValid = false
  assert.equal(await reader.ended, true)
})

test('an unavailable database does not end a stream', async () => {
  let failures = 0
  let isUnavailable = false
  const { url } = await startStreamServer(async () => {
    if (!isUnavailable) return callerOf(userId)
    failures++
    throw new ApiError('database.unavailable', 'The database cannot be reached now.')
  })
  const reader = await open(url, 'token')
  isUnavailable = true
  await until(() => failures > 2)
  await notify()
  await until(() => reader.notifications().length === 1)
})

test('a reader that does not read is disconnected, delays no other reader, and can resume', async () => {
  // A busy machine may not come to read for two short heartbeats.
  const { url, countOf } = await startStreamServer(undefined, 2_000)
  const slow = await open(url, 'token', { isPaused: true })
  const fast = await open(url, 'token')
  const message = 'x'.repeat(500_000)
  const sent = 50
  // Sockets buffer several megabytes; beyond that the stream waits for its reader.
  for (let index = 0; index < sent; index++) await notify({ message, title: `${index}` })
  const received = () => fast.events.filter(({ event }) => event === 'notification')
  await until('the other reader has them all', () => received().length === sent)
  await until(() => countOf(userId) === 1)
  slow.resume()
  assert.equal(await slow.ended, false)
  const headers = { 'Last-Event-ID': `${slow.events.at(-1)?.id}` }
  const resumed = await open(url, 'token', { headers })
  await until(() => slow.notifications().length + resumed.notifications().length === sent)
  assert.deepEqual([...slow.notifications(), ...resumed.notifications()], fast.notifications())
})
