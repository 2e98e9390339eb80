/** Native entities that control permissions: "*" does not grant writing them, and role keys of files are reserved. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const fullPermissions = { create: true, read: true, update: true, delete: true, export: true }
const roles = {
  chief: { '*': fullPermissions, vault: { read: true } },
  clerk: { '*': fullPermissions, vault: { read: false } },
  keeper: { security_role: fullPermissions, vault: { read: false } },
}
let service: TestService
let ask: TestService['ask']
const idOf: Record<string, number> = {}
before(async () => {
  const files = Object.entries(roles).map(([key, permissions]) => [
    `roles/${key}.json`,
    { key, permissions },
  ])
  const steps = [
    { key: 'one', actions: [{ key: 'rename', kind: 'proceedToStep', to: 'one', form: 'name' }] },
  ]
  service = await startTestService(
    await writeProject({
      'entities/vault.json': { key: 'vault', fields: [{ key: 'combination', type: 'string' }] },
      'entities/security_role.json': {
        ...{ key: 'security_role', extends: 'native', fields: [] },
        workflow: { initialStep: 'one', steps, forms: [{ key: 'name', fields: ['key'] }] },
      },
      ...Object.fromEntries(files),
    }),
  )
  ask = service.ask
  for (const { id, key } of (await ask('GET', '/security_role')).json().data) idOf[key] = id
  for (const key of Object.keys(roles)) await addUser(key)
})
after(() => service.stop())

const addUser = async (key: string) => {
  const body = {
    ...{ identity_provider_user_id: key, first_name: key, last_name: key, full_name: key },
    ...{ username: `${key}@example.com`, email: `${key}@example.com` },
    security_role_id: idOf[key],
  }
  const reply = await ask('POST', '/user', { body })
  assert.equal(reply.status, 201, reply.text)
  idOf[`user ${key}`] = reply.json().id
}
const clerk = { as: 'clerk@example.com' }
const keeper = { as: 'keeper@example.com' }

for (const entity of [
  'user',
  'security_role',
  'printable_document',
  'user_group',
  'user_group_member',
])
  test(`"*" grants reading ${entity} but not writing it`, async () => {
    assert.equal((await ask('GET', `/${entity}`, clerk)).status, 200)
    const body = { key: 'x' }
    assert.equal((await ask('POST', `/${entity}`, { ...clerk, body })).status, 403)
    assert.equal((await ask('PATCH', `/${entity}/1`, { ...clerk, body })).status, 403)
    assert.equal((await ask('DELETE', `/${entity}/1`, clerk)).status, 403)
    const { permissions } = (await ask('GET', '/api/me', clerk)).json()
    assert.equal(permissions[entity]?.update ?? false, false)
  })

test('"*" grants writing the entities of the project', async () => {
  assert.equal((await ask('POST', '/vault', { body: {} })).status, 201)
  assert.equal((await ask('GET', '/vault/1', { as: 'chief@example.com' })).status, 200)
})

test('nobody, not even an administrator, may change or reuse the key of a role that a file defines', async () => {
  for (const as of [keeper, {}]) {
    const rename = (from: string, key: string) =>
      ask('PATCH', `/security_role/${idOf[from]}`, { ...as, body: { key } })
    for (const [from, to] of [
      ['chief', 'x1'],
      ['keeper', 'chief'],
      ['keeper', 'administrator'],
    ] as const) {
      const reply = await rename(from, to)
      assert.equal(reply.status, 409, reply.text)
      assert.match(reply.json().errors[0].message, /is the key of a role of the project/)
    }
    const created = await ask('POST', '/security_role', {
      ...as,
      body: { key: 'free', name: 'Free' },
    })
    assert.equal(created.status, 201, created.text)
    const reserved = { ...as, body: { key: 'clerk' } }
    assert.equal((await ask('PATCH', `/security_role/${created.json().id}`, reserved)).status, 409)
    const other = { ...as, body: { key: 'other', name: 'Other' } }
    assert.equal((await ask('PATCH', `/security_role/${created.json().id}`, other)).status, 200)
    assert.equal((await ask('DELETE', `/security_role/${created.json().id}`, as)).status, 204)
  }
})

test('the key of a role of a file stays reserved after its record is removed', async () => {
  assert.equal((await ask('DELETE', `/security_role/${idOf.chief}`, keeper)).status, 403)
  await service.database.pool.query(
    'UPDATE records.security_role SET _is_deleted = true WHERE id = $1',
    [idOf.chief],
  )
  const created = await ask('POST', '/security_role', {
    ...keeper,
    body: { key: 'chief', name: 'C' },
  })
  assert.equal(created.status, 409, created.text)
  const renamed = { ...keeper, body: { key: 'chief' } }
  assert.equal((await ask('PATCH', `/security_role/${idOf.keeper}`, renamed)).status, 409)
  await service.database.pool.query(
    'UPDATE records.security_role SET _is_deleted = false WHERE id = $1',
    [idOf.chief],
  )
})

test('the name of a role of a file may be changed when the key stays the same', async () => {
  const body = { key: 'keeper', name: 'Keeper of roles' }
  assert.equal((await ask('PATCH', `/security_role/${idOf.keeper}`, { body })).status, 200)
})

test('a workflow form cannot set a reserved role key either', async () => {
  const body = { action: 'rename', values: { key: 'chief' } }
  const path = `/security_role/${idOf.keeper}/proceedToStep`
  assert.equal((await ask('POST', path, { body })).status, 409)
})
