/** Tokens of a real issuer: which are accepted, and what the service does while keys change. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { createRemoteKeySource } from '../../../src/auth/tokens/remote-key-source.ts'
import { createVerifyToken } from '../../../src/auth/tokens/verify-token.ts'
import { ApiError } from '../../../src/errors.ts'
import { opened } from '../../support/afterwards.ts'
import { audience, startIssuer } from '../../support/auth/an-issuer.ts'
import { assertRefused } from '../../support/auth/assert-refused.ts'

/** A clock that stands still: how long a test takes does not matter. */
const startMs = Date.now()
let passedMs = 0
const now = () => startMs + passedMs
const inSeconds = (seconds: number) => Math.floor(startMs / 1000) + seconds
const verifier = (url = issuer.url) =>
  createVerifyToken({ keys: createRemoteKeySource({ issuer: url, now }), audience, now })

const issuer = opened(() => startIssuer(['anna']))
beforeEach(() => {
  passedMs = 0
  issuer.start()
})

const isIssuerUnavailable = (error: unknown) =>
  error instanceof ApiError &&
  error.code === 'issuer.unavailable' &&
  error.headers['Retry-After'] === '2'

test('the claims about the user are read', async () => {
  const token = await issuer.sign({
    email: 'anna@example.com',
    given_name: 'Anna',
    family_name: 'Horvat',
    name: 'Anna\n Horvat',
  })
  assert.deepEqual(await verifier()(token), {
    subject: 'anna',
    email: 'anna@example.com',
    isEmailVerified: undefined,
    givenName: 'Anna',
    familyName: 'Horvat',
    name: 'Anna Horvat',
  })
})

test('an e-mail is verified, or not, only where the issuer says so with true or false', async () => {
  for (const [email_verified, read] of [
    [true, true],
    [false, false],
    ['true', undefined],
    [1, undefined],
  ] as const)
    assert.equal((await verifier()(await issuer.sign({ email_verified }))).isEmailVerified, read)
})

test('a token of the issuer is accepted, and a trailing slash in its name makes no difference', async () => {
  for (const url of [issuer.url, `${issuer.url}/`])
    assert.equal((await verifier(url)(await issuer.requestToken('anna'))).subject, 'anna')
})

const claimsOfAnna = () => ({ sub: 'anna', iss: issuer.url, aud: audience, exp: inSeconds(600) })
const sign = (claims: Parameters<typeof issuer.sign>[0], header = {}) => issuer.sign(claims, header)
const badTokens: readonly [string, () => string | Promise<string>, RegExp][] = [
  ['an expired token', () => sign({ exp: inSeconds(-10) }), /has expired/],
  ['a token that is not valid yet', () => sign({ nbf: inSeconds(60) }), /not valid yet/],
  ['a token without an expiry', () => sign({ exp: undefined }), /when it expires/],
  ['a token without a subject', () => sign({ sub: undefined }), /name a subject/],
  ['a token whose subject is a number', () => sign({ sub: 12345 as never }), /name a subject/],
  ['a token with an empty subject', () => sign({ sub: '' }), /name a subject/],
  ['a token with a long subject', () => sign({ sub: 'x'.repeat(256) }), /name a subject/],
  ['a token whose subject holds NUL', () => sign({ sub: 'anna\0' }), /name a subject/],
  ['a logout token', () => sign({}, { typ: 'logout+jwt' }), /not an access token/],
  ['a token whose type is a number', () => sign({}, { typ: 5 }), /not an access token/],
  ['a token bound to a key', () => sign({ cnf: { jkt: 'x' } }), /bound to a key/],
  ['a token for another audience', () => sign({ aud: 'https://other.example.com' }), /audience/],
  ['a token without an audience', () => sign({ aud: undefined }), /audience/],
  ['a token of another issuer', () => sign({ iss: other }), /not issued by AUTH_ISSUER/],
  [
    'a token of another issuer with its key',
    () => sign({ iss: other }, unknown),
    /not issued by AUTH_ISSUER/,
  ],
  ['a token with an unknown key', () => sign({}, unknown), /does not publish/],
  ['a token signed by someone else', () => signedBySomeoneElse(), /signature/],
  ['a token with changed claims', () => withOtherSubject(), /signature/],
  ['a token with alg none', () => new UnsecuredJWT(claimsOfAnna()).encode(), /asymmetric/],
  ['a token of HS256 with the public key as secret', () => signedWithPublicKey(), /asymmetric/],
  ['garbage', () => 'garbage', /neither a signed JWT nor an API key/],
  ['garbage in three parts', () => 'some.more.garbage', /neither a signed JWT nor an API key/],
  ['a token with two parts', async () => (await sign({})).replace(/\.[^.]*$/, ''), /neither/],
]
const other = 'https://other.example.com'
const unknown = { kid: 'unknown' }

for (const [what, make, why] of badTokens)
  test(`${what} is rejected`, async () => {
    const token = await make()
    await assertRefused(verifier()(token), why, token)
  })

const signedBySomeoneElse = async () => {
  const { privateKey } = await generateKeyPair('ES256')
  const token = new SignJWT(claimsOfAnna()).setProtectedHeader({ alg: 'ES256', kid: 'first' })
  return token.sign(privateKey)
}

const withOtherSubject = async () => {
  const [header, payload, signature] = (await issuer.sign()).split('.')
  const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString())
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'bert' })).toString('base64url')
  return [header, changed, signature].join('.')
}

const signedWithPublicKey = async () => {
  const secret = new TextEncoder().encode(await exportSPKI(issuer.publicKey()))
  return new SignJWT(claimsOfAnna()).setProtectedHeader({ alg: 'HS256', kid: 'first' }).sign(secret)
}

test('a token that expired a moment ago is still accepted, because clocks differ', async () => {
  assert.ok(await verifier()(await issuer.sign({ exp: inSeconds(-2), nbf: inSeconds(2) })))
})

test('a cached token expires at its own time', async () => {
  const verify = verifier()
  const token = await issuer.sign({ exp: inSeconds(60) })
  await verify(token)
  passedMs = 66_000
  await assertRefused(verify(token), /has expired/, token)
})

test('while the issuer is unavailable, new tokens get a 503; afterwards they are accepted', async () => {
  const verify = verifier()
  const token = await issuer.sign()
  issuer.stop()
  await assert.rejects(verify(token), isIssuerUnavailable)
  await assert.rejects(verify(token), isIssuerUnavailable)
  issuer.start()
  passedMs = 3_000
  assert.ok(await verify(token))
})

test('while the issuer is unavailable, cached keys are used whatever their age', async () => {
  const verify = verifier()
  await verify(await issuer.sign())
  issuer.stop()
  passedMs = 3_600_000
  assert.ok(await verify(await issuer.sign({ exp: inSeconds(7_200) })))
})

test('a discovery document that names another issuer is rejected', async () => {
  const verify = verifier(issuer.url.replace('127.0.0.1', 'localhost'))
  await assert.rejects(verify(await issuer.sign()), /names another issuer/)
})

test('a rotated key is accepted without a restart, and the old one no longer', async () => {
  const verify = verifier()
  await verify(await issuer.requestToken('anna'))
  const old = await issuer.sign()
  await issuer.rotateKey()
  const tokens = await Promise.all([1, 2, 3].map(() => issuer.requestToken('anna')))
  await assertRefused(verify(tokens[0] ?? ''), /does not publish/)
  passedMs = 6_000
  assert.equal((await Promise.all(tokens.map((token) => verify(token)))).length, 3)
  await assertRefused(verify(old), /does not publish/, old)
})

test('a token of any type of access tokens is accepted', async () => {
  for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt'])
    assert.ok(
      await verifier()(await issuer.sign({}, typ === undefined ? {} : { typ })),
      String(typ),
    )
})
