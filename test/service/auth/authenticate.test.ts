/** From the header to the caller: who is accepted, who is rejected, and who becomes a user. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createAuthenticate } from '../../../src/auth/authenticate.ts'
import { createCallerCache } from '../../../src/auth/callers/caller-cache.ts'
import { StartupError } from '../../../src/errors.ts'
import { startIssuer, type TestIssuer } from '../../support/auth/an-issuer.ts'
import { assertRefused } from '../../support/auth/assert-refused.ts'
import { createTestProject, type TestProject } from '../users/a-project.ts'
import { type Authenticator, openAuthenticator } from './an-authenticator.ts'

let project: TestProject
let issuer: TestIssuer
let authenticator: Authenticator
let open: Authenticator
let userId: number
before(async () => {
  project = await createTestProject()
  issuer = await startIssuer(['anna', 'machine'])
  authenticator = await openAuthenticator(project, issuer)
  open = await openAuthenticator(project, issuer, 'clerk')
  userId = await project.addUser('anna')
})
after(async () => {
  await Promise.all([authenticator.close(), open.close()])
  await issuer.close()
  await project.close()
})

const set = (id: number, change: string) =>
  project.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [id])

test('a token of the issuer authenticates its user, with the role of the user', async () => {
  const caller = await authenticator.authenticate(`Bearer ${await issuer.requestToken('anna')}`)
  const email = 'anna@example.com'
  const expected = { userId, actingUser: null, roleKey: 'buyer', fullName: 'anna Example', email }
  assert.deepEqual(caller, expected)
})

test('the scheme is case-insensitive', async () => {
  assert.ok(await authenticator.authenticate(`bEARER  ${await issuer.sign()}`))
})

for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic YW5uYTpzZWNyZXQ=', 'Bearer a b'])
  test(`the header ${JSON.stringify(header)} is rejected without an error code`, async () => {
    await assertRefused(
      authenticator.authenticate(header),
      /header Authorization/,
      header?.split(' ')[1],
    )
    await assert.rejects(authenticator.authenticate(header), {
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  })

test('a rejected token gets the error code of RFC 6750', async () => {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  await assert.rejects(authenticator.authenticate('Bearer some.old.garbage'), { headers })
})

for (const [state, change, why] of [
  ['blocked', 'is_blocked = true', /blocked/],
  ['inactive', 'is_active = false', /not active/],
  ['removed', '_is_deleted = true', /was removed/],
] as const)
  test(`a user who is ${state} is rejected, also where new callers become users`, async () => {
    await set(await project.addUser(state), change)
    const token = await issuer.sign({ sub: state })
    await assertRefused(authenticator.authenticate(`Bearer ${token}`), why, token)
    await assertRefused(open.authenticate(`Bearer ${token}`), why, token)
  })

test('a user whose role was removed is rejected; a role without a file has no permissions', async () => {
  await project.pool.query(`
    INSERT INTO records.security_role (key, name, _is_deleted, _created_at, _updated_at)
    VALUES ('ghost', 'Ghost', false, now(), now()), ('gone', 'Gone', false, now(), now())`)
  await project.addUser('ghost', { role_key: 'ghost' })
  await project.addUser('gone', { role_key: 'gone' })
  await project.pool.query(`UPDATE records.security_role SET _is_deleted = true WHERE key = 'gone'`)
  const caller = await authenticator.authenticate(`Bearer ${await issuer.sign({ sub: 'ghost' })}`)
  assert.equal(caller.roleKey, 'ghost')
  await assertRefused(
    authenticator.authenticate(`Bearer ${await issuer.sign({ sub: 'gone' })}`),
    /role/,
  )
})

test('a subject without a user is rejected', async () => {
  const token = await issuer.sign({ sub: 'stranger' })
  await assertRefused(authenticator.authenticate(`Bearer ${token}`), /no user/, token)
})

test('a program that is refused again and again is named once a minute, without its token', async () => {
  const claims = { sub: 'busy-program', email: 'busy@example.com' }
  const token = await issuer.sign(claims)
  for (let count = 0; count < 3; count++)
    await assertRefused(authenticator.authenticate(`Bearer ${token}`), /no user/, token)
  const told = project.observations.filter(
    (one) => one.kind === 'callerRefused' && one.subject === claims.sub,
  )
  assert.partialDeepStrictEqual(told, [{ email: claims.email, isEmailVerified: false }])
  assert.equal(told.length, 1)
  const { rows } = await project.pool.query(
    'SELECT email, times FROM docket.refused_sign_in WHERE subject = $1',
    [claims.sub],
  )
  assert.deepEqual(rows, [{ email: claims.email, times: 1 }])
  assert.ok(!JSON.stringify(project.observations).includes(token))
})

const usersWith = async (subject: string) => {
  const { rows } = await project.pool.query(
    `SELECT first_name, last_name, full_name, username, email FROM records."user"
     WHERE identity_provider_user_id = $1`,
    [subject],
  )
  return rows
}

test('a new caller becomes a user with the configured role, once for ten requests', async () => {
  const claims = { email: 'dora@example.com', given_name: 'Dora', family_name: 'Kos' }
  const tokens = await Promise.all(
    Array.from({ length: 10 }, (_, jti) => issuer.sign({ ...claims, sub: 'dora', jti: `${jti}` })),
  )
  const authenticators = [open, await openAuthenticator(project, issuer, 'clerk')]
  const callers = await Promise.all(
    authenticators.flatMap((each) => tokens.map((token) => each.authenticate(`Bearer ${token}`))),
  )
  await authenticators[1]?.close()
  assert.equal(new Set(callers.map((caller) => caller.userId)).size, 1)
  assert.equal(callers[0]?.roleKey, 'clerk')
  assert.deepEqual(await usersWith('dora'), [
    {
      first_name: 'Dora',
      last_name: 'Kos',
      full_name: 'Dora Kos',
      username: 'dora@example.com',
      email: 'dora@example.com',
    },
  ])
  const observed = project.observations.filter(({ kind }) => kind === 'userProvisioned')
  assert.deepEqual(observed, [
    { kind: 'userProvisioned', userId: callers[0]?.userId, role: 'clerk' },
  ])
})

test('a machine without claims becomes a user with an undeliverable e-mail address', async () => {
  await open.authenticate(`Bearer ${await issuer.requestToken('machine')}`)
  const [user] = await usersWith('machine')
  assert.equal(user?.full_name, 'machine')
  assert.match(user?.email, /^[0-9a-f]{32}@users\.invalid$/)
})

test('an e-mail that the issuer has not verified is not that of the new user', async () => {
  const claims = { sub: 'unverified', email: 'eva@example.com', email_verified: false }
  await open.authenticate(`Bearer ${await issuer.sign(claims)}`)
  const [user] = await usersWith('unverified')
  assert.equal(user?.full_name, 'unverified')
  assert.match(user?.email, /@users\.invalid$/)
})

test('a full name is split into first and last name', async () => {
  const claims = { sub: 'filip', name: 'Filip van Dijk', email: 'not an e-mail' }
  await open.authenticate(`Bearer ${await issuer.sign(claims)}`)
  const [user] = await usersWith('filip')
  assert.deepEqual(
    [user?.first_name, user?.last_name, user?.full_name],
    ['Filip', 'Dijk', 'Filip van Dijk'],
  )
})

test('a new caller with the e-mail address of another user does not become that user', async () => {
  const token = await issuer.sign({ sub: 'impostor', email: 'anna@example.com' })
  await assertRefused(
    open.authenticate(`Bearer ${token}`),
    /another user has the same e-mail/,
    token,
  )
  assert.deepEqual(await usersWith('impostor'), [])
})

for (const [provisionRole, why] of [
  ['clark', /no roles\/clark\.json.*clerk/],
  ['administrator', /cannot be "administrator"/],
] as const)
  test(`new callers cannot get the role "${provisionRole}": the start fails`, () => {
    const verifyToken = () => Promise.reject(new Error('not asked'))
    const options = { ...project, callers: createCallerCache(), verifyToken, provisionRole }
    assert.throws(
      () => createAuthenticate(options),
      (error) => error instanceof StartupError && why.test(error.message),
    )
  })
