/** What each permission covers: own records, links to unreadable records, administrators; and `may` of GET …/actions, which says so of one record. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  addOwnUser,
  createAs,
  createOrder,
  invalidPaths,
  sharedProject,
  users,
} from '../../support/a-project.ts'

const service = await sharedProject()
const { ask } = service

type Who = keyof typeof users | 'administrator'
const asOf = (who: Who) => (who === 'administrator' ? {} : { as: users[who] })
const roles: { id: number; key: string }[] = (await ask('GET', '/security_role?limit=100')).json()
  .data
const roleId = (key: string) => roles.find((role) => role.key === key)?.id

describe('Rights: "only administrators hand out the administrator role or change administrators"', () => {
  const as = users.registrar
  const administrator = roleId('administrator')

  test('a registrar may create users of every role except administrator', async () => {
    const create = (name: string, security_role_id: number | undefined) => {
      const email = `${name}@example.com`
      const names = { first_name: name, last_name: 'Example', full_name: `${name} Example` }
      const body = { identity_provider_user_id: name, username: email, email, ...names }
      return ask('POST', '/user', { as, body: { ...body, security_role_id } })
    }
    const path = `/user/${(await create('new', roleId('buyer'))).json(201).id}`
    const body = { security_role_id: administrator }
    for (const reply of [
      await create('second', administrator),
      await ask('PATCH', path, { as, body }),
    ])
      assert.deepEqual(invalidPaths(reply, 422), ['security_role_id'])
    assert.equal((await ask('PATCH', path, { body })).status, 200)
    for (const [method, body] of [
      ['PATCH', { identity_provider_user_id: 'registrar-2' }],
      ['PATCH', { is_blocked: true }],
      ['DELETE', undefined],
    ] as const)
      assert.equal((await ask(method, path, { as, body })).status, 403)
  })

  test('no role can get the key "administrator", and nobody may change or remove the administrator role', async () => {
    const key = 'administrator'
    const path = `/security_role/${administrator}`
    for (const as of [users.registrar, 'admin@example.com'])
      for (const [method, to, status, body] of [
        ['PATCH', path, 403, { key: 'other' }],
        ['DELETE', path, 403, undefined],
        ['PATCH', `/security_role/${roleId('registrar')}`, 409, { key }],
        ['POST', '/security_role', 409, { key, name: 'Second' }],
      ] as const)
        assert.equal((await ask(method, to, { as, body })).status, status, `${as} ${method} ${to}`)
  })
})

test('a change of role or status takes effect with the next request', async () => {
  const as = await addOwnUser(service, 'nobody')
  const search = await ask('POST', '/user/search', { body: { $where: { email: as } } })
  const path = `/user/${search.json().data[0].id}`
  const readAs = async () => (await ask('GET', '/order', { as })).status
  assert.equal(await readAs(), 404)
  for (const [body, status] of [
    [{ security_role_id: roleId('buyer') }, 200],
    [{ is_active: false }, 401],
    [{ is_active: true }, 200],
  ] as const) {
    await ask('PATCH', path, { body })
    assert.equal(await readAs(), status)
  }
  await ask('DELETE', path)
  assert.equal(await readAs(), 401)
  await ask('POST', `${path}/restore`)
  assert.equal(await readAs(), 200)
})

describe('the rights on a record', () => {
  /** The rights that `may` grants. */
  const mayOf = async (path: string, who: Who): Promise<string> => {
    const { may } = (await ask('GET', `${path}/actions`, asOf(who))).json(200)
    assert.deepEqual(Object.keys(may), [
      'update',
      'delete',
      'takeOwnership',
      'tasks',
      'comments',
      'internalComments',
    ])
    return Object.keys(may)
      .filter((right) => may[right] === true)
      .join(' ')
  }

  test('are those of the role, as the writes answer; "own" covers what the caller created or owns', async () => {
    const { id } = await createOrder(service, {}, users.buyer)
    const path = `/order/${id}`
    for (const [who, may, ...statuses] of [
      ['administrator', 'update delete takeOwnership tasks', 200, 201],
      ['buyer', 'update delete takeOwnership', 200, 403],
      ['otherBuyer', 'takeOwnership', 403, 403],
    ] as const) {
      assert.equal(await mayOf(path, who), may)
      const change = await ask('PATCH', path, { body: { notes: who }, ...asOf(who) })
      const task = await ask('POST', `${path}/task`, { body: { description: who }, ...asOf(who) })
      assert.deepEqual([change.status, task.status], statuses, who)
    }
    await ask('POST', `${path}/takeOwnership`, { as: users.otherBuyer })
    assert.equal(await mayOf(path, 'otherBuyer'), 'update delete takeOwnership')
  })

  test('do not include taking over where records have no owner, nor what a guard of native records refuses', async () => {
    const { id } = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
    for (const [path, who, may] of [
      [`/country/${id}`, 'administrator', 'update delete tasks'],
      [`/country/${id}`, 'buyer', ''],
      ['/user/1', 'administrator', 'update delete tasks'],
      ['/user/1', 'registrar', ''],
      [`/security_role/${roleId('administrator')}`, 'registrar', ''],
      // Its file would create it again.
      [`/security_role/${roleId('buyer')}`, 'registrar', 'update'],
    ] as const)
      assert.equal(await mayOf(path, who), may, `${who} ${path}`)
  })

  test('are none on a task, which is written below its record', async () => {
    const { id } = await createOrder(service, {}, users.buyer)
    const task = (await ask('POST', `/order/${id}/task`, { body: { description: 'x' } })).json()
    assert.equal(await mayOf(`/task/${task.id}`, 'administrator'), '')
    const { data } = (await ask('GET', '/api/entities')).json()
    const parts = data.filter((one: { isPartOfRecord: boolean }) => one.isPartOfRecord)
    assert.deepEqual(
      parts.map(({ key }: { key: string }) => key),
      ['comment', 'task'],
    )
  })

  test('come without a step and actions where the entity has no workflow', async () => {
    const { id } = await createOrder(service)
    const { step, data } = (await ask('GET', `/order/${id}/actions`)).json()
    assert.deepEqual([step, data], [null, []])
  })
})
