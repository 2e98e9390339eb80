/** Passkeys: an invitation makes one, it signs in without a name, and its user adds, renames and removes others. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { lockSignIns } from '../../../src/auth/second-factor/second-factor-store.ts'
import { signInWaysOf } from '../../../src/auth/sign-in-ways.ts'
import { insertPerson } from '../../support/a-person.ts'
import { sharedProject } from '../../support/a-project.ts'
import { connectionOf } from '../../support/database.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { type Browser, openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import {
  type Authenticator,
  type Difference,
  openAuthenticator,
} from '../../support/sessions/an-authenticator.ts'
import { auditEventsOf } from '../../support/sessions/audit-events.ts'

const service = await sharedProject()
const { pool } = service.database
const origin = `http://localhost:${new URL(service.url).port}`

const good = 'correct horse battery'
let people = 0

const addPerson = async () => {
  people += 1
  const name = `passkey-${people}`
  return { id: await insertPerson(pool, name, 'buyer'), email: `${name}@example.com` }
}

const invite = async (userId: number): Promise<string> => {
  const reply = await service.ask('POST', '/api/invitations', { body: { user_id: userId } })
  return new URL(reply.json(201).link).hash.replace('#invitation=', '')
}

const post = (browser: Browser, path: string, body?: unknown) =>
  browser.send('POST', `/console/-/${path}`, body === undefined ? {} : { body })

/** Accepts an invitation with a passkey of a device. */
const accept = async (
  code: string,
  device: Authenticator,
  browser = openBrowser(service),
  difference: Difference = {},
) => {
  const options = (await post(browser, 'invitation/passkey/challenge', { code })).json(200)
  const passkey = device.create(options, difference)
  return post(browser, 'invitation/passkey', { code, name: 'Laptop', passkey })
}

const challenge = async (browser: Browser) =>
  (await post(browser, 'session/passkey/challenge')).json(200)

const signIn = async (
  device: Authenticator,
  browser = openBrowser(service),
  difference: Difference = {},
) => post(browser, 'session/passkey', device.sign(await challenge(browser), difference))

const statusOfMe = async (browser: Browser) => (await browser.send('GET', '/api/me')).status

/** A user who has a passkey, with the browser in which they made it. */
const addMember = async () => {
  const person = await addPerson()
  const [browser, device] = [openBrowser(service), openAuthenticator(origin)]
  ;(await accept(await invite(person.id), device, browser)).json(200)
  return { ...person, browser, device }
}

const credentialsOf = async (browser: Browser) =>
  (await browser.send('GET', '/console/-/credentials')).json(200)

/** Adds a passkey to the user of a browser. */
const add = async (browser: Browser, device: Authenticator, name = 'Phone') => {
  const reply = await post(browser, 'passkeys/challenge')
  if (reply.status !== 200) return reply
  return post(browser, 'passkeys', { name, passkey: device.create(reply.json()) })
}

/** As if the last proof was given long ago. */
const forgetProofs = (userId: number) =>
  pool.query(
    `UPDATE docket.session SET proven_at = proven_at - interval '11 minutes' WHERE user_id = $1`,
    [userId],
  )

describe('an invitation', () => {
  test('makes a passkey once, which signs in without a name', async () => {
    const { id, email } = await addPerson()
    const code = await invite(id)
    const [device, browser] = [openAuthenticator(origin), openBrowser(service)]
    const options = (await post(browser, 'invitation/passkey/challenge', { code })).json(200)
    assert.deepEqual(options.rp, { id: 'localhost', name: 'Records under test' })
    assert.deepEqual([options.user.name, options.excludeCredentials], [email, []])
    assert.equal((await accept(code, device, browser)).json(200).user_id, id)
    assert.equal((await browser.send('GET', '/api/me')).json().id, id)
    assert.equal((await signIn(device)).json(200).user_id, id)
    assert.equal((await post(browser, 'invitation/passkey/challenge', { code })).status, 401)
  })

  test('is made in a session that was proven within the last minutes', async () => {
    const { id, browser } = await addMember()
    ;(await service.ask('PATCH', `/user/${id}`, { body: { security_role_id: 1 } })).json(200)
    const body = { user_id: (await addPerson()).id }
    ;(await browser.send('POST', '/api/invitations', { body })).json(201)
    await forgetProofs(id)
    const refused = (await browser.send('POST', '/api/invitations', { body })).json(403)
    assert.equal(refused.code, 'caller.not-proven')
  })

  test('works once for two at the same moment', async () => {
    const code = await invite((await addPerson()).id)
    const begin = async () => {
      const [browser, device] = [openBrowser(service), openAuthenticator(origin)]
      const options = (await post(browser, 'invitation/passkey/challenge', { code })).json(200)
      const body = { code, name: 'Laptop', passkey: device.create(options) }
      return () => post(browser, 'invitation/passkey', body)
    }
    const begun = [await begin(), await begin()]
    const replies = await Promise.all(begun.map((finish) => finish()))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
  })

  test('takes the password, passkeys and sessions of before away, whatever it sets', async () => {
    const { id, email, browser, device } = await addMember()
    const [next, nextBrowser] = [openAuthenticator(origin), openBrowser(service)]
    await post(nextBrowser, 'invitation/accept', { code: await invite(id), password: good })
    assert.deepEqual([await statusOfMe(browser), (await signIn(device)).status], [401, 401])
    assert.deepEqual((await signInWaysOf(pool, [id])).get(id), {
      has_password: true,
      passkeys: 0,
      has_second_factor: false,
    })
    assert.equal((await accept(await invite(id), next)).status, 200)
    assert.equal(await statusOfMe(nextBrowser), 401)
    const byPassword = { name: email, password: good }
    assert.equal((await post(openBrowser(service), 'session/password', byPassword)).status, 401)
    assert.equal((await signIn(next)).status, 200)
  })

  test('is not used up by a wrong passkey', async () => {
    const code = await invite((await addPerson()).id)
    const device = openAuthenticator(origin)
    const wrong: readonly Difference[] = [
      { origin: 'https://evil.example.com' },
      { rpId: 'example.com' },
      { type: 'webauthn.get' },
      { isUnverified: true },
    ]
    for (const difference of wrong) {
      const reply = await accept(code, device, openBrowser(service), difference)
      assert.equal(reply.json(400).errors[0].path, 'passkey', JSON.stringify(difference))
    }
    assert.equal((await accept(code, device)).status, 200)
  })
})

describe('a sign-in by passkey', () => {
  test('answers the same to everything that is wrong', async () => {
    const { id, device } = await addMember()
    const other = await addMember()
    const unknown = openAuthenticator(origin)
    const first = await challenge(openBrowser(service))
    unknown.create({ ...first, rp: { id: 'localhost' }, user: { id: 'MQ' } })
    const wrong: readonly (readonly [Authenticator, Difference])[] = [
      [unknown, {}],
      [device, { origin: 'https://evil.example.com' }],
      [device, { rpId: 'example.com' }],
      [device, { type: 'webauthn.create' }],
      [device, { isUnverified: true }],
      [device, { userHandle: Buffer.from(`${other.id}`).toString('base64url') }],
    ]
    const told = []
    for (const [one, difference] of wrong) {
      const { requestId: _id, ...rest } = (
        await signIn(one, openBrowser(service), difference)
      ).json(401)
      told.push(rest)
    }
    await pool.query('UPDATE records."user" SET is_blocked = true WHERE id = $1', [id])
    const { requestId: _id, ...blocked } = (await signIn(device)).json(401)
    for (const one of told) assert.deepEqual(one, blocked)
  })

  test('uses a challenge once, also with two at once, and only in the browser that has it', async () => {
    const { device } = await addMember()
    const browser = openBrowser(service)
    const proof = device.sign(await challenge(browser))
    assert.equal((await post(openBrowser(service), 'session/passkey', proof)).status, 401)
    const replies = await Promise.all([1, 2].map(() => post(browser, 'session/passkey', proof)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
    assert.equal((await post(browser, 'session/passkey', proof)).status, 401)
  })

  test('takes a counter that falls, and one that stays at nothing', async () => {
    const { id, device } = await addMember()
    for (const counter of [5, 3, 0, 0])
      assert.equal((await signIn(device, openBrowser(service), { counter })).status, 200)
    const { rows } = await pool.query(
      'SELECT counter::integer, last_used_at FROM docket.passkey WHERE user_id = $1',
      [id],
    )
    assert.equal(rows[0].counter, 0)
    assert.ok(rows[0].last_used_at)
  })

  test('is of a page of the service', async () => {
    const headers = { 'Sec-Fetch-Site': 'cross-site' }
    const reply = await openBrowser(service).send('POST', '/console/-/session/passkey/challenge', {
      headers,
    })
    assert.match(reply.json(401).detail, /Only a page of this service/)
  })
})

describe('the own passkeys', () => {
  test('are in the audit: made, used and removed', async () => {
    const { id, browser } = await addMember()
    const phone = openAuthenticator(origin)
    const { id: passkeyId } = (await add(browser, phone)).json(201)
    assert.equal((await signIn(phone)).status, 200)
    await browser.send('DELETE', `/console/-/passkeys/${passkeyId}`)
    const events = await auditEventsOf(service, id)
    assert.deepEqual(events, [
      ['invite', {}],
      ['acceptInvitation', {}],
      ['changeCredential', { credential: 'passkey', change: 'added' }],
      ['signIn', { way: 'invitation' }],
      ['changeCredential', { credential: 'passkey', change: 'added' }],
      ['signIn', { way: 'passkey' }],
      ['changeCredential', { credential: 'passkey', change: 'removed' }],
    ])
  })

  test('are added, named and removed, and a removed one ends the other sessions', async () => {
    const { browser, device } = await addMember()
    const phone = openAuthenticator(origin)
    const added = (await add(browser, phone)).json(201)
    assert.equal(added.name, 'Phone')
    const path = `/console/-/passkeys/${added.id}`
    assert.equal((await browser.send('PATCH', path, { body: { name: 'Blue phone' } })).status, 204)
    const other = openBrowser(service)
    assert.equal((await signIn(phone, other)).status, 200)
    const { passkeys } = await credentialsOf(browser)
    assert.deepEqual(
      passkeys.map((one: { name: string; last_used_at: unknown }) => [
        one.name,
        one.last_used_at !== null,
      ]),
      [
        ['Blue phone', true],
        ['Laptop', false],
      ],
    )
    assert.equal((await browser.send('DELETE', path)).status, 204)
    assert.deepEqual([await statusOfMe(browser), await statusOfMe(other)], [200, 401])
    assert.deepEqual([(await signIn(phone)).status, (await signIn(device)).status], [401, 200])
    assert.equal((await browser.send('DELETE', path)).status, 404)
  })

  test('set no first password in a session that has ended meanwhile', async () => {
    const { id, browser } = await addMember()
    const connection = await connectionOf(pool)
    await connection.query('BEGIN')
    await lockSignIns(connection, id)
    const set = browser.send('PUT', '/console/-/password', { body: { new_password: good } })
    await untilWaitingForLock(pool)
    await connection.query('DELETE FROM docket.session WHERE user_id = $1', [id])
    await connection.query('COMMIT')
    assert.equal((await set).json(403).code, 'caller.not-proven')
  })

  test('are those of their user alone', async () => {
    const [one, other] = [await addMember(), await addMember()]
    const { passkeys } = await credentialsOf(one.browser)
    const path = `/console/-/passkeys/${passkeys[0].id}`
    assert.equal((await other.browser.send('DELETE', path)).status, 404)
    const renamed = await other.browser.send('PATCH', path, { body: { name: 'Mine' } })
    assert.equal(renamed.status, 404)
  })

  test('need a proof of the last minutes, which a passkey or a password gives', async () => {
    const { id, browser, device } = await addMember()
    await forgetProofs(id)
    assert.equal((await credentialsOf(browser)).is_proven, false)
    const refused = await add(browser, openAuthenticator(origin))
    assert.equal(refused.json(403).code, 'caller.not-proven')
    const stranger = await addMember()
    const foreign = { passkey: stranger.device.sign(await challenge(browser)) }
    assert.equal((await post(browser, 'session/proof', foreign)).status, 400)
    const proof = { passkey: device.sign(await challenge(browser)) }
    assert.equal((await post(browser, 'session/proof', proof)).status, 204)
    assert.equal((await post(browser, 'session/proof', proof)).status, 400)
    assert.equal((await add(browser, openAuthenticator(origin))).status, 201)

    const set = await browser.send('PUT', '/console/-/password', { body: { new_password: good } })
    assert.equal(set.status, 204)
    await forgetProofs(id)
    const wrong = await post(browser, 'session/proof', { password: 'wrong horse battery' })
    assert.equal(wrong.status, 400)
    assert.equal((await post(browser, 'session/proof', { password: good })).status, 204)
    assert.equal((await credentialsOf(browser)).is_proven, true)
  })

  test('are not made by an API key, nor by who acts as their user', async () => {
    const { id } = await addMember()
    const { key } = await createApiKey(pool, { userId: id, name: 'test' })
    const browser = openBrowser(service)
    assert.equal((await post(browser, 'session', { api_key: key })).status, 200)
    const refused = await add(browser, openAuthenticator(origin))
    assert.equal(refused.json(403).code, 'caller.not-proven')
    const administrator = await signedIn(service)
    await post(administrator, 'session', { user_id: id })
    const acting = await add(administrator, openAuthenticator(origin))
    assert.match(acting.json(403).detail, /acts as another user/)
  })

  test('are not made by who becomes another user and themselves again', async () => {
    const { id } = await addMember()
    const browser = await signedIn(service)
    const { user_id: self } = (await browser.send('GET', '/console/-/session')).json(200)
    await forgetProofs(self)
    for (const user_id of [id, self, self]) await post(browser, 'session', { user_id })
    const refused = await add(browser, openAuthenticator(origin))
    assert.equal(refused.json(403).code, 'caller.not-proven')
  })

  test('have names that can be read', async () => {
    const { browser } = await addMember()
    const reply = await add(browser, openAuthenticator(origin), 'a\u0000b')
    assert.equal(reply.json(400).errors[0].path, 'name')
  })
})
