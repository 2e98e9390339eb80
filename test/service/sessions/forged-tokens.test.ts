/** An ID token is checked completely: whoever forges one is not signed in. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startProject, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { openBrowser } from '../../support/sessions/a-browser.ts'
import {
  type ForgingIssuer,
  sendIdToken,
  sendJson,
  startForgingIssuer,
} from './a-forging-issuer.ts'

const clientId = 'console'

let issuer: ForgingIssuer
let service: TestService
before(async () => {
  issuer = await startForgingIssuer()
  service = await startProject({
    ...{ AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: 'docket', AUTH_CLIENT_ID: clientId },
  })
})
after(async () => {
  await service.stop()
  await issuer.stop()
})

type Forge = Parameters<ForgingIssuer['answerWith']>[0]

/** Signs in with what the issuer answers; returns the browser and the address that it ends at. */
const signIn = async (forge: (nonce: string) => Forge) => {
  const browser = openBrowser(service)
  const begun = new URL((await browser.open(`${service.url}/console/-/login`, () => false)).address)
  issuer.answerWith(forge(begun.searchParams.get('nonce') ?? ''))
  const state = begun.searchParams.get('state')
  const callback = `${service.url}/console/-/callback?code=c&state=${state}`
  const { address } = await browser.open(callback, () => false)
  return { address: new URL(address), browser }
}

const claims = (nonce: string) => ({
  ...{ iss: issuer.url, sub: 'buyer', aud: clientId, nonce },
  exp: Math.floor(Date.now() / 1000) + 60,
})

test('a right token signs in', async () => {
  const { browser, address } = await signIn(
    (nonce) => (response) => sendIdToken(response, claims(nonce), issuer.keys.published),
  )
  assert.equal(address.pathname, '/console/')
  assert.equal((await browser.send('GET', '/api/me')).json().email, users.buyer)
})

const past = () => Math.floor(Date.now() / 1000) - 3600

for (const [what, change] of [
  ['of another nonce', () => ({ nonce: 'x'.repeat(43) })],
  ['without a nonce', () => ({ nonce: undefined })],
  ['for another client', () => ({ aud: 'other' })],
  ['for several clients, without naming the one that asked', () => ({ aud: [clientId, 'other'] })],
  ['of another issuer', () => ({ iss: 'https://evil.example' })],
  ['that has expired', () => ({ exp: past() })],
  ['without a subject', () => ({ sub: undefined })],
  ['with a subject that no database stores', () => ({ sub: 'a\0b' })],
  ['with a subject that is too long', () => ({ sub: 'x'.repeat(256) })],
] as const)
  test(`a token ${what} does not sign in`, async () => {
    const { address } = await signIn(
      (nonce) => (response) =>
        sendIdToken(response, { ...claims(nonce), ...change() }, issuer.keys.published),
    )
    assert.match(address.search, /^\?error=(failed|unknown)$/)
  })

test('a token that is signed with another key does not sign in', async () => {
  const { address, browser } = await signIn(
    (nonce) => (response) => sendIdToken(response, claims(nonce), issuer.keys.other),
  )
  assert.equal(address.search, '?error=failed')
  assert.equal((await browser.send('GET', '/api/me')).status, 401)
})

test('a token without a signature does not sign in', async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const { address } = await signIn((nonce) => (response) => {
    const id_token = `${part({ alg: 'none' })}.${part(claims(nonce))}.`
    sendJson(response, { access_token: 'a', token_type: 'Bearer', id_token })
  })
  assert.equal(address.search, '?error=failed')
})

for (const [what, answer] of [
  ['no ID token', (response) => sendJson(response, { access_token: 'a', token_type: 'Bearer' })],
  ['an error', (response) => sendJson(response, { error: 'invalid_grant' }, 400)],
  ['no JSON', (response) => void response.end('<html>')],
  ['a server error', (response) => sendJson(response, {}, 500)],
] as const satisfies readonly (readonly [string, Forge])[])
  test(`a token endpoint that answers ${what} signs nobody in`, async () => {
    const { address } = await signIn(() => answer)
    assert.equal(address.search, '?error=failed')
  })

test('a token endpoint that breaks off is unavailable', async () => {
  const { address } = await signIn(() => (response) => void response.destroy())
  assert.equal(address.search, '?error=unavailable')
})
