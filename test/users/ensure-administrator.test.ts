/** A database without an administrator gets one, and nobody becomes one silently. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { StartupError } from '../../src/errors.ts'
import { ensureAdministrator } from '../../src/users/ensure-administrator.ts'
import { countAdministrators, findUserByEmail } from '../../src/users/user-store.ts'
import { createTestProject, type TestProject } from './a-project.ts'

const email = 'admin@example.com'

let project: TestProject
beforeEach(async () => {
  project = await createTestProject()
})
afterEach(() => project.close())

const ensure = () => ensureAdministrator({ ...project, email })
const refuses = (words: RegExp) =>
  assert.rejects(ensure(), (error) => error instanceof StartupError && words.test(error.message))

test('an empty database gets an administrator whose subject is the e-mail, and says so', async () => {
  await ensure()
  const user = await findUserByEmail(project.pool, email)
  assert.equal(user?.role_key, 'administrator')
  assert.equal(user.identity_provider_user_id, email)
  assert.deepEqual(project.observations, [{ kind: 'administratorCreated', email }])
})

test('ten starts at once make one administrator', async () => {
  await Promise.all(Array.from({ length: 10 }, ensure))
  assert.equal(await countAdministrators(project.pool), 1)
  assert.equal(project.observations.length, 1)
})

test('where another administrator is, nothing is made', async () => {
  await project.addUser('anna', { role_key: 'administrator' })
  await ensure()
  assert.equal(await findUserByEmail(project.pool, email), undefined)
})

test('a user with that e-mail and another role is not elevated: the start says so', async () => {
  await project.addUser('admin')
  await refuses(/admin@example\.com has the role "buyer"/)
  assert.equal((await findUserByEmail(project.pool, email))?.role_key, 'buyer')
})

test('upper and lower case in the e-mail make no second user', async () => {
  await project.addUser('admin', { email: 'Admin@Example.com' })
  await refuses(/Admin@Example\.com has the role "buyer"/)
})

test('a blocked administrator is not enough, and is not unblocked', async () => {
  await ensure()
  await project.pool.query('UPDATE records."user" SET is_blocked = true')
  await refuses(/blocked or inactive/)
})

test('a removed administrator is replaced by a new one', async () => {
  await ensure()
  await project.pool.query('UPDATE records."user" SET _is_deleted = true')
  await ensure()
  assert.equal(await countAdministrators(project.pool), 1)
})
