/** Sessions: their list, their use, their end in every process, and what a blocked user keeps of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { createCallerCache } from '../../../src/auth/callers/caller-cache.ts'
import { createSessions } from '../../../src/auth/sessions/sessions.ts'
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { createListener } from '../../../src/database/listener.ts'
import { removeEndedRows } from '../../../src/database/old-rows.ts'
import { createPool } from '../../../src/database/pool.ts'
import { createService } from '../../../src/runtime/create-service.ts'
import { insertPerson } from '../../support/a-person.ts'
import { sharedProject, users } from '../../support/a-project.ts'
import { afterwards, opened } from '../../support/afterwards.ts'
import { connectionOf } from '../../support/database.ts'
import type { TestService } from '../../support/service.ts'
import { type Browser, openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import { until } from '../../support/wait.ts'

const service = await sharedProject()
/** Another service on the same database, as in another process: with its own cache of callers. */
const elsewhere = opened(() => startSecond(service))

const startSecond = async ({ runtime, database }: TestService) => {
  // As another process, it listens by itself.
  const listener = createListener({ ...database, applicationName: 'docket listener' })
  const own = { ...runtime, listener }
  const { server, stop } = await createService({ runtime: own, commands: database.pool })
  const stopAll = async () => {
    await stop()
    await listener.close()
  }
  return { url: await server.listen({ host: '127.0.0.1', port: 0 }), stop: afterwards(stopAll) }
}

/** The same browser, whose requests are answered at another address. */
const at = (url: string, { cookies }: Browser): Browser => {
  const other = openBrowser({ url })
  for (const jar of cookies.values()) other.cookies.set(new URL(url).host, new Map(jar))
  return other
}

const statusOf = async (browser: Browser) => (await browser.send('GET', '/api/me')).status
const isRejected = (browser: Browser) => async () => (await statusOf(browser)) === 401

type Listed = { id: number; is_current: boolean; user_agent: string }
const listOf = async (browser: Browser): Promise<Listed[]> =>
  (await browser.send('GET', '/console/-/sessions')).json().data

const query = (statement: string) => service.database.pool.query(statement)
/** Signs in; returns a condition on the session too. */
const signInNewly = async () => {
  const browser = await signedIn(service)
  const { rows } = await query('SELECT max(id) AS id FROM docket.session')
  return { browser, isOwn: `id = ${rows[0].id}` }
}

test('a list shows the sessions of the caller only, and which one it came with', async () => {
  const browser = await signedIn(service, users.buyer)
  await signedIn(service, users.clerk)
  await signedIn(service, users.buyer)
  const list = await listOf(browser)
  assert.deepEqual(Object.keys(list[0] ?? {}), [
    ...['id', 'created_at', 'last_used_at', 'expires_at', 'user_agent', 'is_current'],
  ])
  assert.deepEqual(
    list.map(({ is_current }) => is_current),
    [false, true],
  )
  const byToken = await service.ask('GET', '/console/-/sessions', { as: users.buyer })
  assert.deepEqual(
    byToken.json().data.map(({ is_current }: Listed) => is_current),
    [false, false],
  )
})

test('a user agent is cut to 200 characters', async () => {
  const browser = await signedIn(service, users.registrar)
  const headers = { 'User-Agent': 'x'.repeat(5000) }
  await browser.send('POST', '/console/-/session', { body: { user_id: 1 }, headers })
  assert.equal((await listOf(browser))[0]?.user_agent, 'x'.repeat(200))
})

test('signing out ends the session at once, in every process, and removes the cookie', async () => {
  const browser = await signedIn(service)
  const [copy, other] = [at(service.url, browser), at(elsewhere.url, browser)]
  assert.equal(await statusOf(other), 200)
  const reply = await browser.send('DELETE', '/console/-/session')
  assert.equal(reply.status, 204, reply.text)
  assert.match(browser.lastSet(), /^docket=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/)
  assert.equal(reply.headers.get('end-session-address'), null)
  assert.equal(await statusOf(copy), 401)
  await until('the other process rejects the session', isRejected(other))
  assert.match((await copy.send('GET', '/api/me')).json().detail, /has ended/)
})

test('a session is ended by its id, by its user only', async () => {
  const ended = await signedIn(service, users.buyer)
  const browser = await signedIn(service, users.buyer)
  const id = (await listOf(ended)).find(({ is_current }) => is_current)?.id
  const end = async (one: Browser, which: unknown) =>
    (await one.send('DELETE', `/console/-/sessions/${which}`)).status
  assert.equal(await end(await signedIn(service, users.clerk), id), 404)
  assert.equal(await end(browser, id), 204)
  assert.deepEqual([await statusOf(ended), await statusOf(browser)], [401, 200])
  for (const wrong of [id, 99_999_999_999]) assert.equal(await end(browser, wrong), 404)
  assert.equal(await end(browser, 'x'), 400)
})

test('the sessions of a user who is blocked, deactivated or removed end in every process, also for later', async () => {
  const change = (assignments: string) =>
    query(`UPDATE records."user" SET ${assignments} WHERE email = '${users.otherBuyer}'`)
  for (const [shutOut, letIn] of [
    ['is_blocked = true', 'is_blocked = false'],
    ['is_active = false', 'is_active = true'],
    ['_is_deleted = true', '_is_deleted = false'],
  ] as const) {
    const browser = await signedIn(service, users.otherBuyer)
    const both = [browser, at(elsewhere.url, browser)]
    for (const one of both) assert.equal(await statusOf(one), 200)
    await change(shutOut)
    for (const one of both) await until('the session is rejected', isRejected(one))
    await change(letIn)
    for (const one of both) assert.equal(await statusOf(one), 401)
  }
})

test('a sign-in that is on its way while its user is blocked starts no session', async () => {
  const { pool } = service.database
  const userId = await insertPerson(pool, 'blocked-meanwhile', 'buyer')
  const code = await createLoginCode(pool, userId)
  const connection = await connectionOf(pool)
  await connection.query('BEGIN')
  await connection.query('UPDATE records."user" SET is_blocked = true WHERE id = $1', [userId])
  const sent = openBrowser(service).send('POST', '/console/-/session', { body: { code } })
  await until('the sign-in waits for the user', async () => {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'`,
    )
    return rows.length > 0
  })
  await connection.query('COMMIT')
  assert.equal((await sent).status, 401)
  const { rowCount } = await pool.query('SELECT FROM docket.session WHERE user_id = $1', [userId])
  assert.equal(rowCount, 0)
})

test('a session ends at its time, and maintenance removes it', async () => {
  const { browser, isOwn } = await signInNewly()
  await query(`UPDATE docket.session SET expires_at = now() - interval '1 second' WHERE ${isOwn}`)
  await until('the session is rejected', isRejected(browser))
  await removeEndedRows(service.database.pool)
  assert.equal((await query(`SELECT FROM docket.session WHERE ${isOwn}`)).rowCount, 0)
  assert.notEqual((await query('SELECT FROM docket.session')).rowCount, 0)
})

test('a user has at most 100 sessions, of which the oldest ends', async () => {
  const first = await signedIn(service, users.nobody)
  await query(
    `INSERT INTO docket.session (digest, user_id, expires_at)
     SELECT n::text, s.user_id, now() + interval '1 hour'
     FROM generate_series(1, 99) n, (SELECT id AS user_id FROM records."user" WHERE email = '${users.nobody}') s`,
  )
  assert.equal(await statusOf(first), 200)
  const last = await signedIn(service, users.nobody)
  await until('the oldest session is rejected', isRejected(first))
  assert.equal((await listOf(last)).length, 100)
})

test('the use of a session is stored once a minute', async () => {
  const { browser, isOwn } = await signInNewly()
  await query(`UPDATE docket.session SET last_used_at = now() - interval '2 hours' WHERE ${isOwn}`)
  assert.equal(await statusOf(browser), 200)
  await until('the use is stored', async () => {
    const { rowCount } = await query(
      `SELECT FROM docket.session WHERE ${isOwn} AND last_used_at > now() - interval '1 minute'`,
    )
    return rowCount === 1
  })
})

test('a stream that authenticates its request again does not use the session again', async () => {
  const { browser, isOwn } = await signInNewly()
  const { connectionString } = service.database
  const observe = () => undefined
  // One connection, on which statements run in order.
  const pool = createPool({ connectionString, size: 1, observe })
  let passedMs = 0
  const sessions = createSessions({
    config: service.config,
    pool,
    callers: createCallerCache(),
    observe,
    now: () => Date.now() + passedMs,
  })
  const age = () =>
    pool.query(`UPDATE docket.session SET last_used_at = now() - interval '1 day' WHERE ${isOwn}`)
  const isOld = async () => {
    const { rows } = await pool.query<{ old: boolean }>(
      `SELECT last_used_at < now() - interval '1 hour' AS old FROM docket.session WHERE ${isOwn}`,
    )
    return rows[0]?.old
  }
  const server = fastify()
  server.get('/', async (request) => {
    const states = []
    await age()
    for (const passed of [0, 0, 120_000]) {
      passedMs += passed
      await sessions.authenticate(request)
      states.push(await isOld())
      await age()
    }
    return states
  })
  const stream = at(await server.listen({ host: '127.0.0.1', port: 0 }), browser)
  for (let requests = 0; requests < 2; requests++) {
    assert.deepEqual((await stream.send('GET', '/')).json(), [false, true, true])
    passedMs += 120_000
  }
  await server.close()
  await pool.end()
})

test('a cookie that is not of this service is a 401', async () => {
  const browser = openBrowser(service)
  const host = new URL(service.url).host
  for (const value of ['', 'x', 'x'.repeat(43), '"', `${'x'.repeat(43)}'`]) {
    browser.cookies.set(host, new Map([['docket', value]]))
    assert.equal(await statusOf(browser), 401, value)
  }
})

test('a request with a token has no session to see or end', async () => {
  for (const method of ['GET', 'DELETE']) {
    const reply = await service.ask(method, '/console/-/session')
    assert.deepEqual([reply.status, reply.json().code], [404, 'session.unknown'])
  }
})
