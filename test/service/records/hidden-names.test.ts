/** No error reveals a name or value that the role may not see: neither conflicts nor unknown names or entities. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const fields = [
  { key: 'reference', type: 'string' },
  { key: 'secret_code', type: 'string', default: 'CODE1' },
  { key: 'alone', type: 'string', unique: true },
  { key: 'basis', type: 'manyToOne', entity: 'vault' },
]
const hiddenFields = ['secret_code', 'alone']
let service: TestService
before(async () => {
  service = await startTestService(
    await writeProject({
      'entities/item.json': {
        ...{ key: 'item', displayField: 'secret_code', fields },
        indexes: [{ fields: ['reference', 'secret_code'], unique: true }],
      },
      'entities/vault.json': { key: 'vault', fields: [{ key: 'code', type: 'string' }] },
      'roles/restricted.json': {
        key: 'restricted',
        permissions: { item: { read: true, create: true, update: true, hiddenFields } },
      },
    }),
  )
  const roles = (await service.ask('GET', '/security_role')).json().data
  const role = roles.find((one: { key: string }) => one.key === 'restricted')
  const body = {
    ...{ identity_provider_user_id: 'restricted', first_name: 'b', last_name: 'b', full_name: 'b' },
    ...{ username: restricted.as, email: restricted.as, security_role_id: role.id },
  }
  assert.equal((await service.ask('POST', '/user', { body })).status, 201)
})
after(() => service.stop())

const restricted = { as: 'restricted@example.com' }

test('a unique conflict does not name hidden fields', async () => {
  const body = { reference: 'A' }
  assert.equal((await service.ask('POST', '/item', { ...restricted, body })).status, 201)
  const other = await service.ask('POST', '/item', { ...restricted, body: { reference: 'B' } })
  for (const conflict of [
    await service.ask('POST', '/item', { ...restricted, body }),
    await service.ask('PATCH', `/item/${other.json().id}`, { ...restricted, body }),
  ]) {
    assert.equal(conflict.status, 409, conflict.text)
    assert.doesNotMatch(conflict.text, /secret_code|alone|CODE1/)
    assert.deepEqual(conflict.json().errors, [
      {
        path: 'reference',
        message:
          'is already used by another item in this combination of reference and fields that your role may not read; it must be unique',
      },
    ])
  }
})

test('suggestions contain visible names only', async () => {
  for (const [method, path, body] of [
    ['GET', '/vaul', undefined],
    ['GET', '/vault', undefined],
    ['POST', '/vault', {}],
    ['POST', '/vault/export', {}],
    ['GET', '/vault/1/task', undefined],
    ['PUT', '/vault/1/1', {}],
    ['POST', '/vault/1/task', {}],
    ['GET', '/api/entities/vaul', undefined],
    ['GET', '/api/tasks?entity=vaul', undefined],
  ] as const) {
    const reply = await service.ask(method, path, { ...restricted, ...(body && { body }) })
    const { status, code } = reply.json()
    assert.deepEqual([status, code], [404, 'entity.unknown'], `${method} ${path} ${reply.text}`)
    assert.doesNotMatch(reply.text, /did you mean "vault/)
  }
  const search = { $where: { secret_cod: 'x' }, $orderBy: ['alon'] }
  const reply = await service.ask('POST', '/item/search', { ...restricted, body: search })
  assert.equal(reply.status, 400)
  assert.doesNotMatch(reply.text, /secret_code|alone/)
})

test('/api/me, /api/entities and the OpenAPI document do not contain hidden names', async () => {
  for (const path of ['/api/me', '/api/entities', '/api/entities/item', '/api/openapi.json']) {
    const { text, status } = await service.ask('GET', path, restricted)
    assert.equal(status, 200, path)
    assert.doesNotMatch(text, /secret_code|"alone"|vault/, path)
  }
})

test('an error about a link does not name an entity on which the role has no permission', async () => {
  for (const [method, path, body] of [
    ['POST', '/item/search', { $where: { 'basis.code': 'x' } }],
    ['POST', '/item/search', { $where: { 'basis.codes.name': 'x' } }],
    ['POST', '/item/search', { $select: ['basis.code'] }],
    ['GET', '/item?include=basis', undefined],
    ['GET', '/item?sort=basis.code', undefined],
    ['POST', '/item', { basis_id: 99 }],
  ] as const) {
    const { status, text } = await service.ask(method, path, {
      ...restricted,
      ...(body && { body }),
    })
    assert.ok(status === 400 || status === 422, `${method} ${path} ${status}`)
    assert.doesNotMatch(text, /vault/, `${method} ${path}`)
  }
  const { text } = await service.ask('POST', '/item', { body: { basis_id: 99 } })
  assert.match(text, /there is no vault 99 that you may read/)
})
