/** Passwords: an invitation sets one, it signs in, it is changed, and it cannot be guessed. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countFailure } from '../../../src/auth/passwords/password-store.ts'
import { insertPerson } from '../../support/a-person.ts'
import { sharedProject } from '../../support/a-project.ts'
import { withWholeHashes } from '../../support/cheap-hashes.ts'
import { connectionOf } from '../../support/database.ts'
import { type Browser, openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import { givePassword, goodPassword as good } from '../../support/sessions/a-password.ts'
import { until } from '../../support/wait.ts'

const service = await sharedProject()
const { pool } = service.database

let people = 0

/** A user of their own, by e-mail. */
const addPerson = async (values: { readonly full_name?: string } = {}) => {
  people += 1
  const name = `password-${people}`
  return { id: await insertPerson(pool, name, 'buyer', values), email: `${name}@example.com` }
}

const codeOf = (link: string): string => new URL(link).hash.replace('#invitation=', '')

const invite = async (userId: number) => {
  const reply = await service.ask('POST', '/api/invitations', { body: { user_id: userId } })
  const { id, link } = reply.json(201)
  return { id: Number(id), code: codeOf(link) }
}

const accept = (code: string, password = good, browser = openBrowser(service)) =>
  browser.send('POST', '/console/-/invitation/accept', { body: { code, password } })
const signIn = (name: string, password = good, browser = openBrowser(service)) =>
  browser.send('POST', '/console/-/session/password', { body: { name, password } })
const statusOfMe = async (browser: Browser) => (await browser.send('GET', '/api/me')).status

/** A user with a password, and a browser in which they have signed in. */
const addMember = async () => {
  const person = await addPerson()
  const browser = openBrowser(service)
  await givePassword(pool, person.id)
  ;(await signIn(person.email, good, browser)).json(200)
  return { ...person, browser }
}

const openInvitations = async (userId: number) => {
  const { data } = (await service.ask('GET', '/api/invitations')).json(200)
  return data.filter(({ user }: { user: { id: number } }) => user.id === userId)
}

describe('an invitation', () => {
  test('says whom it is for, sets the password once, and signs in', async () => {
    const { id, email } = await addPerson({ full_name: 'Zoë Marić' })
    const { code } = await invite(id)
    const [open] = await openInvitations(id)
    assert.deepEqual([open.user.email, open.invited_by.full_name], [email, 'Administrator'])
    const browser = openBrowser(service)
    const look = () => browser.send('POST', '/console/-/invitation', { body: { code } })
    assert.deepEqual((await look()).json(200), { full_name: 'Zoë Marić', email })
    await look()
    const started = (await accept(code, good, browser)).json(200)
    assert.deepEqual([started.user_id, started.may_switch], [id, false])
    assert.equal((await browser.send('GET', '/api/me')).json().id, id)
    assert.deepEqual(await openInvitations(id), [])
    for (const reply of [await look(), await accept(code)])
      assert.match(reply.json(401).detail, /wrong, was used or revoked, or is older than 72 hours/)
  })

  test('works once for two at the same moment', async () => {
    const { code } = await invite((await addPerson()).id)
    const replies = await Promise.all([accept(code), accept(code)])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
  })

  test('is replaced by the next one, can be revoked, and ends after 72 hours', async () => {
    const { id } = await addPerson()
    const first = await invite(id)
    const second = await invite(id)
    assert.equal((await accept(first.code)).status, 401)
    assert.equal((await service.ask('DELETE', `/api/invitations/${second.id}`)).status, 204)
    assert.equal((await service.ask('DELETE', `/api/invitations/${second.id}`)).status, 404)
    assert.equal((await accept(second.code)).status, 401)
    const third = await invite(id)
    await pool.query(
      `UPDATE docket.one_time_code SET expires_at = expires_at - interval '72 hours' WHERE user_id = $1`,
      [id],
    )
    assert.equal((await accept(third.code)).status, 401)
    assert.deepEqual(await openInvitations(id), [])
  })

  test('is for users who may sign in', async () => {
    const { id } = await addPerson()
    const { code } = await invite(id)
    await pool.query('UPDATE records."user" SET is_blocked = true WHERE id = $1', [id])
    assert.equal((await accept(code)).status, 401)
    const again = await service.ask('POST', '/api/invitations', { body: { user_id: id } })
    assert.match(again.json(404).detail, /no active user/)
  })

  test('replaces a password, and ends all sessions of the user', async () => {
    const { id, email, browser } = await addMember()
    const { code } = await invite(id)
    // Nothing has changed until the link is used.
    assert.equal((await signIn(email)).status, 200)
    assert.equal((await accept(code, 'another horse battery')).status, 200)
    assert.equal(await statusOfMe(browser), 401)
    assert.equal((await signIn(email)).status, 401)
    assert.equal((await signIn(email, 'another horse battery')).status, 200)
  })

  test('refuses passwords that are guessed first, and is not used up by them', async () => {
    const { id, email } = await addPerson({ full_name: 'Maximilian Brandt' })
    const { code } = await invite(id)
    const refused: readonly (readonly [string, RegExp])[] = [
      ['eleven char', /has 11 characters, at least 12 are needed/],
      ['Maximilian Brandt', /name or the address/],
      ['Password1234!', /common password/],
      ['Records under test!', /name of the service/],
      ['www.Example.com', /address of its user/],
      ['123456789012', /common password/],
      [`${email}1`, /name or the address/],
      ['ababababababab', /fewer than 5 different characters/],
    ]
    for (const [password, message] of refused) {
      const [issue] = (await accept(code, password)).json(400).errors
      assert.deepEqual([issue.path, message.test(issue.message)], ['password', true], password)
    }
    assert.equal((await accept(code, 'x'.repeat(201))).status, 400)
    assert.equal((await accept(code)).status, 200)
  })
})

describe('a password', () => {
  test('signs in by e-mail or user name in any case, and in any form of its characters', async () => {
    const { id, email } = await addPerson()
    await accept((await invite(id)).code, 'größere Flusspferde'.normalize('NFD'))
    const named = { body: { username: `zo\u00EB-${id}@example.com` } }
    const changed = await service.ask('PATCH', `/user/${id}`, named)
    assert.equal(changed.status, 200, changed.text)
    const names = [email, email.toUpperCase(), ` ZOE\u0308-${id}@example.com`]
    for (const name of names) {
      const browser = openBrowser(service)
      const started = (await signIn(name, 'größere Flusspferde'.normalize('NFC'), browser)).json(
        200,
      )
      assert.equal(started.user_id, id)
      assert.equal(await statusOfMe(browser), 200)
    }
  })

  test('that is wrong is answered like a user who does not exist, is blocked, or has none', async () => {
    const { email } = await addMember()
    const blocked = await addMember()
    await pool.query('UPDATE records."user" SET is_blocked = true WHERE id = $1', [blocked.id])
    const answers = [
      await signIn(email, 'wrong horse battery'),
      await signIn('nobody-at-all@example.com'),
      await signIn(blocked.email),
      await signIn((await addPerson()).email),
    ]
    const told = answers.map((reply) => {
      const { requestId: _id, ...rest } = reply.json(401)
      return { ...rest, cookies: reply.headers.getSetCookie() }
    })
    for (const one of told) assert.deepEqual(one, told[0])
  })

  test('is stored as a hash of Argon2id with a salt of its own', () =>
    withWholeHashes(async () => {
      const people = [await addPerson(), await addPerson()]
      for (const { id } of people) (await accept((await invite(id)).code)).json(200)
      const { rows } = await pool.query(
        'SELECT hash FROM docket.password WHERE user_id = ANY ($1)',
        [people.map(({ id }) => id)],
      )
      for (const { hash } of rows) assert.match(hash, /^\$argon2id\$v=19\$m=65536,t=2,p=1\$/)
      assert.notEqual(rows[0].hash, rows[1].hash)
      // It was computed as it says.
      for (const { email } of people) (await signIn(email)).json(200)
    }))

  test('belongs to a name without control characters', async () => {
    const [issue] = (await signIn('a\u0000b')).json(400).errors
    assert.deepEqual([issue.path, /control character NUL/.test(issue.message)], ['name', true])
  })

  test('is sent by a page of the service alone', async () => {
    const { email } = await addMember()
    const reply = await openBrowser(service).send('POST', '/console/-/session/password', {
      body: { name: email, password: good },
      headers: { 'Sec-Fetch-Site': 'cross-site' },
    })
    assert.match(reply.json(401).detail, /Only a page of this service/)
  })

  test('is changed with the former one, which ends the other sessions', async () => {
    const { email, browser } = await addMember()
    const other = openBrowser(service)
    await signIn(email, good, other)
    const change = (password: string, new_password: string) =>
      browser.send('PUT', '/console/-/password', { body: { password, new_password } })
    assert.deepEqual(
      (await change('wrong horse battery', 'a new horse battery')).json(400).errors,
      [{ path: 'password', message: 'is not your password' }],
    )
    assert.equal((await change(good, 'short')).json(400).errors[0].path, 'new_password')
    assert.equal((await change(good, 'a new horse battery')).status, 204)
    assert.deepEqual([await statusOfMe(browser), await statusOfMe(other)], [200, 401])
    assert.deepEqual(
      [(await signIn(email)).status, (await signIn(email, 'a new horse battery')).status],
      [401, 200],
    )
  })

  test('is changed by its user alone', async () => {
    const body = { password: good, new_password: 'a new horse battery' }
    const send = (browser: Browser) => browser.send('PUT', '/console/-/password', { body })
    assert.match((await send(await signedIn(service))).json(403).detail, /You have no password/)
    const { id } = await addMember()
    const administrator = await signedIn(service)
    const switched = { body: { user_id: id } }
    assert.equal((await administrator.send('POST', '/console/-/session', switched)).status, 200)
    assert.match((await send(administrator)).json(403).detail, /acts as another user/)
    const token = await service.ask('PUT', '/console/-/password', { body })
    assert.equal(token.status, 401)
  })
})

describe('what is on its way while a password is replaced', () => {
  /** Replaces the password and ends the sessions when the former one was checked, and its row is waited for. */
  const replaceDuring = async (id: number, send: () => Promise<{ readonly status: number }>) => {
    const connection = await connectionOf(pool)
    await connection.query('BEGIN')
    await connection.query('SELECT FROM docket.password WHERE user_id = $1 FOR UPDATE', [id])
    const sent = send()
    await until('the request waits for the password', async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%docket.password%'`,
      )
      return rows.length > 0
    })
    await connection.query(`UPDATE docket.password SET hash = 'another' WHERE user_id = $1`, [id])
    await connection.query('DELETE FROM docket.session WHERE user_id = $1', [id])
    await connection.query('COMMIT')
    return sent
  }

  test('a sign-in with the former one starts no session', async () => {
    const { id, email } = await addMember()
    assert.equal((await replaceDuring(id, () => signIn(email))).status, 401)
    const { rows } = await pool.query('SELECT FROM docket.session WHERE user_id = $1', [id])
    assert.equal(rows.length, 0)
  })

  test('a change with the former one changes nothing', async () => {
    const { id, browser } = await addMember()
    const body = { password: good, new_password: 'a new horse battery' }
    const change = () => browser.send('PUT', '/console/-/password', { body })
    assert.equal((await replaceDuring(id, change)).status, 400)
  })
})

describe('guesses', () => {
  /** What waits for time: as if the pause of a name had passed. */
  const passPauses = () =>
    pool.query(`UPDATE docket.failed_sign_in SET open_at = open_at - interval '1 hour'`)

  test('wait after five failures, and keep nobody out of a browser in which they have signed in', async () => {
    const { email, browser } = await addMember()
    const guess = (index: number) => signIn(email, `guessed horse ${index}`)
    const statuses = []
    for (let index = 0; index < 8; index += 1) statuses.push((await guess(index)).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
    const paused = await signIn(email)
    assert.equal(paused.status, 429)
    assert.match(paused.headers.get('retry-after') ?? '', /^([1-9]|[12]\d|30)$/)
    assert.equal((await signIn(email, good, browser)).status, 200)
    await passPauses()
    assert.equal((await guess(9)).status, 401)
    assert.match((await guess(10)).headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/)
    await passPauses()
    assert.equal((await signIn(email)).status, 200)
    assert.equal((await guess(11)).status, 401)
  })

  test('are counted before they are checked, also many at once', async () => {
    const { email } = await addMember()
    const guesses = Array.from({ length: 25 }, (_, index) => signIn(email, `horse number ${index}`))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    assert.ok(statuses.filter((status) => status === 401).length <= 5, String(statuses))
    assert.ok(
      statuses.every((status) => [401, 429, 503].includes(status)),
      String(statuses),
    )
  })

  test('that wait for the count of others are refused', async () => {
    const target = 'a target of this test'
    const connection = await connectionOf(pool)
    await connection.query('BEGIN')
    for (let index = 0; index < 5; index += 1) await countFailure(connection, target)
    const waiting = [1, 2, 3].map(() => countFailure(pool, target))
    await until('they wait for the row', async () => {
      const { rows } = await pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%failed_sign_in%'`,
      )
      return rows.length === 3
    })
    await connection.query('COMMIT')
    assert.ok((await Promise.all(waiting)).every((seconds) => Number(seconds) >= 1))
  })

  test('at a name that nobody has wait in the same way', async () => {
    const statuses = []
    for (let index = 0; index < 7; index += 1)
      statuses.push((await signIn('absent@example.com', `guessed horse ${index}`)).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
  })

  test('at the password of a session wait, too', async () => {
    const { browser } = await addMember()
    const body = { password: 'guessed horse 1', new_password: 'a new horse battery' }
    const statuses = []
    for (let index = 0; index < 7; index += 1)
      statuses.push((await browser.send('PUT', '/console/-/password', { body })).status)
    assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429, 429])
  })
})
