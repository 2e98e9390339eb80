/** A cookie counts only in requests of pages of the service (CSRF), and under its own host (DNS rebinding). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { createForeignReason } from '../../../src/auth/sessions/cookies.ts'
import { sharedProject } from '../../support/a-project.ts'
import { sendRaw } from '../../support/hostile/raw-http.ts'
import { openBrowser, signedIn } from '../../support/sessions/a-browser.ts'

const service = await sharedProject()
const browser = await signedIn(service)

type Headers = Readonly<Record<string, string | undefined>>

const none = { 'Sec-Fetch-Site': undefined }

describe('a cookie', () => {
  // `own` stands for the address of the service.
  const rows: readonly [headers: Headers, status: number][] = [
    [{}, 200],
    [{ ...none, Origin: 'own' }, 200],
    ...['cross-site', 'same-site', 'none', '', 'same-origin, cross-site'].map(
      (site): [Headers, number] => [{ 'Sec-Fetch-Site': site, Origin: 'own' }, 401],
    ),
    ...['https://evil.example', 'null', 'http://127.0.0.1', undefined].map(
      (Origin): [Headers, number] => [{ ...none, Origin }, 401],
    ),
  ]
  for (const [given, status] of rows)
    test(`${status === 200 ? 'counts' : 'does not count'} with ${inspect(given)}`, async () => {
      const headers = given.Origin === 'own' ? { ...given, Origin: service.url } : given
      const read = await browser.send('GET', '/api/me', { headers })
      assert.equal(read.status, status, read.text)
      const write = await browser.send('POST', '/country', { body: {}, headers })
      assert.equal(write.status, status === 200 ? 422 : 401, write.text)
      if (status === 401) assert.match(read.json().detail, /^Only a page of this service/)
    })
  test('counts by the referring page only where nothing is written', async () => {
    const headers = { ...none, Referer: `${service.url}/console/` }
    assert.equal((await browser.send('GET', '/api/me', { headers })).status, 200)
    const write = await browser.send('POST', '/country', { body: {}, headers })
    assert.equal(write.status, 401)
    const foreign = { ...none, Referer: 'https://evil.example/console/' }
    assert.equal((await browser.send('GET', '/api/me', { headers: foreign })).status, 401)
  })
  test('does not count under the name of another host', async () => {
    const [name = '', value = ''] = [...(browser.cookies.values().next().value ?? [])][0] ?? []
    for (const [host, status] of [
      ['evil.example', 421],
      [new URL(service.url).host, 200],
    ] as const) {
      const send = `GET /api/me HTTP/1.1\r\nHost: ${host}\r\nSec-Fetch-Site: same-origin\r\nCookie: a=b; ${name}=${value}\r\n\r\n`
      const answer = await sendRaw(service.url, { send, until: 'answered' })
      assert.equal(answer.status, status, answer.text)
    }
  })
  test('is ignored together with the header Authorization, also if that is wrong', async () => {
    const headers = { Authorization: 'Bearer docket_wrong' }
    assert.equal((await browser.send('GET', '/api/me', { headers })).status, 401)
    const token = `Bearer ${await service.tokenOf('buyer@example.com')}`
    const me = await browser.send('GET', '/api/me', { headers: { Authorization: token } })
    assert.equal(me.json().email, 'buyer@example.com')
    const foreign = { Authorization: token, 'Sec-Fetch-Site': 'cross-site' }
    assert.equal((await browser.send('GET', '/api/me', { headers: foreign })).status, 200)
  })
  test('is ignored on paths that are open to everybody', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site' }
    assert.equal((await browser.send('GET', '/api/health/live', { headers })).status, 200)
  })
})

test('no other page signs a browser in', async () => {
  const { cookies } = await signedIn(service)
  for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, none, { ...none, Origin: 'null' }]) {
    const stranger = openBrowser(service)
    for (const [host, jar] of cookies) stranger.cookies.set(host, new Map(jar))
    const reply = await stranger.send('POST', '/console/-/session', {
      body: { user_id: 1 },
      headers,
    })
    assert.equal(reply.status, 401, reply.text)
    assert.equal(reply.headers.get('set-cookie'), null)
  }
})

test('a form of another page is not read', async () => {
  const reply = await browser.send('POST', '/console/-/session', {
    body: { user_id: 1 },
    headers: { 'Content-Type': 'text/plain' },
  })
  assert.equal(reply.status, 415)
})

describe('without Sec-Fetch-Site', () => {
  const reasonOf = (PUBLIC_URL: string | undefined, host: string, origin: string) =>
    createForeignReason({ PUBLIC_URL })({ method: 'POST', headers: { host, origin } })

  for (const [publicUrl, host, origin, counts] of [
    ['https://docket.example.com/erp', 'internal:3000', 'https://docket.example.com', true],
    ['https://docket.example.com', 'docket.example.com', 'http://docket.example.com', false],
    ['https://docket.example.com', 'docket.example.com', 'https://docket.example.com:444', false],
    ['https://docket.example.com', 'localhost:3000', 'http://localhost:3000', true],
    [undefined, 'evil.example', 'http://evil.example', false],
    [undefined, 'localhost:3000', 'http://localhost:3001', false],
    [undefined, '[::1]:3000', 'http://[::1]:3000', true],
    [undefined, 'docket.localhost', 'http://docket.localhost', true],
    [undefined, '10.0.0.5:3000', 'http://10.0.0.5:3000', false],
    [undefined, '', 'http://', false],
  ] as const)
    test(`${origin} ${counts ? 'is' : 'is not'} a page of ${publicUrl ?? host}`, () => {
      assert.equal(reasonOf(publicUrl, host, origin) === undefined, counts)
    })
})
