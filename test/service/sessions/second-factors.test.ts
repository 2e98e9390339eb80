/** Second factors of passwords: an app, recovery codes, and roles that need one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { codeAt, readBase32 } from '../../../src/auth/second-factor/codes.ts'
import { lockSignIns, storeApp } from '../../../src/auth/second-factor/second-factor-store.ts'
import { addRole, insertPerson } from '../../support/a-person.ts'
import { opened } from '../../support/afterwards.ts'
import { orderProject } from '../../support/console/an-order-project.ts'
import { connectionOf } from '../../support/database.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { type Browser, openBrowser } from '../../support/sessions/a-browser.ts'
import { givePassword, goodPassword as good } from '../../support/sessions/a-password.ts'
import { openAuthenticator } from '../../support/sessions/an-authenticator.ts'
import { auditEventsOf } from '../../support/sessions/audit-events.ts'
import { until } from '../../support/wait.ts'

const role = (key: string) => ({
  [`roles/${key}.json`]: { key, name: key, permissions: { customer: { read: true } } },
})
const files = {
  ...orderProject,
  ...role('clerk'),
  ...role('keeper'),
  'docket.json': { name: 'Shop', signIn: { secondFactorFor: ['administrator', 'keeper'] } },
}

const service = opened(() => startTestService(files))
/** Another process of the same database. */
const second = opened(() => startTestService(files, {}, service.database))
let people = 0

const post = (browser: Browser, path: string, body?: unknown) =>
  browser.send('POST', `/console/-/${path}`, body === undefined ? {} : { body })

const addPerson = async (roleKey: string) => {
  people += 1
  const name = `factor-${people}`
  return {
    id: await insertPerson(service.database.pool, name, roleKey),
    email: `${name}@example.com`,
  }
}

const invite = async (userId: number): Promise<string> => {
  const reply = await service.ask('POST', '/api/invitations', { body: { user_id: userId } })
  return new URL(reply.json(201).link).hash.replace('#invitation=', '')
}

const acceptedBy = async (userId: number, browser = openBrowser(service)) => ({
  browser,
  reply: await post(browser, 'invitation/accept', { code: await invite(userId), password: good }),
})

const signIn = (email: string, browser = openBrowser(service), password = good) =>
  post(browser, 'session/password', { name: email, password })

const statusOfMe = async (browser: Browser) => (await browser.send('GET', '/api/me')).status

const currentStep = () => Math.floor(Date.now() / 30_000)
const codeOf = (key: string, later = 0) => codeAt(readBase32(key), currentStep() + later)

/** As if steps of time had passed since the last code of a user. */
const passSteps = (userId: number) =>
  service.database.pool.query(
    'UPDATE docket.second_factor SET last_step = last_step - 5 WHERE user_id = $1',
    [userId],
  )

const setApp = async (browser: Browser) => {
  const { key, address } = (await post(browser, 'second-factor/key')).json(200)
  assert.ok(address.includes(`secret=${key}`))
  const body = { key, code: codeOf(key) }
  const { codes } = (await browser.send('PUT', '/console/-/second-factor', { body })).json(200)
  return { key: String(key), codes: codes as readonly string[] }
}

/** A clerk with a password and an app, and the browser in which they have set it up. */
const addMember = async () => {
  const person = await addPerson('clerk')
  await givePassword(service.database.pool, person.id)
  const browser = openBrowser(service)
  await signIn(person.email, browser)
  const app = await setApp(browser)
  await passSteps(person.id)
  return { ...person, ...app, browser }
}

/** A browser whose password was right. */
const halfway = async (email: string, at: TestService = service) => {
  const browser = openBrowser(at)
  const reply = await signIn(email, browser)
  assert.equal(reply.json(202).next, 'second-factor')
  return browser
}

const confirm = (browser: Browser, code: string) => post(browser, 'session/second-factor', { code })

describe('an app', () => {
  test('is asked after the password, and only then there is a session', async () => {
    const { id, email, key } = await addMember()
    const browser = await halfway(email)
    assert.equal(await statusOfMe(browser), 401)
    assert.equal((await confirm(browser, '000000')).status, 401)
    assert.equal((await confirm(openBrowser(service), codeOf(key))).status, 404)
    assert.equal((await confirm(browser, codeOf(key))).json(200).user_id, id)
    assert.equal(await statusOfMe(browser), 200)
    assert.equal((await confirm(browser, codeOf(key, 1))).status, 404)
  })

  test('shows codes that count once, also for two processes at once', async () => {
    const { id, email, key } = await addMember()
    const browsers = [await halfway(email), await halfway(email, second)]
    const step = currentStep()
    const [now, next] = [codeAt(readBase32(key), step), codeAt(readBase32(key), step + 1)]
    const replies = await Promise.all(browsers.map((browser) => confirm(browser, now)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
    assert.equal((await confirm(await halfway(email), now)).status, 401)
    // The next one counts already, because clocks differ; then an earlier one is used up.
    assert.equal((await confirm(await halfway(email), next)).status, 200)
    assert.equal((await confirm(await halfway(email), now)).status, 401)
    await passSteps(id)
    assert.equal((await confirm(await halfway(email), codeOf(key))).status, 200)
  })

  test('is guessed no faster than a password, and others keep nobody out of a known browser', async () => {
    const { email, key, browser: known } = await addMember()
    const browser = await halfway(email)
    const statuses = []
    for (let index = 0; index < 7; index += 1)
      statuses.push((await confirm(browser, '000000')).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
    // A right password does not forget wrong codes.
    assert.equal((await confirm(await halfway(email), codeOf(key))).status, 429)
    await post(known, 'session/password', { name: email, password: good })
    assert.equal((await confirm(known, codeOf(key))).status, 200)
  })

  test('ends the other sessions when it is set up and when it is removed, and keeps the own', async () => {
    const { email, browser } = await addMember()
    const other = await halfway(email)
    await browser.send('DELETE', '/console/-/second-factor')
    assert.equal((await confirm(other, '000000')).status, 404)
    const next = openBrowser(service)
    assert.equal((await signIn(email, next)).status, 200)
    await setApp(browser)
    assert.deepEqual([await statusOfMe(browser), await statusOfMe(next)], [200, 401])
    const { app_since, recovery_codes } = (
      await browser.send('GET', '/console/-/credentials')
    ).json(200)
    assert.deepEqual([typeof app_since, recovery_codes], ['string', 10])
  })

  test('is set up only with a code that it shows', async () => {
    const { id } = await addPerson('clerk')
    const { browser } = await acceptedBy(id)
    const { key } = (await post(browser, 'second-factor/key')).json(200)
    const put = (body: object) => browser.send('PUT', '/console/-/second-factor', { body })
    assert.equal((await put({ key, code: '000000' })).json(400).errors[0].path, 'code')
    assert.equal((await put({ key: 'short', code: codeOf(key) })).status, 400)
    assert.equal((await put({ key, code: codeOf(key) })).status, 200)
  })

  test('is removed by the invitation of a user who has lost it, with the recovery codes', async () => {
    const { id, email } = await addMember()
    const waiting = await halfway(email)
    const { reply } = await acceptedBy(id)
    assert.equal(reply.status, 200)
    assert.equal((await confirm(waiting, '000000')).status, 404)
    assert.equal((await signIn(email)).status, 200)
    const { rows } = await service.database.pool.query(
      'SELECT FROM docket.recovery_code WHERE user_id = $1',
      [id],
    )
    assert.equal(rows.length, 0)
  })

  test('that is set up while a sign-in is on its way is asked for', async () => {
    const { pool } = service.database
    const { id, email } = await addPerson('clerk')
    await acceptedBy(id)
    const connection = await connectionOf(pool)
    await connection.query('BEGIN')
    await lockSignIns(connection, id)
    const sent = signIn(email)
    await until('the sign-in waits for the user', async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'`,
      )
      return rows.length > 0
    })
    await storeApp(connection, { userId: id, key: readBase32('A'.repeat(32)), step: currentStep() })
    await connection.query('COMMIT')
    assert.equal((await sent).json().code, 'request.contended')
    assert.equal((await signIn(email)).json(202).next, 'second-factor')
  })

  test('takes no code of an app that is replaced meanwhile', async () => {
    const { pool } = service.database
    const { id, email, key } = await addMember()
    const browser = await halfway(email)
    const connection = await connectionOf(pool)
    await connection.query('BEGIN')
    await storeApp(connection, { userId: id, key: readBase32('A'.repeat(32)), step: 1 })
    const sent = confirm(browser, codeOf(key))
    await untilWaitingForLock(pool)
    await connection.query('COMMIT')
    assert.equal((await sent).status, 401)
  })

  test('is asked for a proof in place of the password', async () => {
    const { id, key, browser } = await addMember()
    await service.database.pool.query(
      `UPDATE docket.session SET proven_at = proven_at - interval '11 minutes' WHERE user_id = $1`,
      [id],
    )
    const remove = async () => (await browser.send('DELETE', '/console/-/second-factor')).status
    const byPassword = await post(browser, 'session/proof', { password: good })
    assert.match(byPassword.json(400).errors[0].message, /code of your authenticator app/)
    assert.equal(await remove(), 403)
    const body = { password: good, new_password: 'another horse battery' }
    const change = () => browser.send('PUT', '/console/-/password', { body })
    assert.equal((await change()).json(403).code, 'caller.not-proven')
    assert.equal((await post(browser, 'session/proof', { code: codeOf(key) })).status, 204)
    assert.equal((await change()).status, 204)
    assert.equal(await remove(), 204)
  })

  test('does not help who is blocked meanwhile', async () => {
    const { id, email, key } = await addMember()
    const browser = await halfway(email)
    await service.database.pool.query('UPDATE records."user" SET is_blocked = true WHERE id = $1', [
      id,
    ])
    assert.equal((await confirm(browser, codeOf(key))).status, 404)
  })
})

describe('recovery codes', () => {
  test('sign in once each, also with two at once, and are replaced by new ones', async () => {
    const { email, codes, browser } = await addMember()
    const [first = '', other = ''] = codes
    const browsers = [await halfway(email), await halfway(email, second)]
    const replies = await Promise.all(browsers.map((one) => confirm(one, first)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
    const typed = other.toUpperCase().replaceAll('-', '')
    assert.equal((await confirm(await halfway(email), typed)).status, 200)
    const { codes: next } = (await post(browser, 'recovery-codes')).json(200)
    assert.equal((await confirm(await halfway(email), codes[2] ?? '')).status, 401)
    assert.equal((await confirm(await halfway(email), next[0])).status, 200)
  })

  test('are in the audit, as is the app: set up, used, refused and removed', async () => {
    const { id, email, codes, browser } = await addMember()
    const { length } = await auditEventsOf(service, id)
    const refused = await halfway(email)
    assert.equal((await confirm(refused, '000000')).status, 401)
    assert.equal((await confirm(refused, codes[0] ?? '')).status, 200)
    await post(browser, 'recovery-codes')
    assert.equal((await browser.send('DELETE', '/console/-/second-factor')).status, 204)
    const events = await auditEventsOf(service, id)
    assert.deepEqual(events.slice(length), [
      ['refuseSignIn', { way: 'secondFactor', reason: 'wrong' }],
      ['signIn', { way: 'secondFactor' }],
      ['changeCredential', { credential: 'recovery codes', change: 'added' }],
      ['changeCredential', { credential: 'app', change: 'removed' }],
    ])
    assert.deepEqual(events[length - 1], [
      'changeCredential',
      { credential: 'app', change: 'added' },
    ])
  })

  test('are stored as digests', async () => {
    const { id, codes } = await addMember()
    const { rows } = await service.database.pool.query(
      'SELECT digest FROM docket.recovery_code WHERE user_id = $1',
      [id],
    )
    assert.equal(rows.length, 10)
    for (const { digest } of rows) {
      assert.match(digest, /^[0-9a-f]{64}$/)
      assert.ok(!codes.includes(digest))
    }
  })

  test('are of an app', async () => {
    const { id } = await addPerson('clerk')
    const { browser } = await acceptedBy(id)
    assert.equal((await post(browser, 'recovery-codes')).status, 404)
  })
})

describe('a role that needs a second factor', () => {
  test('leads to an app before anything else, and the invitation and the password do not sign in', async () => {
    const { id, email } = await addPerson('keeper')
    const { reply, browser } = await acceptedBy(id)
    assert.deepEqual(reply.json(202), { next: 'set-up', has_app: false, has_passkeys: false })
    assert.equal(await statusOfMe(browser), 401)
    assert.equal((await browser.send('GET', '/console/-/credentials')).status, 401)
    assert.equal((await confirm(browser, '000000')).status, 401)
    const again = openBrowser(service)
    assert.equal((await signIn(email, again)).json(202).next, 'set-up')
    const { key } = await setApp(again)
    assert.equal((await again.send('GET', '/api/me')).json(200).id, id)
    // What began before has ended: it must not replace the app.
    assert.equal((await post(browser, 'second-factor/key')).status, 404)
    await passSteps(id)
    assert.equal((await confirm(await halfway(email), codeOf(key))).status, 200)
  })

  test('leads to a passkey as well, which then stands after the password', async () => {
    const { id, email } = await addPerson('keeper')
    const { browser } = await acceptedBy(id)
    const device = openAuthenticator(`http://localhost:${new URL(service.url).port}`)
    const options = (await post(browser, 'passkeys/challenge')).json(200)
    const made = await post(browser, 'passkeys', { name: 'Key', passkey: device.create(options) })
    assert.equal(made.status, 201)
    assert.equal(await statusOfMe(browser), 200)
    const waiting = openBrowser(service)
    assert.deepEqual((await signIn(email, waiting)).json(202), {
      next: 'second-factor',
      has_app: false,
      has_passkeys: true,
    })
    assert.equal((await post(waiting, 'passkeys/challenge')).status, 404)
    const proof = device.sign((await post(waiting, 'session/passkey/challenge')).json(200))
    assert.equal((await post(waiting, 'session/passkey', proof)).json(200).user_id, id)
  })

  test('may be a further one of the user, and other roles need none', async () => {
    const { id, email } = await addPerson('clerk')
    assert.equal((await acceptedBy(id)).reply.status, 200)
    await addRole(service.database.pool, id, 'keeper')
    assert.equal((await signIn(email)).json(202).next, 'set-up')
  })

  test('replaces a session of another user that the browser had', async () => {
    const clerk = await addPerson('clerk')
    const { browser } = await acceptedBy(clerk.id)
    const keeper = await addPerson('keeper')
    await acceptedBy(keeper.id, browser)
    assert.equal(await statusOfMe(browser), 401)
    await setApp(browser)
    assert.equal((await browser.send('GET', '/api/me')).json(200).id, keeper.id)
  })

  test('tells nothing to who does not know the password', async () => {
    const { email } = await addMember()
    const { requestId: _one, ...wrong } = (
      await signIn(email, openBrowser(service), 'wrong horse battery')
    ).json(401)
    const { requestId: _other, ...unknown } = (await signIn('nobody@example.com')).json(401)
    assert.deepEqual(wrong, unknown)
  })
})
