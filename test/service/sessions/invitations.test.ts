/** Invitations by e-mail, those that set no password, and those that lead to the issuer. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { insertPerson } from '../../support/a-person.ts'
import { startProject } from '../../support/a-project.ts'
import { callDocket } from '../../support/call-docket.ts'
import type { TestService } from '../../support/service.ts'
import { type Browser, openBrowser } from '../../support/sessions/a-browser.ts'
import { type SignInIssuer, startSignInIssuer } from '../../support/sessions/an-issuer.ts'
import {
  type MailingService,
  mailTo,
  startMailingService,
  storedTexts,
} from './a-mailing-service.ts'
import { failureOf, isPageOf, startSignInService } from './a-sign-in-service.ts'

let people = 0

const addPerson = async ({ database }: TestService) => {
  people += 1
  const name = `invited-${people}`
  return { id: await insertPerson(database.pool, name, 'buyer', {}), email: `${name}@example.com` }
}

const post = (browser: Browser, path: string, body: object) =>
  browser.send('POST', `/console/-/invitation${path}`, { body })

const codeOf = (text: string): string => /#invitation=([\w-]{43})/.exec(text)?.[1] ?? ''

describe('an invitation by e-mail', () => {
  let mailing: MailingService
  before(async () => {
    mailing = await startMailingService({ SIGN_IN: 'code' })
  })
  after(() => mailing.stop())

  const send = async (userId: number) => {
    const body = { user_id: userId, send: true }
    return (await mailing.service.ask('POST', '/api/invitations', { body })).json(201)
  }

  test('brings the link, which signs in once without a password where there is none', async () => {
    const { service } = mailing
    const { id, email } = await addPerson(service)
    assert.equal((await send(id)).link, null)
    const { subject, text = '', html } = await mailTo(mailing, email)
    assert.equal(subject, 'Invitation to Records under test')
    const code = codeOf(text)
    assert.ok(String(html).includes(code))
    assert.ok(!(await storedTexts(service)).includes(code), 'the link is stored')
    const browser = openBrowser(service)
    assert.equal((await post(browser, '', { code })).json(200).email, email)
    const [issue] = (
      await post(browser, '/accept', { code, password: 'correct horse battery' })
    ).json(400).errors
    assert.deepEqual(issue, { path: 'password', message: 'is not used here' })
    assert.equal((await post(browser, '/accept', { code })).json(200).user_id, id)
    assert.equal((await post(browser, '/accept', { code })).status, 401)
  })

  test('that is sent again replaces the one before, also one that waits', async () => {
    const { id, email } = await addPerson(mailing.service)
    await send(id)
    const first = codeOf((await mailTo(mailing, email)).text ?? '')
    await send(id)
    const second = codeOf((await mailTo(mailing, email, 2)).text ?? '')
    const browser = openBrowser(mailing.service)
    assert.equal((await post(browser, '', { code: first })).status, 401)
    assert.equal((await post(browser, '', { code: second })).status, 200)
    const { data } = (await mailing.service.ask('GET', '/api/invitations')).json(200)
    assert.equal(data.filter(({ user }: { user: { id: number } }) => user.id === id).length, 1)
  })

  test('is sent by the command line, too', async () => {
    const { config, database } = mailing.service
    const { email } = await addPerson(mailing.service)
    const run = (settings: Readonly<Record<string, string>>) =>
      callDocket(['invite', '--send', '--email', email], {
        PROJECT: config.PROJECT,
        DATABASE_URL: database.connectionString,
        SIGN_IN: 'code',
        ...settings,
      })
    const { code, out, err } = await run({
      EMAIL_PROVIDER: 'smtp',
      SMTP_URL: 'smtp://127.0.0.1',
      EMAIL_FROM: 'docket@example.com',
    })
    assert.deepEqual([code, out], [0, ''], err)
    assert.match(err, /The service sends it by e-mail/)
    assert.notEqual(codeOf((await mailTo(mailing, email)).text ?? ''), '')
    const reachable = await run({ PUBLIC_URL: 'https://docket.example.com', SIGN_IN: 'password' })
    assert.match(reachable.err, /--send needs a provider of e-mails/)
  })

  test('is refused where no provider sends it', async () => {
    const service = await startProject({ PUBLIC_URL: 'https://docket.example.com' })
    const { pool } = service.database
    const { key } = await createApiKey(pool, { userId: 1, name: 'invitations' })
    const reply = await fetch(`${service.url}/api/invitations`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ user_id: 1, send: true }),
    })
    assert.equal(reply.status, 400)
    assert.match(await reply.text(), /needs a provider of e-mails: set EMAIL_PROVIDER/)
    const config: { sendsEmail: boolean } = JSON.parse(
      await (await fetch(`${service.url}/console/-/config.json`)).text(),
    )
    assert.equal(config.sendsEmail, false)
    await service.stop()
  })
})

describe('an invitation with an identity provider', () => {
  let issuer: SignInIssuer
  let service: TestService
  before(async () => {
    issuer = await startSignInIssuer()
    service = await startSignInService(issuer)
  })
  after(async () => {
    await service.stop()
    await issuer.stop()
  })

  const signedInAs = async (subject: string, browser: Browser, address: string) => {
    issuer.setPerson({ subject, claims: {} })
    const page = await browser.open(address, (next) => !isPageOf(service, next))
    return failureOf(page.address)
  }

  const invite = async (userId: number): Promise<string> => {
    const administrator = openBrowser(service)
    await signedInAs(service.config.ADMIN_EMAIL, administrator, `${service.url}/console/-/login`)
    const reply = await administrator.send('POST', '/api/invitations', {
      body: { user_id: userId },
    })
    return codeOf(reply.json(201).link)
  }

  const begin = async (browser: Browser, code: string): Promise<string> =>
    (await post(browser, '/issuer', { code })).json(200).address

  const subjectOf = async (id: number): Promise<string> => {
    const { rows } = await service.database.pool.query(
      'SELECT identity_provider_user_id AS subject FROM records."user" WHERE id = $1',
      [id],
    )
    return rows[0].subject
  }

  test('binds the subject of the person who comes back, whatever it is, once', async () => {
    const { id } = await addPerson(service)
    const code = await invite(id)
    const browser = openBrowser(service)
    const address = await begin(browser, code)
    const other = openBrowser(service)
    const second = await begin(other, code)
    assert.equal(await signedInAs('pairwise-1', browser, address), null)
    assert.equal((await browser.send('GET', '/api/me')).json(200).id, id)
    assert.equal(await subjectOf(id), 'pairwise-1')
    const { rows } = await service.database.pool.query(
      `SELECT comment FROM docket.history WHERE entity_key = 'user' AND entity_id = $1`,
      [id],
    )
    assert.deepEqual(rows, [{ comment: 'First sign-in by an invitation.' }])
    assert.equal(await signedInAs('pairwise-2', other, second), 'invitation')
    assert.equal(await subjectOf(id), 'pairwise-1')
    assert.equal((await post(other, '/issuer', { code })).status, 401)
    // From now on the subject alone counts.
    const later = openBrowser(service)
    assert.equal(await signedInAs('pairwise-1', later, `${service.url}/console/-/login`), null)
    assert.equal((await later.send('GET', '/api/me')).json(200).id, id)
  })

  test('is refused to a person who is another user, and stays open', async () => {
    const [taken, invited] = [await addPerson(service), await addPerson(service)]
    await service.database.pool.query(
      `UPDATE records."user" SET identity_provider_user_id = 'pairwise-taken' WHERE id = $1`,
      [taken.id],
    )
    const code = await invite(invited.id)
    const browser = openBrowser(service)
    assert.equal(await signedInAs('pairwise-taken', browser, await begin(browser, code)), 'taken')
    const own = openBrowser(service)
    assert.equal(await signedInAs('pairwise-3', own, await begin(own, code)), null)
    assert.equal((await own.send('GET', '/api/me')).json(200).id, invited.id)
  })

  test('concerns no other sign-in of the browser, and lets nobody in by itself', async () => {
    const { id } = await addPerson(service)
    const code = await invite(id)
    const browser = openBrowser(service)
    await begin(browser, code)
    assert.equal(await signedInAs('a-new-clerk', browser, `${service.url}/console/-/login`), null)
    assert.notEqual((await browser.send('GET', '/api/me')).json(200).id, id)
    const [issue] = (await post(browser, '/accept', { code })).json(400).errors
    assert.match(issue.message, /sign in at the identity provider/)
    assert.equal((await post(openBrowser(service), '', { code })).status, 200)
  })
})
