/** The stream with `watch` and `counts`: which changes of records it tells whom. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { insertUser } from '../../src/users/user-store.ts'
import { invalidPaths } from '../support/a-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { until } from '../support/wait.ts'
import { openReader, type Reader } from './a-stream-reader.ts'

const order = {
  key: 'order',
  ownership: true,
  fields: [
    { key: 'number', type: 'string' },
    { key: 'margin', type: 'string' },
  ],
  workflow: {
    initialStep: 'draft',
    steps: [
      { key: 'draft', actions: [{ key: 'submit', kind: 'proceedToStep', to: 'review' }] },
      { key: 'review', actions: [{ key: 'approve', kind: 'approveWorkflow', to: 'done' }] },
      { key: 'done', final: true },
    ],
  },
}
const all = {
  create: true,
  read: true,
  update: true,
  delete: true,
  takeOwnership: true,
  tasks: true,
}
const roles = {
  buyer: { order: { ...all, actions: ['submit'] } },
  owner: { order: { ...all, read: 'own' } },
  blind: { order: { ...all, hiddenFields: ['_updated_by', 'margin'] } },
  approver: { order: { read: true, actions: ['approve'] } },
  nobody: { vault: { read: true } },
}
type Role = keyof typeof roles

let service: TestService
const ids = {} as Record<Role, number>
const readers: Reader[] = []
before(async () => {
  service = await startTestService(
    await writeProject({
      'entities/order.json': order,
      'entities/vault.json': { key: 'vault', fields: [{ key: 'name', type: 'string' }] },
      ...Object.fromEntries(
        Object.entries(roles).map(([key, permissions]) => [
          `roles/${key}.json`,
          { key, permissions },
        ]),
      ),
    }),
  )
  for (const key of Object.keys(roles) as Role[])
    ids[key] =
      (await insertUser(service.database.pool, {
        identity_provider_user_id: key,
        first_name: key,
        last_name: 'Example',
        full_name: key,
        email: mailOf(key),
        role_key: key,
      })) ?? assert.fail()
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
})
after(() => service.stop())

const mailOf = (role: Role) => `${role}@example.com`
const ask = async (
  method: string,
  path: string,
  body?: object,
  as: Role | undefined = undefined,
) => {
  const reply = await service.ask(method, path, {
    ...(as && { as: mailOf(as) }),
    ...(body && { body }),
  })
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
  return reply
}
const create = async (as?: Role) =>
  (await ask('POST', '/order', { number: 'PO-1', margin: 'secret' }, as)).json().id as number
const open = async (query: string, as?: Role, headers = {}) => {
  const token = await service.tokenOf(as && mailOf(as))
  const path = `/api/notifications/stream${query}`
  const reader = await openReader(service.url, token, { path, headers })
  readers.push(reader)
  await until('the stream has begun', () => reader.counts().length === 1)
  return reader
}
const recordsOf = (reader: Reader) =>
  reader.events.filter(({ event }) => event === 'record').map(({ data }) => JSON.parse(data))
const kindsOf = (reader: Reader) => reader.events.map(({ event }) => event)
const untilTold = (reader: Reader, id: number, wanted: object) =>
  until(`a change of ${id} is told`, () =>
    recordsOf(reader).some(
      (one) =>
        one.id === id && Object.entries(wanted).every(([name, value]) => one[name] === value),
    ),
  )

describe('watched records', () => {
  let id: number
  beforeEach(async () => {
    id = await create()
  })

  test('are told with version and actor, and never with values', async () => {
    const reader = await open('?watch=order', 'buyer')
    await ask('PATCH', `/order/${id}`, { number: 'PO-2' })
    await untilTold(reader, id, { entity: 'order', version: 2, by: 1, created: undefined })
    const created = await create('buyer')
    await untilTold(reader, created, { version: 1, by: ids.buyer, created: true })
    assert.doesNotMatch(reader.text(), /PO-|secret/)
    const event = reader.events.find((one) => one.event === 'record')
    // The position of the stream is that of notifications.
    assert.equal(event?.id, '')
  })

  test('are told of one record only, if it is named', async () => {
    const [other, reader] = [await create(), await open(`?watch=order/${id}`, 'buyer')]
    await ask('PATCH', `/order/${other}`, { number: 'PO-3' })
    await ask('PATCH', `/order/${id}`, { number: 'PO-4' })
    await untilTold(reader, id, { version: 2 })
    assert.deepEqual(new Set(recordsOf(reader).map((one) => one.id)), new Set([id]))
  })

  test('name no actor to a role that hides it', async () => {
    const reader = await open('?watch=order', 'blind')
    await ask('PATCH', `/order/${id}`, { margin: 'more' })
    await untilTold(reader, id, { version: 2 })
    assert.ok(recordsOf(reader).every((one) => !('by' in one)))
  })

  test('are gone when they are removed, and come back when they are restored', async () => {
    const reader = await open('?watch=order', 'buyer')
    await ask('DELETE', `/order/${id}`)
    await untilTold(reader, id, { gone: true })
    assert.deepEqual(recordsOf(reader).at(-1), { entity: 'order', id, gone: true })
    await ask('POST', `/order/${id}/restore`)
    await untilTold(reader, id, { version: 3 })
  })

  test('of others are not told to a role that reads its own, unless they leave its reach', async () => {
    const reader = await open(`?watch=order,order/${id}`, 'owner')
    await ask('PATCH', `/order/${id}`, { number: 'PO-5' })
    const own = await create('owner')
    await untilTold(reader, own, { version: 1 })
    // The role may take over what it may not read; here an administrator's record becomes its own.
    await service.database.pool.query('UPDATE records."order" SET _owned_by = $1 WHERE id = $2', [
      ids.owner,
      id,
    ])
    await ask('POST', `/order/${id}/takeOwnership`)
    await untilTold(reader, id, { gone: true })
    await ask('DELETE', `/order/${own}`)
    await untilTold(reader, own, { gone: true })
    assert.deepEqual(
      recordsOf(reader).filter((one) => one.id === id),
      [{ entity: 'order', id, gone: true }],
    )
  })

  test('of a transaction that ends after later ones are told', async () => {
    const reader = await open('?watch=order', 'buyer')
    const connection = await service.database.pool.connect()
    await connection.query('BEGIN')
    await connection.query(
      `INSERT INTO docket.history (entity_key, entity_id, operation, changes)
       VALUES ('order', $1, 'change', '{}')`,
      [id],
    )
    const later = await create()
    await untilTold(reader, later, { version: 1 })
    await connection.query('COMMIT')
    connection.release()
    await untilTold(reader, id, { version: 1 })
  })

  test('without the parameters the stream has no such events', async () => {
    const [plain, watching] = [await open('', 'buyer'), await open('?watch=order', 'buyer')]
    await ask('PATCH', `/order/${id}`, { number: 'PO-6' })
    await untilTold(watching, id, { version: 2 })
    assert.deepEqual(kindsOf(plain), ['count'])
  })
})

describe('reset', () => {
  test('comes first when a stream is resumed, and not otherwise', async () => {
    const first = await open('?watch=order', 'buyer')
    const [{ id } = assert.fail()] = first.events
    const resumed = await open('?watch=order', 'buyer', { 'Last-Event-ID': id })
    await until('the reset is sent', () => kindsOf(resumed).includes('reset'))
    assert.ok(!kindsOf(first).includes('reset'))
    const plain = await open('', 'buyer', { 'Last-Event-ID': id })
    const created = await create()
    await untilTold(resumed, created, { version: 1 })
    assert.deepEqual(kindsOf(plain), ['count'])
  })

  test('replaces too many events', async () => {
    const reader = await open('?watch=order', 'buyer')
    await service.database.pool.query(
      `WITH made AS (INSERT INTO records."order" (number, _step) SELECT n, 'draft' FROM generate_series(1, 300) n RETURNING id)
       INSERT INTO docket.history (entity_key, entity_id, operation, changes)
       SELECT 'order', id, 'create', '{}' FROM made`,
    )
    await until('the reset is sent', () => kindsOf(reader).includes('reset'))
    await service.database.pool.query(
      `INSERT INTO docket.history (entity_key, entity_id, operation, changes)
       SELECT 'order', 1, 'change', '{}' FROM generate_series(1, 3000)`,
    )
    await until(
      'another is sent',
      () => kindsOf(reader).filter((one) => one === 'reset').length === 2,
    )
    const id = await create()
    await untilTold(reader, id, { version: 1 })
  })

  test('is sent when the role of the reader changes, which then sees what it may', async () => {
    const watching = await open('?watch=order', 'blind')
    const setRole = (role: string) =>
      service.database.pool.query(
        `UPDATE records."user" SET security_role_id = (SELECT id FROM records.security_role WHERE key = $1) WHERE id = $2`,
        [role, ids.blind],
      )
    await setRole('owner')
    const hidden = await create()
    await until('the reset is sent', () => kindsOf(watching).includes('reset'))
    const own = await create('blind')
    await untilTold(watching, own, { version: 1 })
    assert.ok(recordsOf(watching).every((one) => one.id !== hidden))
    await setRole('blind')
  })
})

describe('counts', () => {
  test('approvals are told to those who may decide, and only when a step changes', async () => {
    const [approver, buyer] = [
      await open('?counts=approvals', 'approver'),
      await open('?counts=approvals,tasks&watch=order', 'buyer'),
    ]
    const id = await create('buyer')
    await ask('POST', `/order/${id}/proceedToStep`, { action: 'submit' }, 'buyer')
    await until('the approvals are told', () => kindsOf(approver).includes('approvals'))
    await untilTold(buyer, id, { version: 2 })
    assert.ok(!kindsOf(buyer).includes('approvals'))
  })

  test('tasks are told to the assignee, also to the former one', async () => {
    const [first, second] = [
      await open('?counts=tasks', 'approver'),
      await open('?counts=tasks', 'nobody'),
    ]
    const id = await create()
    const task = (
      await ask('POST', `/order/${id}/task`, {
        ...{ description: 'Call', due_date: '2030-01-01 09:00:00', assigne_id: ids.approver },
      })
    ).json().id
    const toldTo = (reader: Reader) => kindsOf(reader).filter((one) => one === 'tasks').length
    await until('the assignee is told', () => toldTo(first) === 1)
    assert.equal(toldTo(second), 0)
    await ask('PUT', `/order/${id}/${task}`, { assigne_id: ids.nobody })
    await until('both are told', () => toldTo(first) === 2 && toldTo(second) === 1)
    assert.ok(kindsOf(first).every((kind) => ['count', 'tasks', 'notification'].includes(kind)))
  })
})

test('what may not be read cannot be watched, and names are limited', async () => {
  const status = async (query: string, as: Role = 'buyer') =>
    service.ask('GET', `/api/notifications/stream${query}`, { as: mailOf(as) })
  assert.equal((await status('?watch=order', 'nobody')).status, 404)
  assert.equal((await status('?watch=vault')).status, 404)
  assert.equal((await status('?watch=task')).status, 403)
  for (const watch of [
    '',
    'order/',
    'order/0',
    'order/2147483648',
    'order,',
    'Order',
    'a/b',
    '%00',
  ])
    assert.deepEqual(invalidPaths(await status(`?watch=${watch}`), 400), ['watch'], watch)
  const many = Array.from({ length: 21 }, (_, index) => `order/${index + 1}`).join()
  assert.deepEqual(invalidPaths(await status(`?watch=${many}`), 400), ['watch'])
  const repeated = `${'order,'.repeat(30)}vault`
  assert.equal((await status(`?watch=${repeated}`)).status, 404)
  for (const counts of ['', 'notes', 'tasks,tasks', 'tasks,'])
    assert.deepEqual(invalidPaths(await status(`?counts=${counts}`), 400), ['counts'], counts)
})
