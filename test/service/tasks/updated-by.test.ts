/** `updated_by` of a task has the same keys for every caller, and fewer permissions never show more. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const roles = {
  all: { user: { read: true } },
  hides: { user: { read: true, hiddenFields: ['email', 'phone', 'security_role'] } },
  own: { user: { read: 'own' } },
  none: {},
  hides_name: { user: { read: false, hiddenFields: ['full_name'] } },
}
type Role = keyof typeof roles

const keys = [
  ...['id', '_is_deleted', '_created_by', '_updated_by', '_created_at', '_updated_at'],
  ...['identity_provider_user_id', 'first_name', 'last_name', 'full_name', 'username', 'email'],
  ...['phone', 'job_title', 'is_contact', 'security_role_id', 'is_active', 'is_blocked'],
  'blocked_at',
]

/** What stands for a value that the role hides: it has the type of the value. */
const hidden: Readonly<Record<string, unknown>> = {
  ...{ id: 0, security_role_id: 0, _is_deleted: false, is_contact: false, is_blocked: false },
  ...{ is_active: true, _created_by: null, _updated_by: null, phone: null, job_title: null },
  ...{ blocked_at: null, identity_provider_user_id: '', first_name: '', last_name: '' },
  ...{ full_name: '', username: '', email: '' },
  ...{ _created_at: '1970-01-01T00:00:00.000Z', _updated_at: '1970-01-01T00:00:00.000Z' },
}

let service: TestService
let record: number
before(async () => {
  const files = Object.entries(roles).map(([key, permissions]) => [
    `roles/${key}.json`,
    { key, permissions: { matter: { read: true, tasks: true }, ...permissions } },
  ])
  service = await startTestService(
    await writeProject({
      'entities/matter.json': { key: 'matter', fields: [{ key: 'name', type: 'string' }] },
      'entities/user.json': {
        ...{ key: 'user', extends: 'native' },
        fields: [{ key: 'pin', type: 'string', required: true, default: '0000' }],
      },
      ...Object.fromEntries(files),
    }),
  )
  const { data } = (await service.ask('GET', '/security_role')).json()
  for (const key of Object.keys(roles)) {
    const { id } = data.find((one: { key: string }) => one.key === key)
    const body = {
      ...{
        identity_provider_user_id: key,
        first_name: key,
        last_name: key,
        full_name: `Full ${key}`,
      },
      ...{ username: mailOf(key), email: mailOf(key), security_role_id: id, pin: 'PINSECRET' },
    }
    assert.equal((await service.ask('POST', '/user', { body })).status, 201)
  }
  record = (await service.ask('POST', '/matter', { body: {} })).json().id
  await service.ask('PATCH', '/user/1', { body: { phone: '12345' } })
  const task = { description: 'x' }
  assert.equal((await service.ask('POST', `/matter/${record}/task`, { body: task })).status, 201)
})
after(() => service.stop())

const mailOf = (name: string) => `${name}@example.com`
/** `updated_by` of a task as a role reads it. */
const seenBy = async (role: Role, index = 0) => {
  const reply = await service.ask('GET', `/matter/${record}/task`, { as: mailOf(role) })
  const { updated_by } = reply.json()[index]
  assert.deepEqual(Object.keys(updated_by).toSorted(), keys.toSorted(), role)
  return updated_by
}
const namesSeen = async (role: Role) =>
  Object.entries(await seenBy(role)).flatMap(([name, value]) =>
    JSON.stringify(value) === JSON.stringify(hidden[name]) ? [] : [name],
  )

test('a role that may read users gets all fields', async () => {
  const { phone, email, username } = await seenBy('all')
  assert.deepEqual([phone, email, username], ['12345', 'admin@example.com', 'admin@example.com'])
})

test('fields that the role hides have an empty value of their type', async () => {
  const { email, phone, security_role_id, username } = await seenBy('hides')
  assert.deepEqual([email, phone, security_role_id], ['', null, 0])
  assert.equal(username, 'admin@example.com')
})

test('without permission to read the user only id and full name are shown, and fewer permissions never show more', async () => {
  assert.deepEqual(await namesSeen('own'), ['id', 'full_name'])
  assert.deepEqual(await namesSeen('none'), ['id', 'full_name'])
  assert.deepEqual(await namesSeen('hides_name'), ['id'])
  const all = new Set(await namesSeen('all'))
  for (const role of ['hides', 'own', 'none', 'hides_name'] as const)
    for (const name of await namesSeen(role)) assert.ok(all.has(name), `${role} ${name}`)
})

test('users read all fields of themselves that are not hidden', async () => {
  const body = { description: 'mine' }
  await service.ask('POST', `/matter/${record}/task`, { as: mailOf('none'), body })
  assert.equal((await seenBy('none', 1)).email, mailOf('none'))
})

test('the history shows the full name by the same rule', async () => {
  for (const [role, name] of [
    ['none', 'Administrator'],
    ['hides_name', null],
  ] as const) {
    const reply = await service.ask('GET', `/matter/${record}/history`, { as: mailOf(role) })
    assert.equal(reply.json().data.at(-1).user.full_name, name)
  }
})

test('every field has the type of the interface, whoever reads the task', async () => {
  const nullable = ['_created_by', '_updated_by', 'phone', 'job_title', 'blocked_at']
  for (const role of Object.keys(roles) as Role[])
    for (const [name, value] of Object.entries(await seenBy(role)))
      if (!nullable.includes(name))
        assert.equal(typeof value, typeof hidden[name], `${role} ${name}`)
})

test('OpenAPI describes these keys with these types, without the fields that the project adds', async () => {
  const { components } = (await service.ask('GET', '/api/openapi.json')).json()
  const { required, properties } = components.schemas.UserRecord
  assert.deepEqual([required, Object.keys(properties).toSorted()], [keys, keys.toSorted()])
  const types = { string: 'string', number: 'integer', boolean: 'boolean' }
  for (const name of keys)
    if (hidden[name] === null) assert.ok(properties[name].type.includes('null'), name)
    else assert.equal(properties[name].type, types[typeof hidden[name] as 'string'], name)
})

test('/api/me shows all fields of the caller except those that the role hides', async () => {
  const me = (await service.ask('GET', '/api/me', { as: mailOf('hides') })).json()
  assert.deepEqual(
    [me.full_name, me.pin, 'email' in me, 'phone' in me],
    ['Full hides', 'PINSECRET', false, false],
  )
  assert.doesNotMatch(JSON.stringify(me.permissions), /phone/)
  assert.equal(
    (await service.ask('GET', '/api/me', { as: mailOf('none') })).json().email,
    mailOf('none'),
  )
})
