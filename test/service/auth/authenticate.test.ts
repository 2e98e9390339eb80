/** From the header to the caller, by token or API key: who is accepted, who is rejected, and who becomes a user. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  createApiKey,
  listApiKeys,
  markApiKeyUsed,
  revokeApiKey,
} from '../../../src/auth/callers/api-keys.ts'
import { createCallerCache } from '../../../src/auth/callers/caller-cache.ts'
import { createNoteUse } from '../../../src/auth/callers/credential-notes.ts'
import { createAuthenticate } from '../../../src/auth/callers/find-callers.ts'
import { createPool } from '../../../src/database/pool.ts'
import { StartupError } from '../../../src/errors.ts'
import { startIssuer } from '../../support/auth/an-issuer.ts'
import { assertRefused } from '../../support/auth/assert-refused.ts'
import { until } from '../../support/wait.ts'
import { openAuthenticator, shareTestProject } from './an-authenticator.ts'

const project = await shareTestProject()
const issuer = await startIssuer(['anna', 'machine'])
const authenticator = await openAuthenticator(project, issuer)
const open = await openAuthenticator(project, issuer, 'clerk')
const userId = await project.addUser('anna')
after(async () => {
  await Promise.all([authenticator.close(), open.close()])
  await issuer.close()
})

test('a token of the issuer authenticates its user, with the role of the user', async () => {
  const caller = await authenticator.authenticate(`Bearer ${await issuer.requestToken('anna')}`)
  const email = 'anna@example.com'
  const expected = { userId, actingUser: null, roleKey: 'buyer', fullName: 'anna Example', email }
  assert.deepEqual(caller, expected)
})

test('what is no bearer token is rejected without an error code, a rejected token with that of RFC 6750', async () => {
  assert.ok(await authenticator.authenticate(`bEARER  ${await issuer.sign()}`))
  for (const header of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic YW5uYTpzZWNyZXQ=',
    'Bearer a b',
  ]) {
    const rejected = authenticator.authenticate(header)
    await assertRefused(rejected, /header Authorization/, header?.split(' ')[1])
    await assert.rejects(rejected, { headers: { 'WWW-Authenticate': 'Bearer' } })
  }
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  await assert.rejects(authenticator.authenticate('Bearer some.old.garbage'), { headers })
})

for (const [state, change, why] of [
  ['blocked', 'is_blocked = true', /blocked/],
  ['inactive', 'is_active = false', /not active/],
  ['removed', '_is_deleted = true', /was removed/],
] as const)
  test(`a user who is ${state} is rejected with a token and a key, also where new callers become users`, async () => {
    const id = await project.addUser(state)
    const { key } = await createApiKey(project.pool, { userId: id, name: state })
    await project.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [id])
    for (const credential of [key, await issuer.sign({ sub: state })])
      for (const { authenticate } of [authenticator, open])
        await assertRefused(authenticate(`Bearer ${credential}`), why, credential)
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

test('a program without a user is refused, and named once a minute without its token', async () => {
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

test('what a new caller does not tell, or is not verified, is made up from the subject', async () => {
  await open.authenticate(`Bearer ${await issuer.requestToken('machine')}`)
  const unverified = { email: 'eva@example.com', email_verified: false }
  await open.authenticate(`Bearer ${await issuer.sign({ sub: 'unverified', ...unverified })}`)
  for (const subject of ['machine', 'unverified']) {
    const [user] = await usersWith(subject)
    assert.equal(user?.full_name, subject)
    assert.match(user?.email, /^[0-9a-f]{32}@users\.invalid$/)
  }
  const named = { name: 'Filip van Dijk', email: 'not an e-mail' }
  await open.authenticate(`Bearer ${await issuer.sign({ sub: 'filip', ...named })}`)
  assert.partialDeepStrictEqual(await usersWith('filip'), [
    { first_name: 'Filip', last_name: 'Dijk', full_name: 'Filip van Dijk' },
  ])
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

describe('an API key', () => {
  const lastUse = async (id: number) =>
    (await listApiKeys(project.pool)).find((listed) => listed.id === id)?.last_used_at
  const newKey = () => createApiKey(project.pool, { userId, name: 'nightly import' })

  test('authenticates its user, also while the issuer is unavailable', async () => {
    issuer.stop()
    const { key } = await newKey()
    assert.match(key, /^docket_[A-Za-z0-9_-]{43}$/)
    assert.equal((await authenticator.authenticate(`Bearer ${key}`)).userId, userId)
    issuer.start()
  })

  test('that is wrong is rejected, and the database does not contain the right one', async () => {
    const { id, key } = await newKey()
    for (const wrong of ['docket_', `${key}x`, key.slice(0, -1), 'docket_\u00e9'])
      await assertRefused(
        authenticator.authenticate(`Bearer ${wrong}`),
        /wrong or was revoked/,
        wrong,
      )
    const { rows } = await project.pool.query('SELECT * FROM docket.api_key WHERE id = $1', [id])
    assert.ok(!JSON.stringify(rows).includes(key.slice('docket_'.length)))
  })

  test('that has an end is valid to the end of that day, also where it is known', async () => {
    const day = new Date().toISOString().slice(0, 10)
    const ending = { userId, name: 'guest', until: { day, timeZone: 'UTC' } }
    const { id, key } = await createApiKey(project.pool, ending)
    assert.equal((await authenticator.authenticate(`Bearer ${key}`)).userId, userId)
    const [listed] = await listApiKeys(project.pool, { userId })
    assert.equal(
      listed?.expires_at,
      `${new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`,
    )
    await project.pool.query(
      `UPDATE docket.api_key SET expires_at = now() + interval '1 second' WHERE id = $1`,
      [id],
    )
    // As if it had been so from the beginning; no change drops the caller when the second has passed.
    authenticator.callers.forget()
    await until(() =>
      authenticator.authenticate(`Bearer ${key}`).then(
        () => false,
        () => true,
      ),
    )
    await assertRefused(authenticator.authenticate(`Bearer ${key}`), /was valid until 20/, key)
  })

  test('that is revoked is rejected by every process, and can be revoked only once', async () => {
    const { id, key } = await newKey()
    await authenticator.authenticate(`Bearer ${key}`)
    assert.equal(await revokeApiKey(project.pool, id), true)
    await until(() =>
      authenticator.authenticate(`Bearer ${key}`).then(
        () => false,
        () => true,
      ),
    )
    await assertRefused(authenticator.authenticate(`Bearer ${key}`), /revoked/, key)
    assert.equal(await revokeApiKey(project.pool, id), false)
  })

  test('is listed with its user and times, the newest first', async () => {
    const id = await project.addUser('bert')
    const first = await createApiKey(project.pool, { userId: id, name: 'first' })
    const second = await createApiKey(project.pool, { userId: id, name: 'second' })
    await revokeApiKey(project.pool, first.id)
    const keys = await listApiKeys(project.pool, { userId: id })
    assert.deepEqual(
      keys.map((key) => [key.id, key.name, key.user_id, key.email, key.revoked_at !== null]),
      [
        [second.id, 'second', id, 'bert@example.com', false],
        [first.id, 'first', id, 'bert@example.com', true],
      ],
    )
    assert.match(keys[0]?.created_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.ok((await listApiKeys(project.pool)).length > keys.length)
  })

  test('is not created for a user who does not exist', async () => {
    await assert.rejects(createApiKey(project.pool, { userId: 999_999, name: 'x' }), StartupError)
  })

  test('has the time of its last use, which is stored at most once a minute and clears no cached caller', async () => {
    const { id, key } = await newKey()
    assert.equal(await lastUse(id), null)
    await authenticator.authenticate(`Bearer ${key}`)
    await until(async () => (await lastUse(id)) !== null)
    // The notification of the new key may arrive after its first use, and then clears the cached callers.
    await until(async () => {
      const before = authenticator.statements.length
      await authenticator.authenticate(`Bearer ${key}`)
      return authenticator.statements.length === before
    })
    const before = authenticator.statements.length
    for (let round = 0; round < 10; round++) await authenticator.authenticate(`Bearer ${key}`)
    assert.equal(authenticator.statements.length, before)
  })

  test('has its use stored once a minute by all processes together', async () => {
    const { id } = await newKey()
    for (const [seconds, isStored] of [
      [50, false],
      [70, true],
    ] as const) {
      const aged = `last_used_at = now() - make_interval(secs => ${seconds}) WHERE id = ${id}`
      await project.pool.query(`UPDATE docket.api_key SET ${aged}`)
      const before = await lastUse(id)
      await markApiKeyUsed(project.pool, id)
      assert.equal((await lastUse(id)) !== before, isStored)
    }
  })

  test('whose use cannot be stored is reported, and does not reject the request', async () => {
    const unavailable = createPool({
      connectionString: 'postgres://nobody@127.0.0.1:1/nothing',
      size: 1,
      observe: project.observe,
    })
    createNoteUse({ ...project, mark: (id) => markApiKeyUsed(unavailable, id) })(1)
    await until(() => project.observations.some(({ kind }) => kind === 'databaseConnectionLost'))
    await unavailable.end()
  })
})
