/** Signing in at a real issuer: the code flow with PKCE, and everything that can go wrong on the way. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { StartupError } from '../../src/errors.ts'
import { startProject, users } from '../support/a-project.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { type Browser, openBrowser, signedIn } from './a-browser.ts'
import { clientId, type SignInIssuer, startSignInIssuer } from './an-issuer.ts'

let issuer: SignInIssuer
let service: TestService
before(async () => {
  issuer = await startSignInIssuer()
  service = await start()
})
after(async () => {
  await service.stop()
  await issuer.stop()
})

const settings = () => ({
  ...{ AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: 'docket', AUTH_CLIENT_ID: clientId },
  AUTH_PROVISION_ROLE: 'clerk',
})

const start = async (more: Readonly<Record<string, string>> = {}): Promise<TestService> => {
  const started = await startProject({ ...settings(), ...more })
  const base = started.config.BASE_PATH
  await issuer.allow(`${started.url}${base}/console/-/callback`, more.AUTH_CLIENT_SECRET)
  return started
}

const login = (to?: string) =>
  `${service.url}/console/-/login${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`
const isCallback = (address: string) => address.includes('/console/-/callback')
const isConsole = (address: string) =>
  address.startsWith(`${service.url}/console/`) && !address.includes('/console/-/')

/** Signs in at the issuer; ends before the page of the console is opened. */
const signIn = (browser: Browser, to?: string) =>
  browser.open(login(to), (address) => !isConsole(address))

/** Goes to the issuer, and stops before the browser is back. */
const comeBack = (browser: Browser) => browser.open(login(), (address) => !isCallback(address))

const failureOf = (address: string) => new URL(address).searchParams.get('error')

test('a user of the issuer is signed in and gets the page that they asked for', async () => {
  issuer.setPerson({ subject: 'buyer' })
  const browser = openBrowser(service)
  const to = '/console/order?filter=%7B%22total%22%3A1%7D&x=y'
  const { address, headers } = await signIn(browser, to)
  assert.equal(address, `${service.url}${to}`)
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  const me = await browser.send('GET', '/api/me')
  assert.equal(me.json().email, users.buyer)
  const session = (await browser.send('GET', '/console/-/session')).json()
  assert.equal(session.may_switch, false)
  assert.deepEqual([...(browser.cookies.get(new URL(service.url).host)?.keys() ?? [])], ['docket'])
})

test('the issuer is asked for a code with PKCE, state and nonce', async () => {
  const browser = openBrowser(service)
  const { address } = await browser.open(login(), () => false)
  const query = Object.fromEntries(new URL(address).searchParams)
  assert.ok(address.startsWith(`${issuer.url}/auth?`))
  assert.match(query.code_challenge ?? '', /^[\w-]{43}$/)
  assert.match(query.state ?? '', /^[\w-]{43}$/)
  assert.match(query.nonce ?? '', /^[\w-]{43}$/)
  assert.deepEqual(
    { ...query, code_challenge: '', state: '', nonce: '' },
    {
      ...{ client_id: clientId, response_type: 'code', scope: 'openid email profile' },
      redirect_uri: `${service.url}/console/-/callback`,
      ...{ code_challenge_method: 'S256', code_challenge: '', state: '', nonce: '' },
    },
  )
  assert.match(
    browser.lastSet(),
    /^docket-sign-in=[\w.~-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  )
})

test('a first-time user is created with the names that the issuer tells', async () => {
  const claims = { email: 'nina@example.com', email_verified: true, name: 'Nina New' }
  issuer.setPerson({ subject: 'nina', claims })
  const browser = openBrowser(service)
  assert.equal((await signIn(browser)).address, `${service.url}/console/`)
  const me = (await browser.send('GET', '/api/me')).json()
  assert.equal(me.full_name, 'Nina New')
  assert.equal(me.email, 'nina@example.com')
  assert.equal(me.role.key ?? me.role, 'clerk')
})

test('a first-time user who signs in with two browsers at once is created once', async () => {
  issuer.setPerson({ subject: 'twin', claims: { email: 'twin@example.com', name: 'Twin' } })
  const browsers = [openBrowser(service), openBrowser(service)]
  await Promise.all(browsers.map((browser) => signIn(browser)))
  const ids = await Promise.all(
    browsers.map(async (browser) => (await browser.send('GET', '/api/me')).json().id),
  )
  assert.equal(typeof ids[0], 'number')
  assert.equal(ids[0], ids[1])
})

for (const to of ['/console/-/inbox', '/console/-/admin/deliveries?status=dead'])
  test(`${to} is opened after the sign-in`, async () => {
    issuer.setPerson({ subject: 'buyer' })
    const { address } = await openBrowser(service).open(login(to), (next) => !next.endsWith(to))
    assert.equal(address, `${service.url}${to}`)
  })

test('two tabs sign in at the same time', async () => {
  issuer.setPerson({ subject: 'buyer' })
  const browser = openBrowser(service)
  const first = await browser.open(login(), () => false)
  const second = await browser.open(login(), () => false)
  for (const { address } of [first, second]) {
    const end = await browser.open(address, (next) => !isConsole(next))
    assert.equal(end.address, `${service.url}/console/`)
  }
  assert.equal((await browser.send('GET', '/api/me')).status, 200)
})

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
    const { address } = await comeBack(browser)
    const changed = new URL(address)
    changed.searchParams.set('state', 'x'.repeat(43))
    await fails(browser, changed.href, 'expired')
  })

  test('by an answer for another browser', async () => {
    const { address } = await comeBack(openBrowser(service))
    await fails(openBrowser(service), address, 'expired')
  })

  test('by an answer that was used already', async () => {
    const browser = openBrowser(service)
    const { address } = await comeBack(browser)
    const host = new URL(service.url).host
    const before = new Map(browser.cookies.get(host))
    await browser.open(address, (next) => !isConsole(next))
    assert.equal((await browser.send('GET', '/api/me')).status, 200)
    browser.cookies.set(host, before)
    await fails(browser, address, 'failed')
  })

  test('by another code', async () => {
    const browser = openBrowser(service)
    const { address } = await comeBack(browser)
    const changed = new URL(address)
    changed.searchParams.set('code', 'wrong')
    await fails(browser, changed.href, 'failed')
  })

  test('by an answer that names another issuer', async () => {
    const browser = openBrowser(service)
    const { address } = await comeBack(browser)
    const changed = new URL(address)
    changed.searchParams.set('iss', 'https://evil.example')
    await fails(browser, changed.href, 'failed')
  })

  test('if the code belongs to a sign-in of another verifier', async () => {
    const browser = openBrowser(service)
    const first = new URL((await comeBack(browser)).address)
    const second = new URL((await comeBack(browser)).address)
    second.searchParams.set('code', first.searchParams.get('code') ?? '')
    await fails(browser, second.href, 'failed')
  })

  test('whom the issuer rejects', async () => {
    issuer.setPerson(undefined)
    await fails(openBrowser(service), login(), 'refused')
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
      await fails(openBrowser(service), login(), 'unknown')
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
    const reply = await openBrowser(service).open(login(to), () => false)
    assert.equal(reply.status, 400, reply.address)
  })

test('signing out tells where the session at the issuer ends', async () => {
  issuer.setPerson({ subject: 'buyer' })
  const browser = openBrowser(service)
  await signIn(browser)
  const reply = await browser.send('DELETE', '/console/-/session')
  assert.equal(reply.status, 204)
  const address = new URL(reply.headers.get('end-session-address') ?? '')
  assert.ok(address.href.startsWith(`${issuer.url}/session/end`))
  assert.equal(address.searchParams.get('client_id'), clientId)
  assert.equal((await browser.send('GET', '/api/me')).status, 401)
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
    startProject({ ...settings(), HOST: '0.0.0.0' }),
    (error) => error instanceof StartupError && /needs PUBLIC_URL/.test(error.message),
  )
})

test('a client with a secret signs in, below a base path', async () => {
  const kept = service
  const AUTH_CLIENT_SECRET = 'a-secret-of-the-console'
  service = await start({ AUTH_CLIENT_SECRET, BASE_PATH: '/erp' })
  issuer.setPerson({ subject: 'buyer' })
  const browser = openBrowser(service)
  const isPage = (address: string) => new URL(address).pathname === '/erp/console/order'
  const to = encodeURIComponent('/erp/console/order')
  const end = await browser.open(
    `${service.url}/erp/console/-/login?to=${to}`,
    (address) => !isPage(address),
  )
  assert.equal(end.address, `${service.url}/erp/console/order`)
  assert.equal((await browser.send('GET', '/erp/api/me')).json().email, users.buyer)
  await service.stop()
  service = kept
})

test('wrong codes of the issuer count as wrong credentials of their address', async () => {
  const kept = service
  service = await start({ WRONG_CREDENTIALS_PER_ADDRESS: '3' })
  issuer.setPerson({ subject: 'buyer' })
  const browser = openBrowser(service)
  for (let times = 0; times < 3; times++) {
    const changed = new URL((await comeBack(browser)).address)
    changed.searchParams.set('code', 'wrong')
    assert.equal(failureOf((await browser.open(changed.href, () => false)).address), 'failed')
  }
  const { status } = await browser.open(`${service.url}/console/-/callback?state=x`, () => false)
  assert.equal(status, 429)
  await service.stop()
  service = kept
  await issuer.allow(`${service.url}/console/-/callback`)
})

test('while the issuer does not answer, the page says so', async () => {
  const away = await startSignInIssuer()
  await away.stop()
  const other = await startProject({ ...settings(), AUTH_ISSUER: away.url })
  const { address } = await openBrowser(other).open(`${other.url}/console/-/login`)
  assert.equal(failureOf(address), 'unavailable')
  await other.stop()
})
