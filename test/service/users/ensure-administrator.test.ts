/** A start creates an administrator when there is none, and never makes an existing user administrator. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { StartupError } from '../../../src/errors.ts'
import { ensureAdministrator } from '../../../src/users/ensure-administrator.ts'
import { countAdministrators, findUserByEmail } from '../../../src/users/user-store.ts'
import { createTestProject, type TestProject } from './a-project.ts'

const email = 'admin@example.com'

let project: TestProject
beforeEach(async () => {
  project = await createTestProject()
})
afterEach(() => project.close())

const ensure = () => ensureAdministrator({ ...project, email })
const assertStartFails = (pattern: RegExp) =>
  assert.rejects(ensure(), (error) => error instanceof StartupError && pattern.test(error.message))

test('an empty database gets an administrator whose subject is the e-mail, with an observation', async () => {
  await ensure()
  const user = await findUserByEmail(project.pool, email)
  assert.equal(user?.role_key, 'administrator')
  assert.equal(user.identity_provider_user_id, email)
  assert.deepEqual(project.observations, [{ kind: 'administratorCreated', email }])
})

test('ten concurrent starts create one administrator', async () => {
  await Promise.all(Array.from({ length: 10 }, ensure))
  assert.equal(await countAdministrators(project.pool), 1)
  assert.equal(project.observations.length, 1)
})

test('no administrator is created when another one exists', async () => {
  await project.addUser('anna', { role_key: 'administrator' })
  await ensure()
  assert.equal(await findUserByEmail(project.pool, email), undefined)
})

test('the start fails when the user with that e-mail has another role', async () => {
  await project.addUser('admin')
  await assertStartFails(/admin@example\.com has the role "buyer"/)
  assert.equal((await findUserByEmail(project.pool, email))?.role_key, 'buyer')
})

test('the start fails when the user with that e-mail in another letter case has another role', async () => {
  await project.addUser('admin', { email: 'Admin@Example.com' })
  await assertStartFails(/admin@example\.com has the role "buyer"/)
})

test('the start fails when the only administrator is blocked', async () => {
  await ensure()
  await project.pool.query('UPDATE records."user" SET is_blocked = true')
  await assertStartFails(/blocked or inactive/)
})

test('a removed administrator is replaced by a new one', async () => {
  await ensure()
  await project.pool.query('UPDATE records."user" SET _is_deleted = true')
  await ensure()
  assert.equal(await countAdministrators(project.pool), 1)
})
