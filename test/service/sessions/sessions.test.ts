/** Sessions: their list, their end in every process, and what a blocked user keeps of them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { removeEndedSessions } from '../../../src/auth/sessions/session-store.ts'
import { createListener } from '../../../src/database/listening/listener.ts'
import { createService } from '../../../src/runtime/create-service.ts'
import { sharedProject, users } from '../../support/a-project.ts'
import { afterwards } from '../../support/afterwards.ts'
import type { TestService } from '../../support/service.ts'
import { type Browser, openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import { until } from '../../support/wait.ts'

let service: TestService
/** Another service on the same database, as in another process: with its own cache of callers. */
let elsewhere: { readonly url: string; readonly stop: () => Promise<void> }
before(async () => {
  service = await sharedProject()
  elsewhere = await startSecond(service)
})
after(() => elsewhere.stop())

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

/** The same browser, whose requests are answered by the other service. */
const atOther = ({ cookies }: Browser): Browser => {
  const other = openBrowser(elsewhere)
  for (const jar of cookies.values()) other.cookies.set(new URL(elsewhere.url).host, new Map(jar))
  return other
}

const statusOf = async (browser: Browser) => (await browser.send('GET', '/api/me')).status
const isRejected = (browser: Browser) => async () => (await statusOf(browser)) === 401

const change = (statement: string) => service.database.pool.query(statement)

test('a list shows the sessions of the caller only, and which one it came with', async () => {
  const browser = await signedIn(service, users.buyer)
  await signedIn(service, users.clerk)
  await signedIn(service, users.buyer)
  const { data } = (await browser.send('GET', '/console/-/sessions')).json()
  assert.deepEqual(Object.keys(data[0]), [
    ...['id', 'created_at', 'last_used_at', 'expires_at', 'user_agent', 'is_current'],
  ])
  assert.deepEqual(
    data.map((one: { is_current: boolean }) => one.is_current),
    [false, true],
  )
  const byToken = await service.ask('GET', '/console/-/sessions', { as: users.buyer })
  assert.equal(byToken.json().data.length, 2)
  assert.ok(byToken.json().data.every((one: { is_current: boolean }) => !one.is_current))
})

test('a user agent is cut to 200 characters', async () => {
  const browser = await signedIn(service, users.registrar)
  const headers = { 'User-Agent': 'x'.repeat(5000) }
  await browser.send('POST', '/console/-/session', { body: { user_id: 1 }, headers })
  const { data } = (await browser.send('GET', '/console/-/sessions')).json()
  assert.equal(data[0].user_agent, 'x'.repeat(200))
})

test('signing out ends the session at once, in every process, and removes the cookie', async () => {
  const browser = await signedIn(service)
  const other = atOther(browser)
  assert.equal(await statusOf(other), 200)
  const copy = openBrowser(service)
  for (const [host, jar] of browser.cookies) copy.cookies.set(host, new Map(jar))
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
  const { data } = (await ended.send('GET', '/console/-/sessions')).json()
  const { id } = data.find((one: { is_current: boolean }) => one.is_current)
  const stranger = await signedIn(service, users.clerk)
  assert.equal((await stranger.send('DELETE', `/console/-/sessions/${id}`)).status, 404)
  assert.equal((await browser.send('DELETE', `/console/-/sessions/${id}`)).status, 204)
  assert.equal(await statusOf(ended), 401)
  assert.equal(await statusOf(browser), 200)
  for (const wrong of [id, 999_999, 99_999_999_999])
    assert.equal((await browser.send('DELETE', `/console/-/sessions/${wrong}`)).status, 404)
  assert.equal((await browser.send('DELETE', '/console/-/sessions/x')).status, 400)
})

for (const [what, set] of [
  ['blocked', 'is_blocked = true'],
  ['inactive', 'is_active = false'],
  ['removed', '_is_deleted = true'],
] as const)
  test(`a user who becomes ${what} has no session any more, in every process`, async () => {
    const browser = await signedIn(service, users.otherBuyer)
    const other = atOther(browser)
    for (const one of [browser, other]) assert.equal(await statusOf(one), 200)
    await change(`UPDATE records."user" SET ${set} WHERE email = '${users.otherBuyer}'`)
    for (const one of [browser, other]) await until('the session is rejected', isRejected(one))
    await change(
      `UPDATE records."user" SET is_blocked = false, is_active = true, _is_deleted = false
       WHERE email = '${users.otherBuyer}'`,
    )
    await until('the session counts again', async () => (await statusOf(browser)) === 200)
  })

test('a session ends at its time, and maintenance removes it', async () => {
  const browser = await signedIn(service)
  await change(`UPDATE docket.session SET expires_at = now() - interval '1 second'`)
  await until('the session is rejected', isRejected(browser))
  await removeEndedSessions(service.database.pool)
  const { rowCount } = await change('SELECT FROM docket.session')
  assert.equal(rowCount, 0)
})

test('a user has at most 100 sessions, of which the oldest ends', async () => {
  const first = await signedIn(service, users.nobody)
  await change(
    `INSERT INTO docket.session (digest, user_id, expires_at)
     SELECT n::text, s.user_id, now() + interval '1 hour'
     FROM generate_series(1, 99) n, (SELECT max(user_id) AS user_id FROM docket.session) s`,
  )
  assert.equal(await statusOf(first), 200)
  const last = await signedIn(service, users.nobody)
  await until('the oldest session is rejected', isRejected(first))
  assert.equal((await last.send('GET', '/console/-/sessions')).json().data.length, 100)
})

test('the use of a session is stored once a minute', async () => {
  const browser = await signedIn(service)
  // The use of others, which earlier tests had, may be stored meanwhile.
  const { rows: newest } = await change('SELECT max(id) AS id FROM docket.session')
  const own = `id = ${newest[0].id}`
  await change(`UPDATE docket.session SET last_used_at = now() - interval '2 hours' WHERE ${own}`)
  assert.equal(await statusOf(browser), 200)
  await until('the use is stored', async () => {
    const { rowCount } = await change(
      `SELECT FROM docket.session WHERE ${own} AND last_used_at > now() - interval '1 minute'`,
    )
    return rowCount === 1
  })
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
    assert.equal(reply.status, 404)
    assert.equal(reply.json().code, 'session.unknown')
  }
})
