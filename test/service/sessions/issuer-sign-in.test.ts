/** Signing in at a real issuer: the code flow with PKCE. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { type Browser, openBrowser } from '../../support/sessions/a-browser.ts'
import { clientId, type SignInIssuer, startSignInIssuer } from '../../support/sessions/an-issuer.ts'
import { isPageOf, loginOf, startSignInService } from './a-sign-in-service.ts'

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

/** Signs in at the issuer; ends before the page of the console is opened. */
const signIn = (browser: Browser, to?: string) =>
  browser.open(loginOf(service, to), (address) => !isPageOf(service, address))

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
  const { address } = await browser.open(loginOf(service), () => false)
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

test('a further sign-in ends the session that the browser had', async () => {
  issuer.setPerson({ subject: 'buyer' })
  const browser = openBrowser(service)
  const cookieOf = () => browser.cookies.get(new URL(service.url).host)?.get('docket') ?? ''
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

test('a target that another page has put into the cookie is not gone to', async () => {
  issuer.setPerson({ subject: 'buyer' })
  const browser = openBrowser(service)
  const isCallback = (address: string) => address.includes('/console/-/callback')
  const { address } = await browser.open(loginOf(service), (next) => !isCallback(next))
  const jar = browser.cookies.get(new URL(service.url).host)
  const [state, nonce, verifier] = jar?.get('docket-sign-in')?.split('.') ?? []
  for (const to of ['https://evil.example/', '//evil.example/', '/console/../api/me']) {
    const forged = [state, nonce, verifier, Buffer.from(to).toString('base64url')].join('.')
    jar?.set('docket-sign-in', forged)
    const back = await browser.open(address, (next) => isCallback(next))
    assert.ok(!back.address.includes('evil') && !back.address.includes('/api/me'), back.address)
  }
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
    const { address } = await openBrowser(service).open(
      loginOf(service, to),
      (next) => !next.endsWith(to),
    )
    assert.equal(address, `${service.url}${to}`)
  })

test('two tabs sign in at the same time', async () => {
  issuer.setPerson({ subject: 'buyer' })
  const browser = openBrowser(service)
  const first = await browser.open(loginOf(service), () => false)
  const second = await browser.open(loginOf(service), () => false)
  for (const { address } of [first, second]) {
    const end = await browser.open(address, (next) => !isPageOf(service, next))
    assert.equal(end.address, `${service.url}/console/`)
  }
  assert.equal((await browser.send('GET', '/api/me')).status, 200)
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

test('a client with a secret signs in, below a base path', async () => {
  const AUTH_CLIENT_SECRET = 'a-secret-of-the-console'
  const other = await startSignInService(issuer, { AUTH_CLIENT_SECRET, BASE_PATH: '/erp' })
  issuer.setPerson({ subject: 'buyer' })
  const browser = openBrowser(other)
  const to = '/erp/console/order'
  const end = await browser.open(loginOf(other, to), (address) => !isPageOf(other, address))
  assert.equal(end.address, `${other.url}${to}`)
  assert.equal((await browser.send('GET', '/erp/api/me')).json().email, users.buyer)
  await other.stop()
})
