/** POST /api/notifications/recipients: whom an operation of the caller would notify, as far as they may know it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import { about } from '../../support/notifications/an-engine-project.ts'
import { act, addGroup, type Engine, startEngine } from './an-engine.ts'

const path = '/api/notifications/recipients'
const onSubmit = { operation: 'proceedToStep', action: 'submit' } as const

// May act on requests, reads neither users nor the number or deputy of a request.
const clerk = {
  key: 'clerk',
  permissions: {
    request: {
      create: true,
      read: true,
      actions: ['submit'],
      hiddenFields: ['number', 'deputy'],
    },
  },
}

let engine: Engine
before(async () => {
  engine = await startEngine(
    [
      about('new', { userFields: ['approver', '_created_by'] }),
      about('east', { userFields: ['supplier.account_manager'] }),
      { ...onSubmit, recipient: { userFields: ['approver'] }, condition: { topic: 'x' } },
      { ...onSubmit, recipient: { userGroups: ['board'], includeActor: false } },
      { ...onSubmit, recipient: { userFields: ['deputy'] } },
      {
        ...{ operation: 'proceedToStep', action: 'approve' },
        ...{ recipient: { userFields: ['deputy'] }, condition: { notes: 'urgent' } },
      },
      { ...onSubmit, recipient: { userFields: ['approver'] }, condition: { number: 'secret' } },
      { operation: 'takeOwnership', recipient: { userGroups: ['crowd'] } },
    ],
    {},
    { 'roles/clerk.json': clerk },
  )
  const { ids } = engine
  await addGroup(engine, 'board', [ids.anna, ids.clara, ids.sam, ids.blocked])
  await insertUser(engine.database.pool, {
    identity_provider_user_id: 'kim',
    first_name: 'kim',
    last_name: 'Example',
    full_name: 'kim Example',
    email: 'kim@example.com',
    role_key: 'clerk',
  })
})
after(() => engine.stop())

const roleId = async (key: string): Promise<number> => {
  const reply = await engine.ask('POST', '/security_role/search', { body: { $where: { key } } })
  return reply.json().data[0].id
}

const preview = async (body: object, as?: string) => {
  const options = {
    body: { entityKey: 'request', ...body },
    ...(as && { as: `${as}@example.com` }),
  }
  const reply = await engine.ask('POST', path, options)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const submit = (entityIds: readonly number[], as?: string) =>
  preview({ operation: 'proceedToStep', action: 'submit', entityIds }, as)

test('it names the users whom an action would notify, and they are notified then', async () => {
  const { ids } = engine
  const values = { topic: 'x', approver_id: ids.bruno, deputy_id: ids.anna }
  const id = await engine.create(values, 'anna')
  assert.deepEqual(await submit([id], 'anna'), {
    ...{ records: 1, count: 3, emails: 3, hasMore: false, isPartial: false },
    people: (['anna', 'bruno', 'clara'] as const).map((name) => ({
      ...{ id: ids[name], full_name: `${name} Example` },
    })),
  })
  assert.deepEqual(await engine.notifiedNames(id), [])
  await act(engine, id, { action: 'submit' }, 'anna')
  assert.deepEqual(await engine.notifiedNames(id), ['anna', 'bruno', 'clara'])
})

test('who may not read users gets their number, and nothing of rules that read hidden fields', async () => {
  const { ids } = engine
  const values = { topic: 'x', approver_id: ids.bruno, deputy_id: ids.olga }
  const answers = [
    await submit([await engine.create(values)], 'kim'),
    await submit([await engine.create({ ...values, deputy_id: null, number: 'secret' })], 'kim'),
  ]
  const expected = { records: 1, count: 3, emails: 3, people: [], hasMore: false, isPartial: true }
  assert.deepEqual(answers, [expected, expected])
})

test('of many records each user counts once, and those that the action is not open for are left out', async () => {
  const { ids } = engine
  const values = { topic: 'x', approver_id: ids.bruno }
  const [first, second, taken] = [
    await engine.create(values),
    await engine.create(values),
    await engine.create(values),
  ]
  await act(engine, taken, { action: 'submit' })
  const { people, ...counts } = await submit([first, first, second, taken, 2_000_000_000], 'anna')
  assert.deepEqual(counts, { records: 2, count: 2, emails: 4, hasMore: false, isPartial: false })
  assert.deepEqual(
    people.map(({ id }: { id: number }) => id),
    [ids.bruno, ids.clara],
  )
})

test('a record that is not created yet is evaluated as it would be, and is not created', async () => {
  const { ids } = engine
  const region = (
    await engine.ask('POST', '/supplier', { body: { account_manager_id: ids.clara } })
  ).json()
  const create = (values: object, as: string) => preview({ operation: 'create', values }, as)
  const before = (await engine.ask('POST', '/request/search', { body: { $count: true } })).json()
  const namesOf = ({ people }: { people: { full_name: string }[] }) =>
    people.map(({ full_name: name }) => name)
  const own = await create({ topic: 'new', approver_id: ids.bruno }, 'anna')
  assert.deepEqual(namesOf(own), ['anna Example', 'bruno Example'])
  const linked = { topic: 'east', supplier_id: region.id }
  assert.deepEqual(namesOf(await create(linked, 'anna')), ['clara Example'])
  // Who may not read suppliers learns nothing of them, nor of users that they may not link to.
  const { count, isPartial } = await create(linked, 'kim')
  assert.deepEqual([count, isPartial], [0, true])
  assert.equal((await create({ topic: 'new', approver_id: ids.bruno }, 'kim')).count, 1)
  assert.equal((await create({ topic: 'new', total: '1234567890123456' }, 'anna')).count, 1)
  const after = (await engine.ask('POST', '/request/search', { body: { $count: true } })).json()
  assert.equal(after.count, before.count)
})

test('what is typed into the form of an action counts as if it were sent; what is refused does not', async () => {
  const { ids } = engine
  const values = { topic: 'x', deputy_id: ids.anna }
  const id = await engine.create(values)
  await act(engine, id, { action: 'submit' })
  const told = async (typed: object) => {
    const asked = { operation: 'proceedToStep', action: 'approve', entityIds: [id], values: typed }
    const { people } = await preview(asked, 'anna')
    return people.map((one: { id: number }) => one.id)
  }
  assert.deepEqual(await told({}), [])
  assert.deepEqual(await told({ notes: 'urgent' }), [ids.anna])
  assert.deepEqual(await told({ notes: 'urgent', deputy_id: ids.bruno }), [ids.bruno])
  assert.deepEqual(await told({ notes: 'urgent', deputy_id: null }), [])
  assert.deepEqual(await told({ notes: 'urgent', deputy_id: 2_000_000_000 }), [])
  const decision = { action: 'approve', values: { notes: 'urgent', deputy_id: ids.clara } }
  await engine.ask('POST', `/request/${id}/proceedToStep`, { body: decision })
  assert.equal((await engine.notifiedNames(id)).at(-1), 'clara')
})

test('more than 1,000 users are not counted', async () => {
  const { rows } = await engine.database.pool.query<{ id: number }>(
    `INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
     SELECT 'crowd' || n, 'Crowd', n, 'Crowd ' || n, 'crowd' || n, 'crowd' || n || '@example.com', $1
     FROM generate_series(1, 1001) n RETURNING id`,
    [await roleId('reader')],
  )
  await addGroup(
    engine,
    'crowd',
    rows.map(({ id }) => id),
  )
  const entityIds = [await engine.create()]
  const found = await preview({ operation: 'takeOwnership', entityIds }, 'anna')
  const { count, people, hasMore } = found
  assert.deepEqual([count, people.length, hasMore], [1000, 10, true])
})

const valid = { entityKey: 'request', operation: 'proceedToStep', action: 'submit', entityIds: [1] }
const create = { entityKey: 'request', operation: 'create' }
const invalid: readonly (readonly [body: object, paths: readonly string[]])[] = [
  [{}, ['entityKey', 'operation']],
  [{ ...valid, entityIds: [] }, ['entityIds']],
  [{ ...valid, entityIds: Array.from({ length: 51 }, (_, index) => index + 1) }, ['entityIds']],
  [{ ...valid, action: 'submti' }, ['action']],
  [{ ...valid, operation: 'takeOwnership', values: {} }, ['action', 'values']],
  [{ ...create, action: 'submit' }, ['values', 'action']],
  [{ ...create, values: { x: 1, total: [] } }, ['values.x', 'values.total']],
]
for (const [body, paths] of invalid)
  test(`${JSON.stringify(body).slice(0, 100)} returns 400`, async () => {
    const reply = await engine.ask('POST', path, { body })
    assert.equal(reply.status, 400, reply.text)
    const found = reply.json().errors.map((issue: { path: string }) => issue.path)
    assert.deepEqual(found.toSorted(), paths.toSorted())
  })

const refused: readonly (readonly [as: string | null, body: object, status: number])[] = [
  [null, valid, 401],
  ['owen', valid, 403],
  ['kim', { ...valid, action: 'approve' }, 403],
  ['kim', { entityKey: 'request', operation: 'takeOwnership', entityIds: [1] }, 403],
  ['sam', valid, 404],
  ['anna', { ...valid, entityKey: 'supplier' }, 404],
]
for (const [as, body, status] of refused)
  test(`${as ?? 'nobody'}: ${JSON.stringify(body)} returns ${status}`, async () => {
    const options = { body, as: as && `${as}@example.com` }
    const reply = await engine.ask('POST', path, options)
    assert.equal(reply.status, status, reply.text)
  })

test('the description of an entity says which of its operations notify users', async () => {
  const reply = await engine.ask('GET', '/api/entities/request', { as: 'kim@example.com' })
  assert.deepEqual(reply.json().notifiedOperations, ['create', 'proceedToStep', 'takeOwnership'])
})
