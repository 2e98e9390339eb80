/** What follows from a further role of a user: tasks, views, explanations, and who gives and takes it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createAs } from '../../support/a-project.ts'
import { pngOf, uploadFile } from '../../support/uploads.ts'
import { both, shareSeveralRoles } from './a-several-roles-project.ts'

const service = await shareSeveralRoles()
const { as: ask, ids, roleId, addRole, person, newClaim } = service

test('a file is read of the records whose role shows its field', async () => {
  for (const [region, status] of [
    ['N', 200],
    ['S', 404],
  ] as const) {
    const id = await newClaim({ region, photo: await uploadFile(service, 'a.png', pngOf('a')) })
    const { photo } = (await service.ask('GET', `/claim/${id}`)).json(200)
    assert.equal((await ask('GET', `/claim/${id}/file/${photo.id}`, both)).status, status)
  }
})

describe('a field of tasks that some roles hide', () => {
  const body = { description: 'Look', type: 'call', payload: 'p' }
  const addTask = async (region: string, more: object = {}) => {
    const id = await newClaim({ region })
    const task = (
      await service.ask('POST', `/claim/${id}/task`, { body: { ...body, ...more } })
    ).json(201)
    return { id, at: `/claim/${id}`, path: `/claim/${id}/${task.id}` }
  }
  type Shown = Readonly<Record<string, unknown>>
  const seen = ({ type, payload }: Shown) => [type, payload]
  const tasksOf = async (path: string): Promise<readonly Shown[]> =>
    (await ask('GET', path, both)).json(200)

  test('is shown of each record by the roles that reach it, in lists and in the history', async () => {
    const assigne_id = ids.get('chief')
    const made = [await addTask('N', { assigne_id }), await addTask('S', { assigne_id })]
    const expected = [
      ['call', 'p'],
      ['call', undefined],
    ]
    for (const [index, { at }] of made.entries()) {
      assert.deepEqual((await tasksOf(`${at}/task`)).map(seen), [expected[index]])
      const { data } = (await ask('GET', `${at}/history`, both)).json(200)
      const { changes } = data.find((one: Shown) => one.operation === 'createTask')
      const stored = (name: string) => changes[name]?.after
      assert.deepEqual([stored('type'), stored('payload')], expected[index])
    }
    const { data } = (await ask('GET', `/api/tasks?assignee=${assigne_id}`, both)).json(200)
    assert.deepEqual(data.map(seen), expected)
  })

  test('is shown of their own tasks to assignees, whatever the role reaches', async () => {
    const { at } = await addTask('S', { assigne_id: ids.get('clerk-north') })
    assert.deepEqual((await tasksOf(`${at}/task`)).map(seen), [['call', 'p']])
    const { data } = (await ask('GET', '/api/tasks', both)).json(200)
    assert.deepEqual(data.map(seen), [['call', 'p']])
  })

  test('is written by one of the roles that reach the record', async () => {
    const [north, south] = [await addTask('N'), await addTask('S')]
    const put = async (path: string, values: object) =>
      (await ask('PUT', path, both, values)).status
    for (const [path, values, status] of [
      [north.path, { payload: 'q', type: 'visit', description: 'x' }, 204],
      // Of the roles that reach it, one hides it, and the other one only shows it.
      [north.path, { due_date: '2026-05-04T10:00:00Z' }, 400],
      [south.path, { type: 'visit' }, 204],
      [south.path, { payload: 'q' }, 400],
      [south.path, { description: 'x' }, 400],
    ] as const)
      assert.equal(await put(path, values), status, JSON.stringify(values))
    const add = async ({ at }: { at: string }) =>
      (await ask('POST', `${at}/task`, both, { payload: 'q' })).status
    assert.deepEqual([await add(north), await add(south)], [201, 400])
  })

  test('of who changed a task is shown of the users whom a role reads which shows it', async () => {
    const role = await addRole('clerk-north', 'self')
    const { path, at } = await addTask('N')
    const changer = async () => (await tasksOf(`${at}/task`))[0]?.updated_by as Shown
    const admin = { username: 'admin@example.com', email: '', phone: null }
    await service.database.pool.query(`UPDATE records."user" SET phone = '1'`)
    assert.partialDeepStrictEqual(await changer(), admin)
    await ask('PUT', path, both, { type: 'visit' })
    assert.partialDeepStrictEqual(await changer(), { username: both, email: both })
    await service.ask('DELETE', `/user_role/${role}`)
  })
})

test('administrators are told what each of the roles decides', async () => {
  const entityId = await newClaim({ region: 'S', state: 'draft' })
  const body = { entityKey: 'claim', entityId, userId: ids.get('clerk-north') }
  const { may, roles } = (await service.ask('POST', '/api/access/explain', { body })).json(200)
  assert.deepEqual([may.read, may.update, may.delete], [true, true, false])
  const reads = roles.map(({ key, rights }: { key: string; rights: { may: boolean }[] }) => [
    key,
    rights[0]?.may,
  ])
  assert.deepEqual(reads, [
    ['clerk', true],
    ['north', false],
  ])
})

test('views that are shared with a further role are shared with its users', async () => {
  const view = {
    entity_key: 'claim',
    name: 'Of the north',
    columns: ['name', 'price'],
    is_shared_with: 'role',
    security_role_id: await roleId('north'),
  }
  await createAs(service, 'saved_view', view)
  const seenBy = async (as: string) =>
    (await ask('GET', '/saved_view', as)).json(200).data.map(({ name }: { name: string }) => name)
  assert.deepEqual(await seenBy(both), ['Of the north'])
  assert.deepEqual(await seenBy('clerk@example.com'), [])
})

describe('a role of a user', () => {
  test('is found by its users, and counted, as that of their record and as a further one', async () => {
    await person('twice', 'keeper')
    await addRole('twice', 'keeper')
    await person('left', 'clerk')
    await addRole('left', 'keeper')
    assert.equal((await service.ask('DELETE', `/user/${ids.get('left')}`)).status, 204)
    const search = async (entity: string, body: object) =>
      (await service.ask('POST', `/${entity}/search`, { body })).json(200)
    // As the console asks.
    const ofRole = (key: string) => ({
      $or: [{ 'security_role.key': key }, { roles: { $some: { 'security_role.key': key } } }],
    })
    const further = {
      security_role: { $ne: { $field: 'user.security_role' } },
      'user._is_deleted': false,
    }
    const $group = ['security_role.key']
    const { groups } = await search('user', { $group })
    const { groups: others } = await search('user_role', { $where: further, $group })
    for (const key of ['keeper', 'approver', 'administrator', 'clerk']) {
      const { total } = await search('user', { $where: ofRole(key), $count: true })
      const counted = [...groups, ...others]
        .filter((group: { key: object }) => Object.values(group.key).includes(key))
        .reduce((sum: number, { count }: { count: number }) => sum + count, 0)
      assert.equal(counted, total, key)
    }
    const emails = (await search('user', { $where: ofRole('approver') })).data.map(
      ({ email }: { email: string }) => email,
    )
    assert.deepEqual(emails.toSorted(), [
      'clerk-approver@example.com',
      'north-approver@example.com',
    ])
  })

  test('counts from the next request on, and until it is taken away', async () => {
    await person('new', 'keeper')
    const as = 'new@example.com'
    const read = async () => (await ask('GET', '/claim', as)).status
    assert.equal(await read(), 404)
    const id = await addRole('new', 'clerk')
    assert.equal(await read(), 200)
    const { role: first, roles } = (await ask('GET', '/api/me', as)).json(200)
    assert.equal(first, 'keeper')
    assert.deepEqual(
      roles.map(({ key }: { key: string }) => key),
      ['keeper', 'clerk'],
    )
    assert.equal((await service.ask('DELETE', `/user_role/${id}`)).status, 204)
    assert.equal(await read(), 404)
  })

  test('makes an administrator', async () => {
    const { role, roles, administration } = (await ask('GET', '/api/me', 'chief@example.com')).json(
      200,
    )
    assert.equal(role, 'administrator')
    const keys = roles.map(({ key }: { key: string }) => key)
    assert.deepEqual([keys[0], keys.length > 1], ['administrator', true])
    assert.ok(administration.length > 0)
  })

  test("is given by who may write these records, except the administrator's, who alone takes it away", async () => {
    const as = 'keeper@example.com'
    const give = async (name: string, key: string) =>
      (
        await ask('POST', '/user_role', as, {
          user_id: ids.get(name),
          security_role_id: await roleId(key),
        })
      ).status
    assert.equal(await give('clerk', 'north'), 201)
    assert.equal(await give('clerk', 'north'), 409)
    assert.equal(await give('keeper', 'administrator'), 422)
    const where = { 'user.email': 'chief@example.com' }
    const { data } = (await ask('POST', '/user_role/search', as, { $where: where })).json(200)
    const [{ id }] = data
    assert.equal((await ask('DELETE', `/user_role/${id}`, as)).status, 403)
    const body = { user_id: ids.get('keeper') }
    assert.equal((await ask('PATCH', `/user_role/${id}`, as, body)).status, 403)
    const other = { identity_provider_user_id: 'keeper-2' }
    assert.equal((await ask('PATCH', `/user/${ids.get('chief')}`, as, other)).status, 403)
    assert.equal((await ask('PATCH', `/user/${ids.get('clerk')}`, as, { phone: '1' })).status, 200)
    assert.equal((await ask('POST', '/user_role', 'clerk@example.com', body)).status, 403)
  })
})
