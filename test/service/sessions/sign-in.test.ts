/** Signing in by a development link, by an API key, and as another user. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createApiKey, revokeApiKey } from '../../../src/auth/callers/api-keys.ts'
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { sharedProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { idOf, openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import { until } from '../../support/wait.ts'

const path = '/console/-/session'

let service: TestService
before(async () => {
  service = await sharedProject()
})

const newCode = async (email = 'admin@example.com') =>
  createLoginCode(service.database.pool, await idOf(service, email))

describe('a development link', () => {
  test('signs in as its user, with a cookie that scripts cannot read', async () => {
    const browser = openBrowser(service)
    const reply = await browser.send('POST', path, { body: { code: await newCode() } })
    assert.equal(reply.status, 200, reply.text)
    const { user_id, expires_at, may_switch } = reply.json()
    assert.deepEqual({ user_id, may_switch }, { user_id: 1, may_switch: true })
    const hoursLeft = (Date.parse(expires_at) - Date.now()) / 3_600_000
    assert.ok(hoursLeft > 11 && hoursLeft <= 12.1, expires_at)
    assert.match(
      browser.lastSet(),
      /^docket=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
    )
    const me = await browser.send('GET', '/api/me')
    assert.equal(me.status, 200, me.text)
    assert.equal(me.json().id, 1)
  })

  test('works once, also if two browsers use it at the same moment', async () => {
    const code = await newCode()
    const replies = await Promise.all(
      [1, 2].map(() => openBrowser(service).send('POST', path, { body: { code } })),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
    const again = await openBrowser(service).send('POST', path, { body: { code } })
    assert.equal(again.status, 401)
    assert.match(again.json().detail, /wrong, was used or is older than ten minutes/)
  })

  test('works for ten minutes', async () => {
    const code = await newCode()
    await service.database.pool.query(
      `UPDATE docket.login_code SET expires_at = expires_at - interval '10 minutes'`,
    )
    const reply = await openBrowser(service).send('POST', path, { body: { code } })
    assert.equal(reply.status, 401)
  })

  test('does not sign in a user who is blocked', async () => {
    const code = await newCode(users.nobody)
    const block = (isBlocked: boolean) =>
      service.database.pool.query('UPDATE records."user" SET is_blocked = $1 WHERE email = $2', [
        isBlocked,
        users.nobody,
      ])
    await block(true)
    const reply = await openBrowser(service).send('POST', path, { body: { code } })
    await block(false)
    assert.equal(reply.status, 401)
    assert.match(reply.json().detail, /is blocked/)
  })

  test('and its session are stored as digests only', async () => {
    const code = await newCode()
    const browser = await signedIn(service)
    const [secret = ''] = [...(browser.cookies.values().next().value?.values() ?? [])]
    const { rows } = await service.database.pool.query<{ text: string }>(
      `SELECT s::text AS text FROM docket.session s UNION ALL SELECT c::text FROM docket.login_code c`,
    )
    assert.ok(rows.length >= 2)
    for (const { text } of rows) assert.ok(!text.includes(secret) && !text.includes(code))
  })
})

describe('an API key', () => {
  const newKey = async (email: string) =>
    createApiKey(service.database.pool, { userId: await idOf(service, email), name: 'browser' })

  test('signs in as its user, who cannot switch', async () => {
    const { id, key } = await newKey(users.buyer)
    const browser = openBrowser(service)
    const reply = await browser.send('POST', path, { body: { api_key: key } })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.json().may_switch, false)
    assert.equal((await browser.send('GET', '/api/me')).json().email, users.buyer)
    const shown = (await browser.send('GET', path)).json()
    assert.deepEqual(Object.keys(shown), ['user_id', 'expires_at', 'may_switch'])
    const switching = await browser.send('POST', path, { body: { user_id: 1 } })
    assert.equal(switching.status, 403, switching.text)
    const { rows } = await service.database.pool.query(
      'SELECT last_used_at FROM docket.api_key WHERE id = $1',
      [id],
    )
    assert.ok(rows[0].last_used_at)
  })

  test('that is revoked ends its sessions', async () => {
    const { id, key } = await newKey(users.buyer)
    const browser = openBrowser(service)
    await browser.send('POST', path, { body: { api_key: key } })
    assert.equal((await browser.send('GET', '/api/me')).status, 200)
    await revokeApiKey(service.database.pool, id)
    await until(
      'the session of a revoked key is rejected',
      async () => (await browser.send('GET', '/api/me')).status === 401,
    )
  })

  test('that is wrong, or another kind of credential, is a 401', async () => {
    for (const key of ['docket_wrong', 'eyJhbGciOiJFUzI1NiJ9.e30.x', '']) {
      const reply = await openBrowser(service).send('POST', path, { body: { api_key: key } })
      assert.equal(reply.status, 401, key)
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
      assert.equal(reply.headers.get('set-cookie'), null)
    }
  })
})

describe('another user', () => {
  test('is offered to a session of a link, which becomes theirs and stays able to switch', async () => {
    const browser = await signedIn(service)
    const { users: offered } = (await browser.send('GET', path)).json()
    const buyer = offered.find((one: { role: string }) => one.role === 'buyer')
    assert.deepEqual(Object.keys(buyer), ['id', 'full_name', 'role', 'role_name'])
    // The file of the role has no name.
    assert.equal(buyer.role_name, 'buyer')
    const old = new Map(browser.cookies.values().next().value)
    const reply = await browser.send('POST', path, { body: { user_id: buyer.id } })
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual([reply.json().user_id, reply.json().may_switch], [buyer.id, true])
    assert.equal((await browser.send('GET', '/api/me')).json().id, buyer.id)
    assert.ok((await browser.send('GET', path)).json().users.length > 1)
    const earlier = openBrowser(service)
    earlier.cookies.set(new URL(service.url).host, old)
    assert.equal((await earlier.send('GET', '/api/me')).status, 401)
  })

  test('who does not exist or is inactive is a 401, and the session stays', async () => {
    const browser = await signedIn(service)
    const nobody = await idOf(service, users.nobody)
    const activate = (isActive: boolean) =>
      service.database.pool.query('UPDATE records."user" SET is_active = $1 WHERE id = $2', [
        isActive,
        nobody,
      ])
    await activate(false)
    const { users: offered } = (await browser.send('GET', path)).json()
    assert.ok(offered.every((one: { id: number }) => one.id !== nobody))
    for (const user_id of [nobody, 999_999])
      assert.equal((await browser.send('POST', path, { body: { user_id } })).status, 401)
    await activate(true)
    assert.equal((await browser.send('GET', '/api/me')).json().id, 1)
  })

  test('is nobody for a request without a session', async () => {
    const body = { user_id: 1 }
    assert.equal((await openBrowser(service).send('POST', path, { body })).status, 404)
    const headers = { Authorization: `Bearer ${await service.tokenOf()}` }
    assert.equal((await openBrowser(service).send('POST', path, { body, headers })).status, 404)
  })
})

for (const [what, body] of [
  ['nothing', undefined],
  ['an empty object', {}],
  ['two credentials', { code: 'a', api_key: 'b' }],
  ['another property', { password: 'x' }],
  ['a number as code', { code: 1 }],
  ['an id that is too large', { user_id: 2_147_483_648 }],
  ['an id that is no whole number', { user_id: 1.5 }],
  ['a code that is too long', { code: 'x'.repeat(101) }],
] as const)
  test(`${what} is no credential`, async () => {
    const reply = await openBrowser(service).send('POST', path, { body })
    assert.equal(reply.status, 400, reply.text)
  })

test('a body of more than 4 KiB is not read', async () => {
  const reply = await openBrowser(service).send('POST', path, { body: { code: 'x'.repeat(5000) } })
  assert.equal(reply.status, 413, reply.text)
})
