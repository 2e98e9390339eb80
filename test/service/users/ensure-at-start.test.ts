/** A start creates and updates the records of roles from their files, and an administrator when there is none. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { StartupError } from '../../../src/errors.ts'
import { ensureAdministrator, ensureRoles, listRoles } from '../../../src/users/roles.ts'
import { countAdministrators, findUserByEmail } from '../../../src/users/user-store.ts'
import { opened } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { writeProject } from '../../support/service.ts'
import { catalogOf, createTestProject } from './a-project.ts'

const project = opened(() => createTestProject())

/** Runs four starts at once, of which none writes to the table before all have looked. */
const startAtOnce = async (table: string, start: () => Promise<void>) => {
  const holder = await project.pool.connect()
  try {
    await holder.query(`BEGIN; LOCK TABLE records."${table}" IN SHARE MODE`)
    const starts = Promise.all(Array.from({ length: 4 }, start))
    await untilWaitingForLock(project.pool, 4)
    await holder.query('COMMIT')
    await starts
  } finally {
    holder.release()
  }
}

describe('an administrator', () => {
  const email = 'admin@example.com'
  beforeEach(async () => {
    await project.pool.query('TRUNCATE records."user" CASCADE')
    project.observations.length = 0
  })

  const ensure = () => ensureAdministrator({ ...project, email })
  const assertStartFails = (pattern: RegExp) =>
    assert.rejects(
      ensure(),
      (error) => error instanceof StartupError && pattern.test(error.message),
    )

  test('an empty database gets an administrator whose subject is the e-mail, with an observation', async () => {
    await ensure()
    const user = await findUserByEmail(project.pool, email)
    assert.equal(user?.role_key, 'administrator')
    assert.equal(user.identity_provider_user_id, email)
    assert.deepEqual(project.observations, [{ kind: 'administratorCreated', email }])
  })

  test('concurrent starts create one administrator', async () => {
    await startAtOnce('user', ensure)
    assert.equal(await countAdministrators(project.pool), 1)
    assert.equal(project.observations.length, 1)
  })

  test('no administrator is created when another one exists', async () => {
    await project.addUser('anna', { role_key: 'administrator' })
    await ensure()
    assert.equal(await findUserByEmail(project.pool, email), undefined)
  })

  for (const written of ['admin@example.com', 'Admin@Example.com'])
    test(`the start fails when the user with that e-mail, as ${written}, has another role`, async () => {
      await project.addUser('admin', { email: written })
      await assertStartFails(/admin@example\.com has the role "buyer"/)
      assert.equal((await findUserByEmail(project.pool, email))?.role_key, 'buyer')
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
})

describe('roles', () => {
  const roles = async () =>
    (await listRoles(project.pool)).toSorted((a, b) => (a.key < b.key ? -1 : 1))

  test('every file and the administrator have one record, whose name defaults to the key', async () => {
    assert.deepEqual(await roles(), [
      { key: 'administrator', name: 'Administrator' },
      { key: 'buyer', name: 'Buyer' },
      { key: 'clerk', name: 'clerk' },
    ])
  })

  test('a second start changes no role record', async () => {
    const versions = () =>
      project.pool.query('SELECT id, _version, _updated_at FROM records.security_role ORDER BY id')
    const before = (await versions()).rows
    await ensureRoles(project.pool, project.catalog)
    assert.deepEqual((await versions()).rows, before)
  })

  test('a new name in the file becomes the name of the same record', async () => {
    const idOfBuyer = async () =>
      (await project.pool.query(`SELECT id FROM records.security_role WHERE key = 'buyer'`)).rows
    const before = await idOfBuyer()
    const catalog = await catalogOf({ buyer: { name: 'Purchaser', permissions: {} } })
    await ensureRoles(project.pool, catalog)
    assert.deepEqual(await idOfBuyer(), before)
    assert.equal((await roles()).find(({ key }) => key === 'buyer')?.name, 'Purchaser')
  })

  test('the record of a role without a file stays', async () => {
    const catalog = await catalogOf({})
    await ensureRoles(project.pool, catalog)
    assert.ok((await roles()).some(({ key }) => key === 'clerk'))
  })

  test('concurrent starts create one record for each role', async () => {
    const catalog = await catalogOf({ auditor: { permissions: {} }, planner: { permissions: {} } })
    await startAtOnce('security_role', () => ensureRoles(project.pool, catalog))
    const created = (await roles()).filter(({ key }) => ['auditor', 'planner'].includes(key))
    assert.equal(created.length, 2)
  })

  test('a role that was removed gets a new record', async () => {
    await project.pool.query(
      `UPDATE records.security_role SET _is_deleted = true WHERE key = 'clerk'`,
    )
    await ensureRoles(project.pool, project.catalog)
    assert.equal((await roles()).filter(({ key }) => key === 'clerk').length, 1)
  })

  test('active users of a role without a file are reported by a start and by docket migrate; blocked and inactive ones are not', async () => {
    for (const name of ['anna', 'ben', 'cora', 'dan'])
      await project.addUser(name, { role_key: 'clerk' })
    await project.pool.query(`
      UPDATE records."user" SET is_blocked = true WHERE first_name = 'cora';
      UPDATE records."user" SET is_active = false WHERE first_name = 'dan'`)
    const folder = await writeProject({ 'roles/buyer.json': { key: 'buyer', permissions: {} } })
    const environment = { DATABASE_URL: project.connectionString, PROJECT: folder }
    const migrated = await callDocket(['migrate'], environment)
    assert.equal(migrated.code, 0, migrated.err)
    assert.match(
      migrated.err,
      /Warning: 2 users have the role "clerk", which has no file in roles\/, and have no permissions; add the file or assign another role\./,
    )
    const started = await callDocket(['token'], environment)
    assert.match(started.err, /"role":"clerk","users":2,"msg":"roleUnknown"/)
  })
})
