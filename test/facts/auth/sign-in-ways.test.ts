/** Which ways a service offers: what is named, where people can use it, and what it needs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relyingPartyOf } from '../../../src/auth/passkeys/verify-passkey.ts'
import { findMissingOfWays, offeredSignInWays } from '../../../src/auth/sign-in-ways.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import type { SignInWay } from '../../../src/definitions/schemas/role-definition.ts'

type Settings = Readonly<Record<string, string>>

const waysOf = (settings: Settings, named?: SignInWay[]) =>
  offeredSignInWays(loadConfig(settings), named ? { signIn: { ways: named } } : {})

const issuer = { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'a' }

test('a project or its operator names the ways, and without an issuer there are two', () => {
  const rows: readonly (readonly [Settings, SignInWay[] | undefined, readonly SignInWay[]])[] = [
    [{}, undefined, ['password', 'passkey']],
    [{}, ['code'], ['code']],
    [{}, [], []],
    [{ SIGN_IN: 'passkey, password' }, ['code'], ['passkey', 'password']],
    [{ SIGN_IN: 'none' }, ['code'], []],
    [issuer, undefined, []],
    [issuer, ['password'], ['password']],
    [{ ...issuer, SIGN_IN: 'code' }, undefined, ['code']],
    [{ PUBLIC_URL: 'https://a.example' }, undefined, ['password', 'passkey']],
    [{ PUBLIC_URL: 'http://a.example' }, undefined, []],
    [{ HOST: '0.0.0.0' }, ['password'], []],
  ]
  for (const [settings, named, offered] of rows)
    assert.deepEqual(waysOf(settings, named).offered, offered, JSON.stringify([settings, named]))
})

test('why people do not sign in by a way is said, with what to do', () => {
  const rows: readonly (readonly [Settings, SignInWay[] | undefined, RegExp])[] = [
    [{ SIGN_IN: 'code' }, undefined, /^SIGN_IN does not name "password"\.$/],
    [{}, ['code'], /^The ways of "signIn" in docket\.json do not name "password"\.$/],
    [issuer, undefined, /AUTH_ISSUER; "signIn": \{"ways": \["password"\]\} in docket\.json, or/],
    [{ HOST: '0.0.0.0' }, undefined, /without TLS: set PUBLIC_URL/],
  ]
  for (const [settings, named, reason] of rows)
    assert.match(waysOf(settings, named).whyNot('password') ?? '', reason)
  assert.equal(waysOf({}).whyNot('password'), undefined)
})

test('passkeys belong to a name, and an invitation leads to what there is', () => {
  const address = waysOf({ PUBLIC_URL: 'https://10.0.0.5' })
  assert.deepEqual(address.offered, ['password'])
  assert.match(address.whyNot('passkey') ?? '', /belong to a name/)
  assert.deepEqual(waysOf({ PUBLIC_URL: 'https://[::1]:8443' }, ['passkey']).offered, [])
  for (const way of ['passkey', 'password', 'code'] as const)
    assert.equal(waysOf({}, [way]).whyNoInvitations, undefined)
  assert.equal(waysOf({ ...issuer, AUTH_CLIENT_ID: 'console' }).whyNoInvitations, undefined)
  assert.match(waysOf({}, []).whyNoInvitations ?? '', /do not name "password"/)
  const onlyAddress = waysOf({ PUBLIC_URL: 'https://[::1]:8443' }, ['passkey'])
  assert.match(onlyAddress.whyNoInvitations ?? '', /belong to a name/)
})

test('the site of passkeys is the public address, or this machine by its name', () => {
  const siteOf = (settings: Settings) => relyingPartyOf(loadConfig(settings), 4711)
  assert.deepEqual(siteOf({ PUBLIC_URL: 'https://a.example:8443/docket/' }), {
    id: 'a.example',
    origin: 'https://a.example:8443',
  })
  assert.deepEqual(siteOf({}), { id: 'localhost', origin: 'http://localhost:4711' })
})

test('codes need a provider of e-mails where others can reach the service', () => {
  const missing = (settings: Settings, named: SignInWay[] = ['password', 'code']) =>
    findMissingOfWays(loadConfig(settings), { signIn: { ways: named } })
  const reachable = { PUBLIC_URL: 'https://a.example' }
  assert.match(missing(reachable)?.message ?? '', /set EMAIL_PROVIDER to another provider/)
  assert.equal(missing(reachable)?.isOfOperator, false)
  assert.equal(missing({ ...reachable, SIGN_IN: 'code' })?.isOfOperator, true)
  assert.equal(missing({ ...reachable, SIGN_IN: 'password' }), undefined)
  assert.equal(missing({ ...reachable, EMAIL_PROVIDER: 'smtp' }), undefined)
  assert.equal(missing(reachable, ['password']), undefined)
  // A developer reads the file.
  assert.equal(missing({}), undefined)
})
