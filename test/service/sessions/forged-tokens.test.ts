/** An ID token is checked completely: a user who forges one is not signed in, and neither does a broken issuer sign in. */
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { startProject, users } from '../../support/a-project.ts'
import { afterwards } from '../../support/afterwards.ts'
import type { TestService } from '../../support/service.ts'
import { openBrowser } from '../../support/sessions/a-browser.ts'

const AUTH_CLIENT_ID = 'console'

const sendJson = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify(body))
}
/** Answers with an ID token. */
const sendToken = async (response: ServerResponse, token: string | Promise<string>) =>
  sendJson(response, { access_token: 'a', token_type: 'Bearer', id_token: await token })

type Answer = (response: ServerResponse) => Promise<void> | void
type Forge = (nonce: string) => Answer

let issuer: string
/** The key that the issuer publishes, and one that it does not. */
let keys: Record<'published' | 'other', CryptoKey>
/** What its token endpoint answers. */
let answer: Answer
const server = createServer((request, response) => {
  if (request.url === '/token') void answer(response)
  else sendJson(response, request.url === '/keys' ? published : discovery())
})
let published: object
const discovery = () => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  id_token_signing_alg_values_supported: ['ES256'],
})
let service: TestService
before(async () => {
  const [own, other] = [
    await generateKeyPair('ES256', { extractable: true }),
    await generateKeyPair('ES256'),
  ]
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }
  published = { keys: [jwk] }
  keys = { published: own.privateKey, other: other.privateKey }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  service = await startProject({ AUTH_ISSUER: issuer, AUTH_AUDIENCE: 'docket', AUTH_CLIENT_ID })
})
const stop = afterwards(async () => {
  server.close()
  server.closeAllConnections()
})
after(async () => {
  await service.stop()
  await stop()
})

const claims = (nonce: string) => ({
  iss: issuer,
  sub: 'buyer',
  aud: AUTH_CLIENT_ID,
  nonce,
  exp: Math.floor(Date.now() / 1000) + 60,
})

const sign = (payload: Readonly<Record<string, unknown>>, key: CryptoKey) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k' }).setIssuedAt().sign(key)

/** Signs in with what the issuer answers; returns the status of the caller then, and what the console is told. */
const signIn = async (forge: Forge) => {
  const browser = openBrowser(service)
  const begun = new URL((await browser.open(`${service.url}/console/-/login`, () => false)).address)
  answer = forge(begun.searchParams.get('nonce') ?? '')
  const state = begun.searchParams.get('state')
  const callback = `${service.url}/console/-/callback?code=c&state=${state}`
  const { address } = await browser.open(callback, () => false)
  const me = await browser.send('GET', '/api/me')
  return { status: me.status, told: new URL(address).search, email: me.json().email }
}

test('a right token signs in', async () => {
  const found = await signIn(
    (nonce) => (response) => sendToken(response, sign(claims(nonce), keys.published)),
  )
  assert.deepEqual(found, { status: 200, told: '', email: users.buyer })
})

/** Signs a token with other claims. */
const claiming =
  (change: Readonly<Record<string, unknown>>): Forge =>
  (nonce) =>
  (response) =>
    sendToken(response, sign({ ...claims(nonce), ...change }, keys.published))
const past = Math.floor(Date.now() / 1000) - 3600

const rows: readonly [what: string, forge: Forge, failure?: string][] = [
  ['a token of another nonce', claiming({ nonce: 'x'.repeat(43) })],
  ['a token without a nonce', claiming({ nonce: undefined })],
  ['a token for another client', claiming({ aud: 'other' })],
  ['a token for several clients', claiming({ aud: [AUTH_CLIENT_ID, 'other'] })],
  ['a token of another issuer', claiming({ iss: 'https://evil.example' })],
  ['a token that has expired', claiming({ exp: past })],
  ['a token without a subject', claiming({ sub: undefined })],
  [
    'a token that is signed with another key',
    (nonce) => (response) => sendToken(response, sign(claims(nonce), keys.other)),
  ],
  [
    'a token without a signature',
    (nonce) => (response) => sendToken(response, new UnsecuredJWT(claims(nonce)).encode()),
  ],
  [
    'no ID token',
    () => (response) => sendJson(response, { access_token: 'a', token_type: 'Bearer' }),
  ],
  ['an error', () => (response) => sendJson(response, { error: 'invalid_grant' }, 400)],
  ['no JSON', () => (response) => void response.end('<html>')],
  ['a server error', () => (response) => sendJson(response, {}, 500)],
  ['no end of its answer', () => (response) => void response.destroy(), 'unavailable'],
]
for (const [what, forge, failure = 'failed'] of rows)
  test(`an issuer that answers with ${what} signs nobody in`, async () => {
    const { status, told } = await signIn(forge)
    assert.deepEqual([status, told], [401, `?error=${failure}`])
  })
