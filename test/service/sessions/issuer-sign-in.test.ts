/** Signing in at a real issuer, by the code flow with PKCE; and all that can go wrong on the way, which signs nobody in. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { StartupError } from '../../../src/errors.ts'
import { startProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { type Browser, openBrowser, signedIn } from '../../support/sessions/a-browser.ts'
import { clientId, type SignInIssuer, startSignInIssuer } from '../../support/sessions/an-issuer.ts'
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

/** Signs in at the issuer; ends before the page of the console is opened. */
const signIn = (browser: Browser, to?: string) =>
  browser.open(loginOf(service, to), (address) => !isPageOf(service, address))
const meOf = (browser: Browser) => browser.send('GET', '/api/me')
const jarOf = (browser: Browser) => browser.cookies.get(new URL(service.url).host)

test('the issuer is asked for a code with PKCE, state and nonce', async () => {
  const browser = openBrowser(service)
  const { address } = await browser.open(loginOf(service), () => false)
  assert.ok(address.startsWith(`${issuer.url}/auth?`))
  const query = Object.fromEntries(new URL(address).searchParams)
  const { code_challenge, state, nonce, ...rest } = query
  for (const random of [code_challenge, state, nonce]) assert.match(random ?? '', /^[\w-]{43}$/)
  assert.deepEqual(rest, {
    client_id: clientId,
    response_type: 'code',
    scope: 'openid email profile',
    redirect_uri: `${service.url}/console/-/callback`,
    code_challenge_method: 'S256',
  })
  assert.match(
    browser.lastSet(),
    /^docket-sign-in=[\w.~-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  )
})

test('a sign-in is a proof as long as the issuer has asked within the last minutes, which it can be made to', async () => {
  const isProven = async (address: string): Promise<boolean> => {
    const browser = openBrowser(service)
    await browser.open(address, (next) => !isPageOf(service, next))
    return (await browser.send('GET', '/console/-/credentials')).json(200).is_proven
  }
  assert.equal(await isProven(loginOf(service)), true)
  issuer.setPerson({ subject: 'buyer', secondsAgo: 660 })
  assert.equal(await isProven(loginOf(service)), false)
  const again = `${service.url}/console/-/login?again`
  const { address } = await openBrowser(service).open(again, () => false)
  const { prompt, max_age } = Object.fromEntries(new URL(address).searchParams)
  assert.deepEqual([prompt, max_age], ['login', '0'])
})

for (const to of [
  '/console/order?filter=%7B%22total%22%3A1%7D&x=y',
  '/console/-/inbox',
  '/console/-/admin/deliveries?status=dead',
])
  test(`a user of the issuer is signed in and gets the page ${to}, which they asked for`, async () => {
    const browser = openBrowser(service)
    const { address, headers } = await browser.open(
      loginOf(service, to),
      (next) => !next.endsWith(to),
    )
    assert.equal(address, `${service.url}${to}`)
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal((await meOf(browser)).json().email, users.buyer)
    assert.equal((await browser.send('GET', '/console/-/session')).json().may_switch, false)
    assert.deepEqual([...(jarOf(browser)?.keys() ?? [])], ['docket'])
  })

test('nothing but a page of the console is opened after the sign-in', async () => {
  for (const to of [
    ...['https://evil.example/', '//evil.example/', '/\\evil.example', '/consolex', '/api/me', ''],
    ...['/console/../api/me', '/console/-/login', '/console/-/callback?state=x', '/console/\nx'],
    `/console/${'x'.repeat(2000)}`,
  ]) {
    const reply = await openBrowser(service).open(loginOf(service, to), () => false)
    assert.equal(reply.status, 400, reply.address)
  }
})

test('a target that another page has put into the cookie is not gone to', async () => {
  const browser = openBrowser(service)
  const { address } = await comeBack(browser, service)
  const jar = jarOf(browser)
  const [state, nonce, verifier] = jar?.get('docket-sign-in')?.split('.') ?? []
  for (const to of ['https://evil.example/', '//evil.example/', '/console/../api/me']) {
    const forged = [state, nonce, verifier, Buffer.from(to).toString('base64url')].join('.')
    jar?.set('docket-sign-in', forged)
    const back = await browser.open(address, (next) => next.includes('/console/-/callback'))
    assert.ok(!back.address.includes('evil') && !back.address.includes('/api/me'), back.address)
  }
})

test('a first-time user is created with the names that the issuer tells, once for two browsers at once', async () => {
  const claims = { email: 'nina@example.com', email_verified: true, name: 'Nina New' }
  issuer.setPerson({ subject: 'nina', claims })
  const browsers = [openBrowser(service), openBrowser(service)]
  await Promise.all(browsers.map((browser) => signIn(browser)))
  const [one, two] = await Promise.all(
    browsers.map(async (browser) => (await meOf(browser)).json()),
  )
  assert.partialDeepStrictEqual(one, {
    full_name: 'Nina New',
    email: 'nina@example.com',
    role: 'clerk',
  })
  assert.equal(one.id, two.id)
})

test('a further sign-in ends the session that the browser had', async () => {
  const browser = openBrowser(service)
  const cookieOf = () => jarOf(browser)?.get('docket') ?? ''
  const statusWith = async (cookie: string) => {
    const headers = { Cookie: `docket=${cookie}`, 'Sec-Fetch-Site': 'same-origin' }
    return (await fetch(`${service.url}/api/me`, { headers })).status
  }
  await signIn(browser)
  const first = cookieOf()
  assert.equal(await statusWith(first), 200)
  await signIn(browser)
  assert.deepEqual([await statusWith(first), await statusWith(cookieOf())], [401, 200])
})

test('two tabs sign in at the same time', async () => {
  const browser = openBrowser(service)
  const first = await browser.open(loginOf(service), () => false)
  const second = await browser.open(loginOf(service), () => false)
  for (const { address } of [first, second]) {
    const end = await browser.open(address, (next) => !isPageOf(service, next))
    assert.equal(end.address, `${service.url}/console/`)
  }
  assert.equal((await meOf(browser)).status, 200)
})

test('signing out tells where the session at the issuer ends', async () => {
  const browser = openBrowser(service)
  await signIn(browser)
  const reply = await browser.send('DELETE', '/console/-/session')
  assert.equal(reply.status, 204)
  const address = new URL(reply.headers.get('end-session-address') ?? '')
  assert.ok(address.href.startsWith(`${issuer.url}/session/end`))
  assert.equal(address.searchParams.get('client_id'), clientId)
  assert.equal((await meOf(browser)).status, 401)
})

describe('nobody is signed in', () => {
  const fails = async (browser: Browser, address: string, failure: string) => {
    const { address: end, status, text } = await browser.open(address)
    assert.equal(failureOf(end), failure, end)
    assert.deepEqual([...new URL(end).searchParams.keys()], ['error'])
    assert.equal(status, 200)
    // The page of the console, which says why in the language of its user.
    assert.match(text, /<div id="root">/)
    assert.equal((await meOf(browser)).status, 401)
    await until('the failure is logged', () =>
      service.observations.some((one) => one.kind === 'signInFailed' && one.reason === failure),
    )
    const logged = JSON.stringify(service.observations.filter((one) => one.kind === 'signInFailed'))
    assert.ok(!logged.includes('a secret of the issuer'))
  }

  for (const [what, name, value, failure] of [
    ['for another state', 'state', 'x'.repeat(43), 'expired'],
    ['with another code', 'code', 'wrong', 'failed'],
    ['that names another issuer', 'iss', 'https://evil.example', 'failed'],
  ] as const)
    test(`by an answer ${what}`, async () => {
      const browser = openBrowser(service)
      const changed = new URL((await comeBack(browser, service)).address)
      changed.searchParams.set(name, value)
      await fails(browser, changed.href, failure)
    })

  test('by an answer for another browser', async () => {
    const { address } = await comeBack(openBrowser(service), service)
    await fails(openBrowser(service), address, 'expired')
  })

  test('by an answer that was used already', async () => {
    const browser = openBrowser(service)
    const { address } = await comeBack(browser, service)
    const before = new Map(jarOf(browser))
    await browser.open(address, (next) => !isPageOf(service, next))
    assert.equal((await meOf(browser)).status, 200)
    browser.cookies.set(new URL(service.url).host, before)
    await fails(browser, address, 'failed')
  })

  test('if the code belongs to a sign-in of another verifier', async () => {
    const browser = openBrowser(service)
    const first = new URL((await comeBack(browser, service)).address)
    const second = new URL((await comeBack(browser, service)).address)
    second.searchParams.set('code', first.searchParams.get('code') ?? '')
    await fails(browser, second.href, 'failed')
  })

  test('whom the issuer rejects, and who is blocked or removed', async () => {
    issuer.setPerson(undefined)
    await fails(openBrowser(service), loginOf(service), 'refused')
    issuer.setPerson({ subject: 'nobody' })
    for (const set of ['is_blocked = true', '_is_deleted = true']) {
      const change = (assignment: string) =>
        service.database.pool.query(
          `UPDATE records."user" SET ${assignment} WHERE email = '${users.nobody}'`,
        )
      await change(set)
      await fails(openBrowser(service), loginOf(service), 'unknown')
      await change('is_blocked = false, _is_deleted = false')
    }
  })

  test('by a development link where there is an issuer', async () => {
    await assert.rejects(signedIn(service), /401.*only with the development issuer/)
  })
})

describe('with other settings', () => {
  test('neither path exists without AUTH_CLIENT_ID', async () => {
    const other = await startProject()
    for (const path of ['/console/-/login', '/console/-/callback'])
      assert.notEqual(
        (await openBrowser(other).open(`${other.url}${path}`, () => false)).status,
        302,
      )
    await other.stop()
  })

  test('a service needs PUBLIC_URL beyond a loopback address', async () => {
    await assert.rejects(
      startProject({ ...signInSettings(issuer), HOST: '0.0.0.0' }),
      (error) => error instanceof StartupError && /needs PUBLIC_URL/.test(error.message),
    )
  })

  test('the page says so while the issuer does not answer', async () => {
    const away = await startSignInIssuer()
    await away.stop()
    const other = await startProject({ ...signInSettings(issuer), AUTH_ISSUER: away.url })
    assert.equal(failureOf((await openBrowser(other).open(loginOf(other))).address), 'unavailable')
    await other.stop()
  })

  // The issuer knows only the last service that it was told about: this is the last test.
  test('a client with a secret signs in below a base path, and its wrong codes count as wrong credentials', async () => {
    const other = await startSignInService(issuer, {
      AUTH_CLIENT_SECRET: 'a-secret-of-the-console',
      BASE_PATH: '/erp',
      WRONG_CREDENTIALS_PER_ADDRESS: '3',
    })
    const browser = openBrowser(other)
    const to = '/erp/console/order'
    const end = await browser.open(loginOf(other, to), (address) => !isPageOf(other, address))
    assert.equal(end.address, `${other.url}${to}`)
    assert.equal((await browser.send('GET', '/erp/api/me')).json().email, users.buyer)
    for (let times = 0; times < 3; times++) {
      const changed = new URL((await comeBack(browser, other)).address)
      changed.searchParams.set('code', 'wrong')
      assert.equal(failureOf((await browser.open(changed.href, () => false)).address), 'failed')
    }
    const { status } = await browser.open(`${callbackOf(other)}?state=x`, () => false)
    assert.equal(status, 429)
    await other.stop()
  })
})
