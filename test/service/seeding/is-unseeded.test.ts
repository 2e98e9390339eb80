/** A start seeds a project only once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnseeded, loadSeeds } from '../../../src/seeding/load-seeds.ts'
import { insertUser } from '../../../src/users/user-store.ts'
import { acme, seeded, shareSeeded, user } from './a-seeded-project.ts'

shareSeeded()

test('a project without seeds loads nothing and is not unseeded', async () => {
  const { pool, project } = seeded
  assert.equal(await isUnseeded(pool, project), false)
  assert.deepEqual(await loadSeeds({ pool, project, timeZone: 'UTC' }), { files: [] })
})

test('a project is unseeded until an entity with seeds has had a record, not counting users', async () => {
  const { pool, project } = seeded
  await seeded.write({ '1-user.json': [user('anna')], '2-supplier.json': [acme] })
  assert.equal(await isUnseeded(pool, project), true)
  await addAdministrator()
  assert.equal(await isUnseeded(pool, project), true)
  await loadSeeds({ pool, project, timeZone: 'UTC' })
  await pool.query('UPDATE records.supplier SET _is_deleted = true')
  assert.equal(await isUnseeded(pool, project), false)
})

test('a project that seeds users only is unseeded while the administrator is its only user', async () => {
  const { pool, project } = seeded
  await seeded.write({ '1-user.json': [user('anna')] })
  await addAdministrator()
  assert.equal(await isUnseeded(pool, project), true)
  await loadSeeds({ pool, project, timeZone: 'UTC' })
  assert.equal(await isUnseeded(pool, project), false)
})

const addAdministrator = () =>
  insertUser(seeded.pool, {
    identity_provider_user_id: 'admin',
    first_name: 'Docket',
    last_name: 'Administrator',
    full_name: 'Administrator',
    email: 'admin@example.com',
    role_key: 'administrator',
  })
