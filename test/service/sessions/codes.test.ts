/** Codes by e-mail: one signs in once, in the browser that asked for it, and nobody learns who has an account. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { users } from '../../support/a-project.ts'
import { type Browser, openBrowser } from '../../support/sessions/a-browser.ts'
import { until } from '../../support/wait.ts'
import {
  type MailingService,
  mailTo,
  startMailingService,
  storedTexts,
} from './a-mailing-service.ts'

let mailing: MailingService
before(async () => {
  mailing = await startMailingService()
})
after(() => mailing.stop())

let people = 0

const addPerson = async () => {
  people += 1
  const name = `coded-${people}`
  const id = await insertPerson(mailing.service.database.pool, name, 'buyer', {})
  return { id, email: `${name}@example.com` }
}

const newBrowser = () => openBrowser(mailing.service)

const ask = (browser: Browser, name: string) =>
  browser.send('POST', '/console/-/code', { body: { name } })

const signIn = (browser: Browser, code: string) =>
  browser.send('POST', '/console/-/session/code', { body: { code } })

/** The code of the last of so many e-mails to a person. */
const codeOf = async (email: string, count = 1): Promise<string> => {
  const { text = '' } = await mailTo(mailing, email, count)
  return /^(\d{4} \d{4})$/m.exec(text)?.[1] ?? ''
}

/** As if the pauses after codes had passed. */
const passPauses = () =>
  mailing.service.database.pool.query(
    `UPDATE docket.failed_sign_in SET open_at = open_at - interval '1 hour'`,
  )

describe('a code', () => {
  test('signs in once the browser that asked for it, by e-mail in any case', async () => {
    const { id, email } = await addPerson()
    const browser = newBrowser()
    assert.equal((await ask(browser, email.toUpperCase())).status, 204)
    const mail = await mailTo(mailing, email)
    assert.equal(mail.headers.get('auto-submitted'), 'auto-generated')
    assert.match(mail.html || '', /<html lang="en">/)
    const code = await codeOf(email)
    const other = newBrowser()
    assert.equal((await signIn(other, code)).status, 401)
    await ask(other, 'nobody@example.com')
    assert.equal((await signIn(other, code)).status, 401)
    assert.equal((await signIn(browser, code)).json(200).user_id, id)
    assert.equal((await browser.send('GET', '/api/me')).json().id, id)
    const { detail } = (await signIn(browser, code)).json(401)
    assert.match(detail, /wrong, was used, is older than ten minutes, or was asked for in another/)
  })

  test('is sent to the owner of an e-mail, also if another user is named like it', async () => {
    const [named, owner] = [await addPerson(), await addPerson()]
    for (const [id, username] of [
      [owner.id, 'owner'],
      [named.id, owner.email],
      // PostgreSQL finds first what was written first.
      [owner.id, 'owner of it'],
    ])
      await mailing.service.database.pool.query(
        'UPDATE records."user" SET username = $2 WHERE id = $1',
        [id, username],
      )
    assert.equal((await ask(newBrowser(), owner.email)).status, 204)
    assert.match(await codeOf(owner.email), /\d/)
  })

  test('is a way of every active user, who is not waited for any more once they came in by it', async () => {
    const { id, email } = await addPerson()
    const { ask: request, database } = mailing.service
    await request('POST', '/api/invitations', { body: { user_id: id } })
    const find = async () => {
      const { data, counts } = (await request('GET', `/api/accounts?q=${email}`)).json(200)
      const [{ ways, is_invited, invitation }] = data
      return { ways, is_invited, isOpen: invitation !== null, invited: counts.invited }
    }
    const ways = ['issuer', 'code']
    assert.deepEqual(await find(), { ways, is_invited: true, isOpen: true, invited: 1 })
    const browser = newBrowser()
    await ask(browser, email)
    assert.equal((await signIn(browser, await codeOf(email))).status, 200)
    await browser.send('GET', '/api/me')
    const seen = { ways, is_invited: false, isOpen: true, invited: 0 }
    await until('they are seen', async () => !(await find()).is_invited)
    assert.deepEqual(await find(), seen)
    await database.pool.query('UPDATE records."user" SET is_active = false WHERE id = $1', [id])
    assert.deepEqual((await find()).ways, ['issuer'])
  })

  test('works once for two at the same moment', async () => {
    const { email } = await addPerson()
    const browser = newBrowser()
    await ask(browser, email)
    const code = (await codeOf(email)).replace(' ', '')
    const replies = await Promise.all([signIn(browser, code), signIn(browser, code)])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
  })

  test('has five tries', async () => {
    const { id, email } = await addPerson()
    const browser = newBrowser()
    await ask(browser, email)
    const code = await codeOf(email)
    const wrong = String((Number(code.replace(' ', '')) + 1) % 1e8).padStart(8, '0')
    for (let tries = 0; tries < 5; tries += 1)
      assert.equal((await signIn(browser, wrong)).status, 401)
    assert.equal((await signIn(browser, code)).status, 401)
    const { data } = (await mailing.service.ask('GET', '/api/audit?kind=refuseSignIn')).json(200)
    const ofUser = data.filter(
      ({ about_user: about }: { about_user: { id: number } | null }) => about?.id === id,
    )
    const times = ofUser.reduce((sum: number, one: { times: number }) => sum + one.times, 0)
    assert.deepEqual([times, ofUser[0].detail], [6, { way: 'code', reason: 'wrong' }])
  })

  test('ends after ten minutes, and with its user', async () => {
    const [old, blocked] = [await addPerson(), await addPerson()]
    const { pool } = mailing.service.database
    const browsers = [newBrowser(), newBrowser()] as const
    await ask(browsers[0], old.email)
    await ask(browsers[1], blocked.email)
    const codes = [await codeOf(old.email), await codeOf(blocked.email)] as const
    await pool.query(
      `UPDATE docket.one_time_code SET expires_at = expires_at - interval '10 minutes' WHERE user_id = $1`,
      [old.id],
    )
    await pool.query('UPDATE records."user" SET is_blocked = true WHERE id = $1', [blocked.id])
    assert.equal((await signIn(browsers[0], codes[0])).status, 401)
    assert.equal((await signIn(browsers[1], codes[1])).status, 401)
  })

  test('is stored nowhere that people can read', async () => {
    const { email } = await addPerson()
    await ask(newBrowser(), email)
    const code = await codeOf(email)
    const { ask: request, observations } = mailing.service
    const find = async () => {
      const { data } = (await request('GET', `/api/deliveries?q=${email}`)).json(200)
      return data[0]
    }
    await until('it is recorded as sent', async () => (await find())?.status === 'sent')
    const { id, subject, operation } = await find()
    assert.deepEqual([subject, operation], ['Sign-in code for Records under test', 'code'])
    const message = (await request('GET', `/api/deliveries/${id}/message`)).json(200)
    assert.match(message.text, /•••• ••••/)
    const all = [JSON.stringify(message), await storedTexts(mailing.service)]
    for (const form of [code, code.replace(' ', '')])
      for (const text of [...all, JSON.stringify(observations)])
        assert.ok(!text.includes(form), 'the code is stored')
  })
})

describe('asking for a code', () => {
  test('is answered alike for a user, an unknown name and a blocked user, and only the first gets one', async () => {
    const [known, blocked] = [await addPerson(), await addPerson()]
    await mailing.service.database.pool.query(
      'UPDATE records."user" SET is_blocked = true WHERE id = $1',
      [blocked.id],
    )
    const told = []
    for (const name of [blocked.email, 'absent@example.com', known.email]) {
      const browser = newBrowser()
      const { status, text, headers } = await ask(browser, name)
      const cookie = headers.getSetCookie().map((one) => one.replace(/=[\w-]{43}/, '=…'))
      told.push({ status, text, cookie, again: (await ask(browser, name)).status })
    }
    for (const one of told) assert.deepEqual(one, told[0])
    assert.deepEqual([told[0]?.status, told[0]?.again], [204, 429])
    assert.match(told[0]?.cookie[0] ?? '', /; Max-Age=600; HttpOnly; SameSite=Lax/)
    await mailTo(mailing, known.email)
    assert.deepEqual(await mailing.mailsTo(blocked.email), [])
  })

  test('waits a minute, then longer, and not in a browser that the user has signed in with', async () => {
    const { email } = await addPerson()
    const own = newBrowser()
    await ask(own, email)
    await signIn(own, await codeOf(email))
    assert.equal((await ask(newBrowser(), email)).status, 204)
    const refused = await ask(newBrowser(), email)
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/)
    assert.equal((await ask(own, email)).status, 204)
    await passPauses()
    assert.equal((await ask(newBrowser(), email)).status, 204)
    const longer = await ask(newBrowser(), email)
    assert.match(longer.headers.get('retry-after') ?? '', /^(6[1-9]|[7-9]\d|1[01]\d|120)$/)
  })

  test('is for pages of the service, and where codes are offered', async () => {
    const body = { name: 'a@example.com' }
    const foreign = { body, headers: { 'Sec-Fetch-Site': 'cross-site' } }
    const reply = await newBrowser().send('POST', '/console/-/code', foreign)
    assert.match(reply.json(401).detail, /Only a page of this service/)
    const [issue] = (await ask(newBrowser(), 'a\u0000b')).json(400).errors
    assert.equal(issue.path, 'name')
    const { ways } = (await mailing.service.ask('GET', '/console/-/config.json')).json()
    assert.deepEqual(ways, ['password', 'code'])
  })
})

test('who may change users, and is no administrator, takes no account over by its e-mail or subject', async () => {
  const { service } = mailing
  const { id, email } = await addPerson()
  const patch = (body: object, as?: string) => service.ask('PATCH', `/user/${id}`, { as, body })
  for (const body of [{ email: 'mine@example.com' }, { identity_provider_user_id: 'mine' }]) {
    const { detail } = (await patch(body, users.registrar)).json(403)
    assert.match(detail, /Only administrators change the (email|identity_provider_user_id) of/)
  }
  const me = (await service.ask('GET', '/api/me', { as: users.registrar })).json(200)
  const own = (body: object) =>
    service.ask('PATCH', `/user/${me.id}`, { as: users.registrar, body })
  assert.match((await own({ email: 'mine@example.com' })).json(403).detail, /Only administrators/)
  assert.equal((await own({ email: me.email, job_title: 'Registrar' })).status, 200)
  assert.equal((await patch({ first_name: 'Ada', email }, users.registrar)).status, 200)
  assert.equal((await patch({ email: `new-${email}` })).status, 200)
})
