/** Signing in by a development link, by an API key, and as another user. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createApiKey, revokeApiKey } from '../../../src/auth/callers/api-keys.ts'
import { createLoginCode } from '../../../src/auth/sessions/sign-in.ts'
import { sharedProject, users } from '../../support/a-project.ts'
import { type Browser, idOf, openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import { until } from '../../support/wait.ts'

const path = '/console/-/session'

const service = await sharedProject()

const setUser = (email: string, change: string) =>
  service.database.pool.query(`UPDATE records."user" SET ${change} WHERE email = $1`, [email])
const signIn = (body: object, browser = openBrowser(service)) =>
  browser.send('POST', path, { body })
const meOf = (browser: Browser) => browser.send('GET', '/api/me')

const newCode = async (email = 'admin@example.com') =>
  createLoginCode(service.database.pool, await idOf(service, email))

describe('a development link', () => {
  test('signs in as its user, with a cookie that scripts cannot read', async () => {
    const browser = openBrowser(service)
    const signedIn = await signIn({ code: await newCode() }, browser)
    const { user_id, expires_at, may_switch } = signedIn.json(200)
    assert.deepEqual({ user_id, may_switch }, { user_id: 1, may_switch: true })
    const hoursLeft = (Date.parse(expires_at) - Date.now()) / 3_600_000
    assert.ok(hoursLeft > 11 && hoursLeft <= 12.1, expires_at)
    assert.match(
      browser.lastSet(),
      /^docket=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
    )
    const me = await meOf(browser)
    assert.deepEqual([me.status, me.json().id], [200, 1])
  })

  test('works once, also if two browsers use it at the same moment', async () => {
    const code = await newCode()
    const replies = await Promise.all([signIn({ code }), signIn({ code })])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
    assert.match(
      (await signIn({ code })).json(401).detail,
      /wrong, was used or is older than ten minutes/,
    )
  })

  test('works for ten minutes', async () => {
    const code = await newCode()
    await service.database.pool.query(
      `UPDATE docket.one_time_code SET expires_at = expires_at - interval '10 minutes'`,
    )
    assert.equal((await signIn({ code })).status, 401)
  })

  test('does not sign in a user who is blocked', async () => {
    const code = await newCode(users.nobody)
    await setUser(users.nobody, 'is_blocked = true')
    const reply = await signIn({ code })
    await setUser(users.nobody, 'is_blocked = false')
    assert.equal(reply.status, 401)
    assert.match(reply.json().detail, /wrong, was used/)
  })

  test('and its session are stored as digests only', async () => {
    const code = await newCode()
    const browser = await signedIn(service)
    const [secret = ''] = [...(browser.cookies.values().next().value?.values() ?? [])]
    const { rows } = await service.database.pool.query<{ text: string }>(
      `SELECT s::text AS text FROM docket.session s UNION ALL SELECT c::text FROM docket.one_time_code c`,
    )
    assert.ok(rows.length >= 2)
    for (const { text } of rows) assert.ok(!text.includes(secret) && !text.includes(code))
  })
})

describe('an API key', () => {
  const newKey = async (email: string) =>
    createApiKey(service.database.pool, { userId: await idOf(service, email), name: 'browser' })

  test('signs in as its user, who cannot switch, until it is revoked', async () => {
    const { id, key } = await newKey(users.buyer)
    const browser = openBrowser(service)
    assert.equal((await signIn({ api_key: key }, browser)).json(200).may_switch, false)
    assert.equal((await meOf(browser)).json().email, users.buyer)
    const shown = (await browser.send('GET', path)).json()
    assert.deepEqual(Object.keys(shown), ['user_id', 'expires_at', 'may_switch'])
    assert.equal((await signIn({ user_id: 1 }, browser)).status, 403)
    const { rows } = await service.database.pool.query(
      'SELECT last_used_at FROM docket.api_key WHERE id = $1',
      [id],
    )
    assert.ok(rows[0].last_used_at)
    await revokeApiKey(service.database.pool, id)
    await until(
      'the session of a revoked key is rejected',
      async () => (await meOf(browser)).status === 401,
    )
  })

  test('that is wrong, or another kind of credential, is a 401', async () => {
    for (const key of ['docket_wrong', 'eyJhbGciOiJFUzI1NiJ9.e30.x', '']) {
      const reply = await signIn({ api_key: key })
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
    assert.deepEqual(Object.keys(buyer), ['id', 'full_name', 'role', 'role_name', 'roles'])
    // The file of the role has no name.
    assert.equal(buyer.role_name, 'buyer')
    const old = new Map(browser.cookies.values().next().value)
    const reply = await signIn({ user_id: buyer.id }, browser)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual([reply.json().user_id, reply.json().may_switch], [buyer.id, true])
    assert.equal((await meOf(browser)).json().id, buyer.id)
    const { users: others } = (await browser.send('GET', path)).json()
    assert.deepEqual(
      [...others, buyer].map(({ id }) => id).toSorted(),
      [...offered, { id: 1 }].map(({ id }) => id).toSorted(),
    )
    const earlier = openBrowser(service)
    earlier.cookies.set(new URL(service.url).host, old)
    assert.equal((await meOf(earlier)).status, 401)
  })

  test('who does not exist or is inactive is a 401, and the session stays', async () => {
    const browser = await signedIn(service)
    const nobody = await idOf(service, users.nobody)
    await setUser(users.nobody, 'is_active = false')
    const { users: offered } = (await browser.send('GET', path)).json()
    assert.ok(offered.every((one: { id: number }) => one.id !== nobody))
    for (const user_id of [nobody, 999_999])
      assert.equal((await signIn({ user_id }, browser)).status, 401)
    await setUser(users.nobody, 'is_active = true')
    assert.equal((await meOf(browser)).json().id, 1)
  })

  test('is not the one of the session, who is not offered and refused', async () => {
    const browser = await signedIn(service)
    const { user_id: own, users: offered } = (await browser.send('GET', path)).json()
    assert.ok(offered.every((one: { id: number }) => one.id !== own))
    const refused = await signIn({ user_id: own }, browser)
    assert.equal(refused.status, 403)
    assert.equal(refused.json().detail, 'The session is of this user. Choose another user.')
    assert.equal((await meOf(browser)).json().id, own)
  })

  test('is nobody for a request without a session', async () => {
    const body = { user_id: 1 }
    const headers = { Authorization: `Bearer ${await service.tokenOf()}` }
    for (const more of [{}, { headers }])
      assert.equal((await openBrowser(service).send('POST', path, { body, ...more })).status, 404)
  })
})

test('what is no credential is a 400, and a body of more than 4 KiB is not read', async () => {
  for (const [body, status] of [
    [{}, 400],
    [{ code: 'a', api_key: 'b' }, 400],
    [{ code: 1 }, 400],
    [{ user_id: 2_147_483_648 }, 400],
    [{ user_id: 1.5 }, 400],
    [{ code: 'x'.repeat(101) }, 400],
    [{ code: 'x'.repeat(5000) }, 413],
  ] as const)
    assert.equal((await signIn(body)).status, status, JSON.stringify(body))
})
