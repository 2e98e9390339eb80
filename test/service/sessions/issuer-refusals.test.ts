/** Everything that can go wrong on the way through an issuer: nobody is signed in. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { StartupError } from '../../../src/errors.ts'
import { startProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { type Browser, openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import { type SignInIssuer, startSignInIssuer } from '../../support/sessions/an-issuer.ts'
import { until } from '../../support/wait.ts'
import {
  callbackOf,
  comeBack,
  failureOf,
  isPageOf,
  loginOf,
  signInSettings,
  startSignInService,
} from './a-sign-in-service.ts'

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
beforeEach(() => issuer.setPerson({ subject: 'buyer' }))

describe('nobody is signed in', () => {
  const fails = async (browser: Browser, address: string, failure: string) => {
    const { address: end, status, text } = await browser.open(address)
    assert.equal(failureOf(end), failure, end)
    assert.deepEqual([...new URL(end).searchParams.keys()], ['error'])
    assert.equal(status, 200)
    // The page of the console, which says why in the language of its user.
    assert.match(text, /<div id="root">/)
    assert.equal((await browser.send('GET', '/api/me')).status, 401)
    await until('the failure is logged', () =>
      service.observations.some((one) => one.kind === 'signInFailed' && one.reason === failure),
    )
    const logged = JSON.stringify(service.observations.filter((one) => one.kind === 'signInFailed'))
    assert.ok(!logged.includes('a secret of the issuer'))
  }

  test('by an answer for another state', async () => {
    const browser = openBrowser(service)
    const { address } = await comeBack(browser, service)
    const changed = new URL(address)
    changed.searchParams.set('state', 'x'.repeat(43))
    await fails(browser, changed.href, 'expired')
  })

  test('by an answer for another browser', async () => {
    const { address } = await comeBack(openBrowser(service), service)
    await fails(openBrowser(service), address, 'expired')
  })

  test('by an answer that was used already', async () => {
    const browser = openBrowser(service)
    const { address } = await comeBack(browser, service)
    const host = new URL(service.url).host
    const before = new Map(browser.cookies.get(host))
    await browser.open(address, (next) => !isPageOf(service, next))
    assert.equal((await browser.send('GET', '/api/me')).status, 200)
    browser.cookies.set(host, before)
    await fails(browser, address, 'failed')
  })

  test('by another code', async () => {
    const browser = openBrowser(service)
    const { address } = await comeBack(browser, service)
    const changed = new URL(address)
    changed.searchParams.set('code', 'wrong')
    await fails(browser, changed.href, 'failed')
  })

  test('by an answer that names another issuer', async () => {
    const browser = openBrowser(service)
    const { address } = await comeBack(browser, service)
    const changed = new URL(address)
    changed.searchParams.set('iss', 'https://evil.example')
    await fails(browser, changed.href, 'failed')
  })

  test('if the code belongs to a sign-in of another verifier', async () => {
    const browser = openBrowser(service)
    const first = new URL((await comeBack(browser, service)).address)
    const second = new URL((await comeBack(browser, service)).address)
    second.searchParams.set('code', first.searchParams.get('code') ?? '')
    await fails(browser, second.href, 'failed')
  })

  test('whom the issuer rejects', async () => {
    issuer.setPerson(undefined)
    await fails(openBrowser(service), loginOf(service), 'refused')
  })

  for (const [state, set] of [
    ['blocked', 'is_blocked = true'],
    ['removed', '_is_deleted = true'],
  ] as const)
    test(`who is ${state}`, async () => {
      issuer.setPerson({ subject: 'nobody' })
      const change = (assignment: string) =>
        service.database.pool.query(
          `UPDATE records."user" SET ${assignment} WHERE email = '${users.nobody}'`,
        )
      await change(set)
      await fails(openBrowser(service), loginOf(service), 'unknown')
      await change('is_blocked = false, _is_deleted = false')
    })
})

for (const to of [
  ...['https://evil.example/', '//evil.example/', '/\\evil.example', '/consolex', '/api/me', ''],
  ...[
    '/console/../api/me',
    '/console/-/login',
    '/console/-/callback?state=x',
    '/console/\nx',
    `/console/${'x'.repeat(2000)}`,
  ],
])
  test(`${JSON.stringify(to.slice(0, 40))} is no page to open after the sign-in`, async () => {
    const reply = await openBrowser(service).open(loginOf(service, to), () => false)
    assert.equal(reply.status, 400, reply.address)
  })

test('a development link does not sign in where there is an issuer', async () => {
  await assert.rejects(signedIn(service), /401.*only with the development issuer/)
})

test('neither path exists without AUTH_CLIENT_ID', async () => {
  const other = await startProject()
  for (const path of ['/console/-/login', '/console/-/callback'])
    assert.notEqual((await openBrowser(other).open(`${other.url}${path}`, () => false)).status, 302)
  await other.stop()
})

test('beyond a loopback address a service needs PUBLIC_URL', async () => {
  await assert.rejects(
    startProject({ ...signInSettings(issuer), HOST: '0.0.0.0' }),
    (error) => error instanceof StartupError && /needs PUBLIC_URL/.test(error.message),
  )
})

test('while the issuer does not answer, the page says so', async () => {
  const away = await startSignInIssuer()
  await away.stop()
  const other = await startProject({ ...signInSettings(issuer), AUTH_ISSUER: away.url })
  const { address } = await openBrowser(other).open(loginOf(other))
  assert.equal(failureOf(address), 'unavailable')
  await other.stop()
})

test('wrong codes of the issuer count as wrong credentials of their address', async () => {
  const other = await startSignInService(issuer, { WRONG_CREDENTIALS_PER_ADDRESS: '3' })
  const browser = openBrowser(other)
  for (let times = 0; times < 3; times++) {
    const changed = new URL((await comeBack(browser, other)).address)
    changed.searchParams.set('code', 'wrong')
    assert.equal(failureOf((await browser.open(changed.href, () => false)).address), 'failed')
  }
  const { status } = await browser.open(`${callbackOf(other)}?state=x`, () => false)
  assert.equal(status, 429)
  await other.stop()
})
