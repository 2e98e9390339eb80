/** Sessions by the settings of the service: their length, their cookie, and where links do not count. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { startProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { type Browser, openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import { until } from '../../support/wait.ts'

const path = '/console/-/session'
const statusOf = async (browser: Browser) => (await browser.send('GET', '/api/me')).status
const setCookie = (browser: Browser, { url }: TestService, value: string) =>
  browser.cookies.set(new URL(url).host, new Map([['docket', value]]))

test('with an https address the cookie is bound to its host and to TLS; a session that rests too long ends', async () => {
  const service = await startProject({
    PUBLIC_URL: 'https://docket.example.com',
    SESSION_IDLE_MINUTES: '5',
    SESSION_HOURS: '24',
  })
  const { key } = await createApiKey(service.database.pool, { userId: 1, name: 'browser' })
  const browser = openBrowser(service)
  assert.equal((await browser.send('POST', path, { body: { api_key: key } })).status, 200)
  assert.match(
    browser.lastSet(),
    /^__Host-docket=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure$/,
  )
  const asKey = { as: null, headers: { Authorization: `Bearer ${key}` } }
  const { components } = (await service.ask('GET', '/api/openapi.json', asKey)).json()
  assert.equal(components.securitySchemes.cookie.name, '__Host-docket')
  // The cookie without the prefix can be set by anybody on the way.
  const [secret = ''] = [...(browser.cookies.values().next().value?.values() ?? [])]
  const other = openBrowser(service)
  setCookie(other, service, secret)
  assert.equal(await statusOf(other), 401)
  const rest = (minutes: number) =>
    service.database.pool.query(
      `UPDATE docket.session SET expires_at = expires_at + interval '1 second',
         last_used_at = now() - make_interval(mins => $1)`,
      [minutes],
    )
  await rest(4)
  assert.equal(await statusOf(browser), 200)
  await until('its use is stored', async () => {
    const { rows } = await service.database.pool.query(
      `SELECT FROM docket.session WHERE last_used_at > now() - interval '1 minute'`,
    )
    return rows.length > 0
  })
  await rest(7)
  await until('the session is rejected', async () => (await statusOf(browser)) === 401)
  await service.stop()
})

test('beyond a loopback address a link does not sign in, and its sessions have ended; keys do', async () => {
  const service = await startProject({ HOST: '0.0.0.0' })
  await assert.rejects(signedIn(service), /401.*only with the development issuer/)
  const { key } = await createApiKey(service.database.pool, { userId: 1, name: 'browser' })
  const browser = openBrowser(service)
  assert.equal((await browser.send('POST', path, { body: { api_key: key } })).status, 200)
  assert.equal(await statusOf(browser), 200)
  await service.database.pool.query('UPDATE docket.session SET may_switch = true')
  await until('the session of a link is rejected', async () => (await statusOf(browser)) === 401)
  await service.stop()
})

test('wrong links, keys and cookies count as wrong credentials of their address, a cookie that does not count is none', async () => {
  const service = await startProject({ WRONG_CREDENTIALS_PER_ADDRESS: '9' })
  const known = await signedIn(service)
  const headers = { 'Sec-Fetch-Site': 'cross-site' }
  for (let times = 0; times < 10; times++)
    assert.equal((await known.send('GET', '/api/me', { headers })).status, 401)
  assert.equal(await statusOf(known), 200)
  const browser = openBrowser(service)
  const wrong = { code: 'wrong' }
  for (let times = 0; times < 3; times++) {
    for (const body of [wrong, { api_key: 'docket_wrong' }])
      assert.equal((await browser.send('POST', path, { body })).status, 401)
    setCookie(browser, service, 'x'.repeat(43))
    assert.equal(await statusOf(browser), 401)
    browser.cookies.clear()
  }
  const refused = await browser.send('POST', path, { body: wrong })
  assert.equal(refused.status, 429)
  assert.ok(refused.headers.get('retry-after'))
  assert.equal(await statusOf(known), 200)
  await assert.rejects(signedIn(service), /^Error: 429/)
  await service.stop()
})
