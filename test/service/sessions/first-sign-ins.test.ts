/** Who signs in at the issuer for the first time: bound to a user by a verified e-mail, or refused and named to administrators. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
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
const signIn = async (subject: string, claims: Claims = {}) => {
  issuer.setPerson({ subject, claims })
  const browser = openBrowser(service)
  const { address } = await browser.open(loginOf(service), (next) => !isPageOf(service, next))
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

/** Adds a user whose tokens are not known yet, unless a subject is given. */
const addUnbound = async (email: string, subject = email): Promise<number> => {
  const id = await insertUser(service.database.pool, {
    ...{ identity_provider_user_id: subject, email, role_key: 'buyer' },
    ...{ first_name: 'Zoe', last_name: 'Example', full_name: 'Zoe Example' },
  })
  assert.ok(id)
  return id
}

const subjectOf = async (id: number): Promise<string> => {
  const { rows } = await service.database.pool.query(
    'SELECT identity_provider_user_id AS subject FROM records."user" WHERE id = $1',
    [id],
  )
  return rows[0].subject
}

const historyOf = async (id: number) => {
  const { rows } = await service.database.pool.query(
    `SELECT operation, changes::text AS changes, comment, user_id FROM docket.history
     WHERE entity_key = 'user' AND entity_id = $1`,
    [id],
  )
  return rows
}

test('a verified e-mail binds the user who has it, in any case, and the history says so', async () => {
  const id = await addUnbound('zoe@example.com')
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
  const id = await addUnbound('tom@example.com')
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

for (const [why, email, claims, change] of [
  ['the e-mail is not verified', 'no1@example.com', { email_verified: false }, ''],
  ['the issuer does not say that it is verified', 'no2@example.com', {}, ''],
  ['verified is a text', 'no3@example.com', { email_verified: 'true' }, ''],
  ['the user is blocked', 'no4@example.com', { email_verified: true }, 'is_blocked = true'],
  ['the user is inactive', 'no5@example.com', { email_verified: true }, 'is_active = false'],
  ['the user was removed', 'no6@example.com', { email_verified: true }, '_is_deleted = true'],
  [
    'the user has a subject',
    'no7@example.com',
    { email_verified: true },
    "identity_provider_user_id = 'other'",
  ],
  [
    'nobody has the e-mail',
    'no8@example.com',
    { email_verified: true },
    "email = 'x8@example.com'",
  ],
] as const)
  test(`nobody is bound when ${why}; an administrator reads who it was`, async () => {
    const id = await addUnbound(email)
    if (change)
      await service.database.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [id])
    const held = await subjectOf(id)
    const subject = `stranger-${id}`
    assert.equal((await signIn(subject, { email, ...claims })).failure, 'unknown')
    assert.equal(await subjectOf(id), held)
    assert.deepEqual(await historyOf(id), [])
    const refusal = (await refusals()).get(subject)
    assert.deepEqual(
      [refusal?.email, refusal?.is_email_verified, refusal?.times],
      [email, claims.email_verified === true, 1],
    )
    assert.match(String(refusal?.reason), /no user with the subject/)
    const met = refusal?.user as { id: number } | null
    assert.equal(met?.id, /email =|_is_deleted/.test(change) ? undefined : id)
    const logged = service.observations.filter(
      (one) => one.kind === 'callerRefused' && one.subject === subject,
    )
    assert.deepEqual(
      logged.map((one) => 'email' in one && one.email),
      [email],
    )
  })

test('whoever is a user who may not sign in is named too, until they may', async () => {
  const email = await addOwnUser(service, 'clerk')
  const id = await idOf(service, email)
  const subject = await subjectOf(id)
  const set = (isBlocked: boolean) =>
    service.database.pool.query('UPDATE records."user" SET is_blocked = $2 WHERE id = $1', [
      id,
      isBlocked,
    ])
  await set(true)
  await signIn(subject, { email })
  assert.match(String((await refusals()).get(subject)?.reason), /is blocked/)
  await set(false)
  assert.equal((await refusals()).get(subject), undefined)
})

test('without the setting nobody is bound, and only administrators read who was refused', async () => {
  const other = await startSignInService(issuer, { AUTH_PROVISION_ROLE: '' })
  const open = async (browser: Browser) =>
    failureOf((await browser.open(loginOf(other), (next) => !isPageOf(other, next))).address)
  const id = await idOf(other, users.buyer)
  await other.database.pool.query(
    'UPDATE records."user" SET identity_provider_user_id = email WHERE id = $1',
    [id],
  )
  issuer.setPerson({ subject: 'x', claims: { email: users.buyer, email_verified: true } })
  assert.equal(await open(openBrowser(other)), 'unknown')
  issuer.setPerson({ subject: users.buyer })
  const browser = openBrowser(other)
  await open(browser)
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
    ...{ AUTH_PROVISION_ROLE: '', ...rest, AUTH_CLIENT_SECRET: secret },
  })
  const email = shown.ADMIN_EMAIL ?? ''
  issuer.setPerson({ subject: 'f:1:maria', claims: { email, email_verified: true } })
  const browser = openBrowser(other)
  await browser.open(loginOf(other), (next) => !isPageOf(other, next))
  const me = (await browser.send('GET', '/api/me')).json()
  assert.deepEqual([me.email, me.role], [email, 'administrator'])
  await other.stop()
})
