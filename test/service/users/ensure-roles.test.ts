/** A start creates and updates the records of security roles from their files. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ensureRoles } from '../../../src/users/ensure-roles.ts'
import { listRoles } from '../../../src/users/role-store.ts'
import { catalogOf, createTestProject, type TestProject } from './a-project.ts'

let project: TestProject
before(async () => {
  project = await createTestProject()
})
after(() => project.close())

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

test('ten concurrent starts create one record for each role', async () => {
  const catalog = await catalogOf({
    auditor: { name: 'Auditor', permissions: {} },
    planner: { name: 'Planner', permissions: {} },
  })
  await Promise.all(Array.from({ length: 10 }, () => ensureRoles(project.pool, catalog)))
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
