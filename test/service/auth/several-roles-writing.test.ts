/** What users with several roles may write: by a role that grants the write from its beginning to its end, and what it lets write. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { queryRows } from '../../../src/database/pool.ts'
import { int, sql, table } from '../../../src/database/sql.ts'
import { getEntity } from '../../../src/definitions/catalog.ts'
import { heldRolesOf, holder, usersWithRole } from '../../../src/users/user-store.ts'
import { compileTakers } from '../../../src/workflow/takers.ts'
import { insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'

const string = (key: string, more: object = {}) => ({ key, type: 'string', ...more })
const role = (key: string, claim: object, more: object = {}) => ({
  [`roles/${key}.json`]: { key, permissions: { ...(claim && { claim }), ...more } },
})

const files = {
  ...entityFile('claim', [
    string('name', { required: true }),
    string('region'),
    string('state'),
    string('reason'),
    { key: 'price', type: 'integer' },
  ]),
  // Changes what is a draft, and no price.
  ...role(
    'clerk',
    {
      read: true,
      create: true,
      update: true,
      tasks: true,
      readOnlyFields: ['price'],
      conditions: { update: { state: 'draft' } },
      messages: { update: 'Only drafts.' },
    },
    { task: { hiddenFields: ['payload'], readOnlyFields: ['description'] } },
  ),
  // Everything in the north.
  ...role(
    'north',
    {
      read: true,
      create: true,
      update: true,
      delete: true,
      tasks: true,
      hiddenFields: ['reason'],
      actions: ['approve'],
      conditions: { read: { region: 'N' }, create: { price: { $lt: 100 } } },
    },
    { task: { hiddenFields: ['type'] }, user: { read: true, hiddenFields: ['email', 'phone'] } },
  ),
  // Has the action everywhere, and sees no region of what it approves.
  ...role('approver', {
    read: true,
    actions: ['approve'],
    conditions: { read: { state: 'ready' } },
  }),
  // Sees of users what the role of the north hides, of its own user alone.
  ...role('self', {}, { user: { read: 'own', hiddenFields: ['phone'] } }),
  ...role(
    'keeper',
    {},
    {
      user: { read: true, update: true },
      security_role: { read: true },
      user_role: { read: true, create: true, update: true, delete: true },
    },
  ),
}
const claim = {
  ...JSON.parse(JSON.stringify(Object.values(files)[0])),
  displayField: 'name',
  workflow: {
    initialStep: 'open',
    steps: [
      {
        key: 'open',
        actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'done', form: 'approval' }],
      },
      { key: 'done', final: true },
    ],
    forms: [{ key: 'approval', fields: ['reason', 'state'] }],
  },
}

const service = opened(() => startTestService({ ...files, 'entities/claim.json': claim }))
const ids = new Map<string, number>()
const both = 'clerk-north@example.com'

const roleId = async (key: string) => {
  const body = { $where: { key }, $select: ['id'] }
  return (await service.ask('POST', '/security_role/search', { body })).json(200).data[0].id
}
const addRole = async (name: string, key: string) => {
  const body = { user_id: ids.get(name), security_role_id: await roleId(key) }
  return (await createAs(service, 'user_role', body)).id as number
}
const person = async (name: string, key: string) =>
  ids.set(name, await insertPerson(service.database.pool, name, key))
const newClaim = async (values: object) =>
  (await createAs(service, 'claim', { name: 'C', ...values })).id as number
const ask = (method: string, path: string, as: string, body?: object) =>
  service.ask(method, path, { as, ...(body && { body }) })
const change = async (id: number, body: object, as = both) =>
  (await ask('PATCH', `/claim/${id}`, as, body)).status

before(async () => {
  for (const [name, key] of [
    ['clerk', 'clerk'],
    ['clerk-north', 'clerk'],
    ['clerk-approver', 'clerk'],
    ['north-approver', 'north'],
    ['keeper', 'keeper'],
    ['chief', 'clerk'],
  ] as const)
    await person(name, key)
  await addRole('clerk-north', 'north')
  await addRole('clerk-approver', 'approver')
  await addRole('north-approver', 'approver')
  await addRole('chief', 'administrator')
})

describe('a change', () => {
  test('is granted by the role that includes the record', async () => {
    const southDraft = await newClaim({ region: 'S', state: 'draft' })
    assert.equal(await change(southDraft, { name: 'D' }), 200)
    assert.equal(await change(southDraft, { price: 5 }), 400)
    const northSent = await newClaim({ region: 'N', state: 'sent' })
    assert.equal(await change(northSent, { name: 'D', price: 5 }), 200)
    const southSent = await newClaim({ region: 'S', state: 'sent' })
    const refused = await ask('PATCH', `/claim/${southSent}`, both, { name: 'D' })
    assert.equal(refused.status, 403)
    assert.match(refused.text, /Only drafts/)
  })

  test('writes the fields that one of the roles that grant it lets write', async () => {
    const northDraft = await newClaim({ region: 'N', state: 'draft' })
    assert.equal(await change(northDraft, { price: 5, reason: 'both' }), 200)
    const northSent = await newClaim({ region: 'N', state: 'sent' })
    assert.equal(await change(northSent, { reason: 'hidden from the one that grants it' }), 400)
  })

  test('is granted to its end: no role begins what another one ends', async () => {
    const southDraft = await newClaim({ region: 'S', state: 'draft' })
    assert.equal(await change(southDraft, { state: 'sent' }), 403)
    const northDraft = await newClaim({ region: 'N', state: 'draft' })
    // The clerk's role begins it and not the one that lets write the reason.
    assert.equal(await change(northDraft, { state: 'sent', reason: 'gone' }), 400)
    assert.equal(await change(northDraft, { state: 'sent', price: 3 }), 200)
    const { state, reason, price } = (
      await ask('GET', `/claim/${northDraft}`, 'admin@example.com')
    ).json(200)
    assert.deepEqual([state, reason, price], ['sent', null, 3])
  })

  test('of many records is that of each', async () => {
    const all = [
      await newClaim({ region: 'S', state: 'draft' }),
      await newClaim({ region: 'N', state: 'sent' }),
      await newClaim({ region: 'S', state: 'sent' }),
    ]
    const body = { ids: all, do: { change: { name: 'Many' } } }
    const { text, status } = await ask('POST', '/claim/bulk', both, body)
    assert.equal(status, 200, text)
    const named = { $where: { name: 'Many' }, $orderBy: ['id'], $select: ['id'] }
    const { data } = (await ask('POST', '/claim/search', 'admin@example.com', named)).json(200)
    assert.deepEqual(
      data.map(({ id }: { id: number }) => id),
      all.slice(0, 2),
    )
  })
})

test('a new record is granted by one role as a whole', async () => {
  const create = async (values: object) =>
    (await ask('POST', '/claim', both, { name: 'New', ...values })).status
  assert.equal(await create({ price: 50 }), 201)
  assert.equal(await create({ reason: 'of the clerk' }), 201)
  assert.equal(await create({ price: 500 }), 400)
  assert.equal(await create({ price: 500, reason: 'of nobody' }), 400)
})

test('a removal is granted by the role that includes the record', async () => {
  const [north, south] = [await newClaim({ region: 'N' }), await newClaim({ region: 'S' })]
  const remove = async (id: number) => (await ask('DELETE', `/claim/${id}`, both)).status
  assert.deepEqual([await remove(north), await remove(south)], [204, 403])
})

test('the rights on a record are those that one of the roles has there', async () => {
  const actionsOf = async (id: number) => {
    const { may, data, unmetRights } = (await ask('GET', `/claim/${id}/actions`, both)).json(200)
    return {
      update: may.update,
      delete: may.delete,
      actions: data.map(({ key }: { key: string }) => key),
      unmet: unmetRights.map(({ right }: { right: string }) => right),
    }
  }
  const north = await newClaim({ region: 'N', state: 'sent' })
  assert.deepEqual(await actionsOf(north), {
    update: true,
    delete: true,
    actions: ['approve'],
    unmet: [],
  })
  const south = await newClaim({ region: 'S', state: 'draft' })
  assert.deepEqual(await actionsOf(south), { update: true, delete: false, actions: [], unmet: [] })
  const sent = await newClaim({ region: 'S', state: 'sent' })
  assert.deepEqual(await actionsOf(sent), {
    update: false,
    delete: false,
    actions: [],
    unmet: ['update'],
  })
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

describe('an action', () => {
  const take = (id: number, as: string, values: object = {}) =>
    ask('POST', `/claim/${id}/proceedToStep`, as, { action: 'approve', values })

  test('is taken on the records that a role with it reads, with the fields of its form that this role shows', async () => {
    const south = await newClaim({ region: 'S', state: 'sent' })
    assert.equal((await take(south, both)).status, 403)
    const north = await newClaim({ region: 'N', state: 'sent' })
    assert.equal((await take(north, both, { reason: 'hidden from north' })).status, 400)
    assert.equal((await take(north, both, { state: 'fine' })).status, 200)
    const ready = await newClaim({ region: 'S', state: 'ready' })
    assert.equal((await take(ready, 'clerk-approver@example.com', { reason: 'fine' })).status, 200)
  })

  test('waits for a decision where a role with it reads the record, once', async () => {
    const made = [
      await newClaim({ region: 'N', state: 'ready', name: 'Both' }),
      await newClaim({ region: 'N', state: 'sent', name: 'North' }),
      await newClaim({ region: 'S', state: 'ready', name: 'Ready' }),
      await newClaim({ region: 'S', state: 'sent', name: 'None' }),
    ]
    const waiting = async (as: string) => {
      const { data } = (await ask('GET', '/api/approvals?limit=100', as)).json(200)
      const { count } = (await ask('GET', '/api/approvals/count', as)).json(200)
      assert.equal(count, data.length)
      return made.map((id) => data.filter((one: { id: number }) => one.id === id).length)
    }
    assert.deepEqual(await waiting('north-approver@example.com'), [1, 1, 1, 0])
    assert.deepEqual(await waiting(both), [1, 1, 0, 0])
    assert.deepEqual(await waiting('clerk-approver@example.com'), [1, 0, 1, 0])
    const many = async (as: string) => {
      const { data } = (await ask('POST', '/claim/actions', as, { ids: made })).json(200)
      return data[0]?.ids.toSorted()
    }
    assert.deepEqual(await many('north-approver@example.com'), made.slice(0, 3))
    assert.deepEqual(await many(both), made.slice(0, 2))
  })
})

test('those who can take an action are found by the role that has it and reads the record', async () => {
  const { permissions, project } = service.runtime
  const { catalog } = project
  const entity = getEntity(catalog, 'claim')
  const deps = { catalog, permissions, timeZone: 'UTC' }
  const { joins, canTake } = compileTakers(deps, entity, 'approve', holder)
  const made = {
    both: await newClaim({ region: 'N', state: 'ready' }),
    north: await newClaim({ region: 'N', state: 'sent' }),
    ready: await newClaim({ region: 'S', state: 'ready' }),
    none: await newClaim({ region: 'S', state: 'sent' }),
  }
  const takersOf = async (id: number) => {
    const rows = await queryRows<{ email: string }>(
      service.database.pool,
      sql`
SELECT u.email
FROM ${usersWithRole} ${heldRolesOf(sql`SELECT id FROM ${table('user')}`)}
JOIN ${table(entity)} t ON t.id = ${int(id)}${joins}
WHERE ${canTake} AND u.email LIKE '%-%'
ORDER BY u.email`,
    )
    return rows.map(({ email }) => email.split('@')[0])
  }
  const everyone = ['clerk-approver', 'clerk-north', 'north-approver']
  assert.deepEqual(await takersOf(made.both), everyone)
  assert.deepEqual(await takersOf(made.north), ['clerk-north', 'north-approver'])
  assert.deepEqual(await takersOf(made.ready), ['clerk-approver', 'north-approver'])
  assert.deepEqual(await takersOf(made.none), [])
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
