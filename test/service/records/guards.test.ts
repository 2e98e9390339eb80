/**
 * What guards permissions: "*" does not grant writing native entities, role keys of files are reserved, and no error reveals
 * a name or value that the role may not see.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createUser } from '../../support/console/create-user.ts'
import { roleFiles } from '../../support/definitions/files.ts'
import { workflowOf } from '../../support/definitions/workflow-of.ts'
import { startTestService } from '../../support/service.ts'

const full = { create: true, read: true, update: true, delete: true, export: true }
const hiddenFields = ['secret_code', 'alone']
const roles = {
  chief: { '*': full },
  clerk: { '*': full },
  keeper: { security_role: full },
  restricted: { item: { read: true, create: true, update: true, hiddenFields } },
}
const rename = { key: 'rename', kind: 'proceedToStep', to: 'one', form: 'name' }
const service = await startTestService({
  'entities/item.json': {
    key: 'item',
    displayField: 'secret_code',
    fields: [
      { key: 'reference', type: 'string' },
      { key: 'secret_code', type: 'string', default: 'CODE1' },
      { key: 'alone', type: 'string', unique: true },
    ],
    indexes: [{ fields: ['reference', 'secret_code'], unique: true }],
  },
  'entities/security_role.json': {
    key: 'security_role',
    extends: 'native',
    fields: [],
    workflow: workflowOf({ one: [rename] }, { forms: [{ key: 'name', fields: ['key'] }] }),
  },
  ...roleFiles(roles),
})
after(() => service.stop())
const { ask } = service
const roleIds: Record<string, number> = {}
for (const { id, key } of (await ask('GET', '/security_role')).json().data) roleIds[key] = id
for (const key of Object.keys(roles)) await createUser(service, key)
const clerk = { as: 'clerk@example.com' }
const keeper = { as: 'keeper@example.com' }
const restricted = { as: 'restricted@example.com' }
const pathOf = (role: string) => `/security_role/${roleIds[role]}`

test('"*" grants writing the entities of the project, and of native ones only reading', async () => {
  for (const entity of ['user', 'security_role', 'printable_document', 'user_group']) {
    const body = { key: 'x' }
    const statuses = [
      await ask('GET', `/${entity}`, clerk),
      await ask('POST', `/${entity}`, { ...clerk, body }),
      await ask('PATCH', `/${entity}/1`, { ...clerk, body }),
      await ask('DELETE', `/${entity}/1`, clerk),
    ].map(({ status }) => status)
    assert.deepEqual(statuses, [200, 403, 403, 403], entity)
    const { permissions } = (await ask('GET', '/api/me', clerk)).json()
    assert.equal(permissions[entity]?.update ?? false, false)
  }
  const created = await ask('POST', '/item', { ...clerk, body: {} })
  assert.equal(created.status, 201, created.text)
})

test('nobody, not even an administrator, may change or reuse the key of a role that a file defines', async () => {
  for (const as of [keeper, {}]) {
    for (const [from, key] of [
      ['chief', 'x1'],
      ['keeper', 'chief'],
      ['keeper', 'administrator'],
    ] as const) {
      assert.match(
        (await ask('PATCH', pathOf(from), { ...as, body: { key } })).json(409).errors[0].message,
        /is the key of a role of the project/,
      )
    }
    const free = { ...as, body: { key: 'free', name: 'Free' } }
    const path = `/security_role/${(await ask('POST', '/security_role', free)).json(201).id}`
    assert.equal((await ask('PATCH', path, { ...as, body: { key: 'clerk' } })).status, 409)
    assert.equal((await ask('DELETE', path, as)).status, 204)
  }
})

test('the key of a role of a file stays reserved after its record is removed', async () => {
  const setRemoved = (isRemoved: boolean) =>
    service.database.pool.query('UPDATE records.security_role SET _is_deleted = $1 WHERE id = $2', [
      isRemoved,
      roleIds.chief,
    ])
  assert.equal((await ask('DELETE', pathOf('chief'), keeper)).status, 403)
  await setRemoved(true)
  const body = { key: 'chief', name: 'C' }
  const created = await ask('POST', '/security_role', { ...keeper, body })
  assert.equal(created.status, 409, created.text)
  const renamed = { ...keeper, body: { key: 'chief' } }
  assert.equal((await ask('PATCH', pathOf('keeper'), renamed)).status, 409)
  await setRemoved(false)
})

test('the name of a role of a file may be changed when the key stays the same, and no form of a workflow sets a reserved key', async () => {
  const body = { key: 'keeper', name: 'Keeper of roles' }
  assert.equal((await ask('PATCH', pathOf('keeper'), { body })).status, 200)
  const proceed = { body: { action: 'rename', values: { key: 'chief' } } }
  assert.equal((await ask('POST', `${pathOf('keeper')}/proceedToStep`, proceed)).status, 409)
})

test('a unique conflict does not name hidden fields', async () => {
  const create = (reference: string) => ask('POST', '/item', { ...restricted, body: { reference } })
  assert.equal((await create('A')).status, 201)
  const { id } = (await create('B')).json()
  for (const conflict of [
    await create('A'),
    await ask('PATCH', `/item/${id}`, { ...restricted, body: { reference: 'A' } }),
  ]) {
    assert.equal(conflict.status, 409, conflict.text)
    assert.doesNotMatch(conflict.text, /secret_code|alone|CODE1/)
    const message =
      'another item has the same combination of reference and fields that your role may not read; it must be unique'
    assert.deepEqual(conflict.json().errors, [{ path: 'reference', message }])
  }
})
