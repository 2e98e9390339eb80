/** Who signs in at the issuer for the first time: bound to a user by a verified e-mail, or refused and named to administrators. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { addOwnUser, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { type Browser, idOf, openBrowser } from '../../support/sessions/a-browser.ts'
import { type SignInIssuer, startSignInIssuer } from '../../support/sessions/an-issuer.ts'
import { failureOf, isPageOf, loginOf, startSignInService } from './a-sign-in-service.ts'

let issuer: SignInIssuer
let service: TestService
before(async () => {
  issuer = await startSignInIssuer()
  service = await startSignInService(issuer, {
    AUTH_BIND_BY_EMAIL: 'true',
    AUTH_PROVISION_ROLE: '',
  })
})
after(async () => {
  await service.stop()
  await issuer.stop()
})

type Claims = Readonly<Record<string, string | boolean>>

/** Signs a person in, and returns the browser and why it failed. */
const signIn = async (subject: string, claims: Claims = {}, one = service) => {
  issuer.setPerson({ subject, claims })
  const browser = openBrowser(one)
  const { address } = await browser.open(loginOf(one), (next) => !isPageOf(one, next))
  return { browser, failure: failureOf(address) }
}

const meOf = async (browser: Browser) => (await browser.send('GET', '/api/me')).json()

type Refusal = Readonly<Record<string, unknown>>

/** The refused sign-ins as the administrator reads them, by subject. */
const refusals = async (): Promise<ReadonlyMap<unknown, Refusal>> => {
  const { browser } = await signIn(service.config.ADMIN_EMAIL)
  const { data } = (await browser.send('GET', '/api/refused-sign-ins')).json()
  return new Map(data.map((one: Refusal) => [one.subject, one]))
}

/** Adds a user whose tokens are not known yet: the e-mail address stands for their subject. */
const addUnbound = async (name: string): Promise<number> => {
  const id = await insertPerson(service.database.pool, name, 'buyer')
  await set(id, 'identity_provider_user_id = email')
  return id
}

const subjectOf = async (id: number): Promise<string> => {
  const { rows } = await service.database.pool.query(
    'SELECT identity_provider_user_id AS subject FROM records."user" WHERE id = $1',
    [id],
  )
  return rows[0].subject
}

const set = (id: number, change: string) =>
  service.database.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [id])

const historyOf = async (id: number) => {
  const { rows } = await service.database.pool.query(
    `SELECT operation, changes::text AS changes, comment, user_id FROM docket.history
     WHERE entity_key = 'user' AND entity_id = $1`,
    [id],
  )
  return rows
}

test('a verified e-mail binds the user who has it, in any case, and the history says so', async () => {
  const id = await addUnbound('zoe')
  const claims = { email: 'Zoe@Example.COM', email_verified: true }
  const { browser } = await signIn('pairwise-zoe', claims)
  assert.equal((await meOf(browser)).id, id)
  assert.equal(await subjectOf(id), 'pairwise-zoe')
  const [entry, ...more] = await historyOf(id)
  assert.deepEqual(more, [])
  assert.deepEqual(JSON.parse(entry.changes), {
    identity_provider_user_id: { before: 'zoe@example.com', after: 'pairwise-zoe' },
  })
  assert.match(entry.comment, /AUTH_BIND_BY_EMAIL/)
  assert.equal(entry.user_id, id)
  // From now on the subject alone counts.
  assert.equal((await meOf((await signIn('pairwise-zoe')).browser)).id, id)
})

test('of first sign-ins at once one binds, and of one subject all are that user', async () => {
  const id = await addUnbound('tom')
  const claims = { email: 'tom@example.com', email_verified: true }
  issuer.setPerson({ subject: 'pairwise-tom', claims })
  const browsers = Array.from({ length: 4 }, () => openBrowser(service))
  await Promise.all(
    browsers.map((one) => one.open(loginOf(service), (next) => !isPageOf(service, next))),
  )
  for (const browser of browsers) assert.equal((await meOf(browser)).id, id)
  assert.equal((await historyOf(id)).length, 1)
  assert.equal((await signIn('another-tom', claims)).failure, 'unknown')
  assert.equal(await subjectOf(id), 'pairwise-tom')
})

describe('nobody is bound', () => {
  const verified = { email_verified: true }
  for (const [why, name, claims, change] of [
    ['the e-mail is not verified', 'no1', { email_verified: false }, ''],
    ['the issuer does not say that it is verified', 'no2', {}, ''],
    ['the user is blocked', 'no3', verified, 'is_blocked = true'],
    ['the user is inactive', 'no4', verified, 'is_active = false'],
    ['the user was removed', 'no5', verified, '_is_deleted = true'],
    ['the user has a subject', 'no6', verified, "identity_provider_user_id = 'other'"],
    ['nobody has the e-mail', 'no7', verified, "email = 'x7@example.com'"],
  ] as const)
    test(`when ${why}; an administrator reads who it was`, async () => {
      const email = `${name}@example.com`
      const id = await addUnbound(name)
      if (change) await set(id, change)
      const held = await subjectOf(id)
      const subject = `stranger-${id}`
      assert.equal((await signIn(subject, { email, ...claims })).failure, 'unknown')
      assert.deepEqual([await subjectOf(id), await historyOf(id)], [held, []])
      const { user, reason, ...refusal } = (await refusals()).get(subject) ?? {}
      const is_email_verified = claims === verified
      assert.partialDeepStrictEqual(refusal, { email, is_email_verified, times: 1 })
      assert.match(String(reason), /no user with the subject/)
      const met = /email =|_is_deleted/.test(change) ? undefined : id
      assert.equal((user as { id: number } | null)?.id, met)
      const logged = service.observations.filter(
        (one) => one.kind === 'callerRefused' && one.subject === subject,
      )
      assert.partialDeepStrictEqual(logged, [{ email }])
      assert.equal(logged.length, 1)
    })
})

test('a user who may not sign in is named too, until they may', async () => {
  const email = await addOwnUser(service, 'clerk')
  const id = await idOf(service, email)
  const subject = await subjectOf(id)
  await set(id, 'is_blocked = true')
  await signIn(subject, { email })
  assert.match(String((await refusals()).get(subject)?.reason), /is blocked/)
  await set(id, 'is_blocked = false')
  assert.equal((await refusals()).get(subject), undefined)
})

test('without the setting nobody is bound, and only administrators read who was refused', async () => {
  const other = await startSignInService(issuer, { AUTH_PROVISION_ROLE: '' })
  await other.database.pool.query(
    'UPDATE records."user" SET identity_provider_user_id = email WHERE email = $1',
    [users.buyer],
  )
  const claims = { email: users.buyer, email_verified: true }
  assert.equal((await signIn('x', claims, other)).failure, 'unknown')
  const { browser } = await signIn(users.buyer, {}, other)
  assert.equal((await browser.send('GET', '/api/me')).status, 200)
  assert.equal((await browser.send('GET', '/api/refused-sign-ins')).status, 403)
  await other.stop()
})

test('with the settings of docs/deploy.md the first administrator signs in by their e-mail', async () => {
  const page = await readFile(new URL('../../../docs/deploy.md', import.meta.url), 'utf8')
  const [, block = ''] = /```sh\n([^`]*AUTH_BIND_BY_EMAIL[^`]*)```/.exec(page) ?? []
  const shown = Object.fromEntries(
    [...block.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  )
  // The provider and the address of the service are others here.
  const { AUTH_ISSUER: _issuer, PUBLIC_URL: _url, AUTH_CLIENT_ID: _client, ...rest } = shown
  const secret = 'a-secret-of-the-console'
  const other = await startSignInService(issuer, {
    AUTH_PROVISION_ROLE: '',
    ...rest,
    AUTH_CLIENT_SECRET: secret,
  })
  const email = shown.ADMIN_EMAIL ?? ''
  const { browser } = await signIn('f:1:maria', { email, email_verified: true }, other)
  const me = await meOf(browser)
  assert.deepEqual([me.email, me.role], [email, 'administrator'])
  await other.stop()
})
