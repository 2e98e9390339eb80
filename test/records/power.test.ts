/** Native entities that give power: what "*" does not cover, and keys of roles that nobody takes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

const every = { create: true, read: true, update: true, delete: true, export: true }
const roles = {
  chief: { '*': every, vault: { read: true } },
  clerk: { '*': every, vault: { read: false } },
  keeper: { security_role: every, vault: { read: false } },
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
  test(`"*" reads ${entity} and does not write it`, async () => {
    assert.equal((await ask('GET', `/${entity}`, clerk)).status, 200)
    const body = { key: 'x' }
    assert.equal((await ask('POST', `/${entity}`, { ...clerk, body })).status, 403)
    assert.equal((await ask('PATCH', `/${entity}/1`, { ...clerk, body })).status, 403)
    assert.equal((await ask('DELETE', `/${entity}/1`, clerk)).status, 403)
    const { permissions } = (await ask('GET', '/api/me', clerk)).json()
    assert.equal(permissions[entity]?.update ?? false, false)
  })

test('"*" writes what the project defines', async () => {
  assert.equal((await ask('POST', '/vault', { body: {} })).status, 201)
  assert.equal((await ask('GET', '/vault/1', { as: 'chief@example.com' })).status, 200)
})

test('nobody, not even an administrator, changes or takes the key of a role with a file', async () => {
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
    const made = await ask('POST', '/security_role', { ...as, body: { key: 'free', name: 'Free' } })
    assert.equal(made.status, 201, made.text)
    const taken = { ...as, body: { key: 'clerk' } }
    assert.equal((await ask('PATCH', `/security_role/${made.json().id}`, taken)).status, 409)
    const other = { ...as, body: { key: 'other', name: 'Other' } }
    assert.equal((await ask('PATCH', `/security_role/${made.json().id}`, other)).status, 200)
    assert.equal((await ask('DELETE', `/security_role/${made.json().id}`, as)).status, 204)
  }
})

test('the key of a role whose record was removed is not free', async () => {
  assert.equal((await ask('DELETE', `/security_role/${idOf.chief}`, keeper)).status, 403)
  await service.database.pool.query(
    'UPDATE records.security_role SET _is_deleted = true WHERE id = $1',
    [idOf.chief],
  )
  const made = await ask('POST', '/security_role', { ...keeper, body: { key: 'chief', name: 'C' } })
  assert.equal(made.status, 409, made.text)
  const renamed = { ...keeper, body: { key: 'chief' } }
  assert.equal((await ask('PATCH', `/security_role/${idOf.keeper}`, renamed)).status, 409)
  await service.database.pool.query(
    'UPDATE records.security_role SET _is_deleted = false WHERE id = $1',
    [idOf.chief],
  )
})

test('a name may be changed beside the same key', async () => {
  const body = { key: 'keeper', name: 'Keeper of roles' }
  assert.equal((await ask('PATCH', `/security_role/${idOf.keeper}`, { body })).status, 200)
})

test('no form of a workflow takes a key either', async () => {
  const body = { action: 'rename', values: { key: 'chief' } }
  const path = `/security_role/${idOf.keeper}/proceedToStep`
  assert.equal((await ask('POST', path, { body })).status, 409)
})
