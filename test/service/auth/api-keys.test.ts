/** API keys: returned once, stored as digests, revoked immediately. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { markApiKeyUsed } from '../../../src/auth/callers/api-key-store.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../../../src/auth/callers/api-keys.ts'
import { createNoteUse } from '../../../src/auth/callers/note-use.ts'
import { createPool } from '../../../src/database/pool.ts'
import { StartupError } from '../../../src/errors.ts'
import { startIssuer, type TestIssuer } from '../../support/auth/an-issuer.ts'
import { assertRefused } from '../../support/auth/assert-refused.ts'
import { until } from '../../support/wait.ts'
import { createTestProject, type TestProject } from '../users/a-project.ts'
import { type Authenticator, openAuthenticator } from './an-authenticator.ts'

let project: TestProject
let issuer: TestIssuer
let authenticator: Authenticator
let userId: number
before(async () => {
  project = await createTestProject()
  issuer = await startIssuer([])
  authenticator = await openAuthenticator(project, issuer)
  userId = await project.addUser('anna')
})
after(async () => {
  await authenticator.close()
  await issuer.close()
  await project.close()
})

const newKey = (name = 'nightly import') => createApiKey(project.pool, { userId, name })

test('a key authenticates its user, also while the issuer is unavailable', async () => {
  issuer.stop()
  const { key } = await newKey()
  assert.match(key, /^docket_[A-Za-z0-9_-]{43}$/)
  assert.equal((await authenticator.authenticate(`Bearer ${key}`)).userId, userId)
  issuer.start()
})

test('the database does not contain the key itself', async () => {
  const { id, key } = await newKey()
  const { rows } = await project.pool.query('SELECT * FROM docket.api_key WHERE id = $1', [id])
  assert.ok(!JSON.stringify(rows).includes(key.slice('docket_'.length)))
})

test('a wrong key is rejected', async () => {
  const { key } = await newKey()
  for (const wrong of ['docket_', `${key}x`, key.slice(0, -1), 'docket_\u00e9'])
    await assertRefused(
      authenticator.authenticate(`Bearer ${wrong}`),
      /wrong or was revoked/,
      wrong,
    )
})

test('every process rejects a revoked key, and a key can be revoked only once', async () => {
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

for (const [state, change, why] of [
  ['blocked', 'is_blocked = true', /blocked/],
  ['inactive', 'is_active = false', /not active/],
  ['removed', '_is_deleted = true', /user of the API key was removed/],
] as const)
  test(`the key of a user who is ${state} is rejected`, async () => {
    const id = await project.addUser(state)
    const { key } = await createApiKey(project.pool, { userId: id, name: state })
    await project.pool.query(`UPDATE records."user" SET ${change} WHERE id = $1`, [id])
    await assertRefused(authenticator.authenticate(`Bearer ${key}`), why, key)
  })

test('keys are listed with their user and times, the newest first', async () => {
  const id = await project.addUser('bert')
  const first = await createApiKey(project.pool, { userId: id, name: 'first' })
  const second = await createApiKey(project.pool, { userId: id, name: 'second' })
  await revokeApiKey(project.pool, first.id)
  const keys = await listApiKeys(project.pool, id)
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

test('no key is created for a user who does not exist', async () => {
  await assert.rejects(createApiKey(project.pool, { userId: 999_999, name: 'x' }), StartupError)
})

test('the time of the last use is stored at most once a minute, and clears no cached caller', async () => {
  const { id, key } = await newKey()
  const lastUse = async () =>
    (await listApiKeys(project.pool)).find((listed) => listed.id === id)?.last_used_at
  assert.equal(await lastUse(), null)
  await authenticator.authenticate(`Bearer ${key}`)
  await until(async () => (await lastUse()) !== null)
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

test('after a minute the use is stored again, once by all processes together', async () => {
  const { id } = await newKey()
  let passedMs = 0
  const marks: Promise<unknown>[] = []
  const mark = (keyId: number) => {
    const marked = markApiKeyUsed(project.pool, keyId)
    marks.push(marked)
    return marked
  }
  const now = () => Date.now() + passedMs
  const noters = [1, 2].map(() => createNoteUse({ ...project, mark, now }))
  const lastUse = async (): Promise<string> => {
    const { rows } = await project.pool.query(
      'SELECT last_used_at FROM docket.api_key WHERE id = $1',
      [id],
    )
    return rows[0]?.last_used_at
  }
  for (const note of noters) note(id)
  await Promise.all(marks)
  assert.notEqual(await lastUse(), null)
  await project.pool.query(
    `UPDATE docket.api_key SET last_used_at = now() - interval '2 minutes' WHERE id = $1`,
    [id],
  )
  const before = await lastUse()
  passedMs = 61_000
  for (const note of noters) note(id)
  await until(async () => (await lastUse()) !== before)
})

test('a use that cannot be stored is reported and does not reject the request', async () => {
  const unavailable = createPool({
    connectionString: 'postgres://nobody@127.0.0.1:1/nothing',
    size: 1,
    observe: project.observe,
  })
  createNoteUse({ ...project, mark: (id) => markApiKeyUsed(unavailable, id) })(1)
  await until(() => project.observations.some(({ kind }) => kind === 'databaseConnectionLost'))
  await unavailable.end()
})
