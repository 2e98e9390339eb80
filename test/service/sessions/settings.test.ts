/** Sessions by the settings of the service: their length, their cookie, and where links do not count. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { startProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import { until } from '../../support/wait.ts'

const services: TestService[] = []
const start = async (environment: Readonly<Record<string, string>>): Promise<TestService> => {
  const service = await startProject(environment)
  services.push(service)
  return service
}
after(() => Promise.all(services.map((service) => service.stop())))

const path = '/console/-/session'

test('with an https address the cookie is bound to its host and to TLS', async () => {
  const service = await start({ PUBLIC_URL: 'https://docket.example.com' })
  const browser = await signedIn(service)
  assert.match(
    browser.lastSet(),
    /^__Host-docket=[\w-]{43}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
  )
  assert.equal((await browser.send('GET', '/api/me')).status, 200)
  const { components } = (await service.ask('GET', '/api/openapi.json')).json()
  assert.equal(components.securitySchemes.cookie.name, '__Host-docket')
  // The cookie without the prefix can be set by anybody on the way.
  const [secret = ''] = [...(browser.cookies.values().next().value?.values() ?? [])]
  const other = openBrowser(service)
  other.cookies.set(new URL(service.url).host, new Map([['docket', secret]]))
  assert.equal((await other.send('GET', '/api/me')).status, 401)
})

test('a session that rests too long ends', async () => {
  const service = await start({ SESSION_IDLE_MINUTES: '5', SESSION_HOURS: '24' })
  const browser = await signedIn(service)
  assert.match(browser.lastSet(), /Max-Age=86400;/)
  const rest = (minutes: number) =>
    service.database.pool.query(
      `UPDATE docket.session SET expires_at = expires_at + interval '1 second',
         last_used_at = now() - make_interval(mins => $1)`,
      [minutes],
    )
  await rest(4)
  assert.equal((await browser.send('GET', '/api/me')).status, 200)
  await until('its use is stored', async () => {
    const { rows } = await service.database.pool.query(
      `SELECT FROM docket.session WHERE last_used_at > now() - interval '1 minute'`,
    )
    return rows.length > 0
  })
  await rest(7)
  await until(
    'the session is rejected',
    async () => (await browser.send('GET', '/api/me')).status === 401,
  )
})

test('beyond a loopback address a link does not sign in, and its sessions have ended; keys do', async () => {
  const service = await start({ HOST: '0.0.0.0' })
  await assert.rejects(signedIn(service), /401.*only with the development issuer/)
  const { key } = await createApiKey(service.database.pool, { userId: 1, name: 'browser' })
  const browser = openBrowser(service)
  assert.equal((await browser.send('POST', path, { body: { api_key: key } })).status, 200)
  assert.equal((await browser.send('GET', '/api/me')).status, 200)
  await service.database.pool.query('UPDATE docket.session SET may_switch = true')
  await until(
    'the session of a link is rejected',
    async () => (await browser.send('GET', '/api/me')).status === 401,
  )
})

test('wrong links, keys and cookies count as wrong credentials of their address', async () => {
  const service = await start({ WRONG_CREDENTIALS_PER_ADDRESS: '9' })
  const known = await signedIn(service)
  assert.equal((await known.send('GET', '/api/me')).status, 200)
  const browser = openBrowser(service)
  const wrong = { code: 'wrong' }
  for (let times = 0; times < 3; times++) {
    assert.equal((await browser.send('POST', path, { body: wrong })).status, 401)
    const key = { api_key: 'docket_wrong' }
    assert.equal((await browser.send('POST', path, { body: key })).status, 401)
    browser.cookies.set(new URL(service.url).host, new Map([['docket', 'x'.repeat(43)]]))
    assert.equal((await browser.send('GET', '/api/me')).status, 401)
    browser.cookies.clear()
  }
  const refused = await browser.send('POST', path, { body: wrong })
  assert.equal(refused.status, 429)
  assert.ok(refused.headers.get('retry-after'))
  assert.equal((await known.send('GET', '/api/me')).status, 200)
  await assert.rejects(signedIn(service), /^Error: 429/)
})

test('a cookie that does not count is no wrong credential', async () => {
  const service = await start({ WRONG_CREDENTIALS_PER_ADDRESS: '3' })
  const browser = await signedIn(service)
  const headers = { 'Sec-Fetch-Site': 'cross-site' }
  for (let times = 0; times < 10; times++)
    assert.equal((await browser.send('GET', '/api/me', { headers })).status, 401)
  assert.equal((await browser.send('GET', '/api/me')).status, 200)
})
