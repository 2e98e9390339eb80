/** Who is told of what: matching, recipients, content, explained and told exactly once. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createPermissions } from '../../src/auth/permissions.ts'
import { createGather } from '../../src/database/gather.ts'
import { sendNotificationsOf } from '../../src/notifications/send-notifications.ts'
import { insertUser } from '../../src/users/user-store.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const hook = { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }
const titled = (title: string) => ({ content: { title } })

const order = {
  key: 'order',
  name: 'Order',
  displayField: 'number',
  ownership: true,
  fields: [
    { key: 'number', type: 'string', required: true },
    { key: 'total', type: 'decimal', scale: 2, precision: 10 },
    { key: 'due', type: 'date' },
    { key: 'approver', type: 'manyToOne', entity: 'user' },
    { key: 'shop', type: 'manyToOne', entity: 'shop' },
  ],
  workflow: {
    initialStep: 'draft',
    steps: [
      {
        key: 'draft',
        name: 'Draft',
        actions: [{ key: 'submit', name: 'Submit', kind: 'proceedToStep', to: 'review' }],
      },
      {
        key: 'review',
        name: 'In review',
        actions: [
          { key: 'accept', kind: 'approveWorkflow', to: 'done', form: 'decision' },
          { key: 'refuse', kind: 'rejectWorkflow', to: 'done' },
        ],
      },
      { key: 'done', final: true },
    ],
    forms: [{ key: 'decision', fields: ['approver'] }],
  },
  hooks: [hook],
  notifications: [
    {
      operation: 'create',
      recipient: { userFields: ['approver', '_created_by', 'shop.keeper'], userGroups: ['a', 'b'] },
      content: {
        icon: 'i',
        title:
          '{{ record.number }} for {{ record.shop.keeper.full_name }} at {{ record.shop.name }}',
        message:
          '{{ actor.full_name }} told {{ recipient.full_name }}: {{ record.total }} {{ entity.key }}',
        due_date: '{{ record.due }}',
        url: '/o/{{ record.id }}',
      },
    },
    {
      operation: 'create',
      condition: { total: { $gte: '100' } },
      recipient: { userGroups: ['a'], includeActor: false },
      ...titled('large'),
    },
    { operation: 'takeOwnership', recipient: { userFields: ['_owned_by'] } },
    { operation: 'proceedToStep', action: 'submit', recipient: { userGroups: ['a'] } },
    {
      operation: 'proceedToStep',
      action: 'approveWorkflow',
      recipient: { userGroups: ['a'] },
      ...titled('kind'),
    },
    {
      operation: 'proceedToStep',
      action: 'accept',
      recipient: { userGroups: ['a'] },
      ...titled('key'),
    },
    {
      operation: 'proceedToStep',
      action: 'decision',
      recipient: { userGroups: ['a'] },
      ...titled('form'),
    },
    {
      operation: 'proceedToStep',
      action: 'review-done',
      recipient: { userGroups: ['a'] },
      ...titled('steps {{ comment }}'),
    },
  ],
}

const files = {
  'docket.json': { name: 'Shops', timeZone: 'Europe/Zagreb' },
  'entities/order.json': order,
  'entities/shop.json': {
    key: 'shop',
    fields: [
      { key: 'name', type: 'string' },
      { key: 'keeper', type: 'manyToOne', entity: 'user' },
    ],
  },
  'entities/mute.json': {
    key: 'mute',
    fields: [{ key: 'name', type: 'string' }],
    notifications: [{ operation: 'create', recipient: { userGroups: ['a'] } }],
  },
  'entities/open.json': {
    key: 'open',
    fields: [{ key: 'name', type: 'string' }],
    hooks: [hook],
    notifications: [
      { operation: 'create', recipient: { userGroups: ['b'], skipRightsCheck: true } },
    ],
  },
  'roles/reader.json': {
    key: 'reader',
    permissions: { order: { read: true }, shop: { read: true }, user: { read: true } },
  },
  'roles/own.json': { key: 'own', permissions: { order: { read: 'own' } } },
  'roles/none.json': { key: 'none', permissions: {} },
}

let service: TestService
let worker: TestWorker
const ids: Record<string, number> = {}
before(async () => {
  service = await startTestService(await writeProject(files))
  const { pool } = service.database
  for (const [name, role_key] of [
    ['ana', 'reader'],
    ['ben', 'reader'],
    ['own', 'own'],
    ['none', 'none'],
    ['blocked', 'reader'],
    ['inactive', 'reader'],
    ['removed', 'reader'],
  ] as const) {
    const names = {
      first_name: name,
      last_name: 'X',
      full_name: name,
      email: `${name}@example.com`,
    }
    ids[name] =
      (await insertUser(pool, { identity_provider_user_id: name, role_key, ...names })) ?? 0
  }
  await pool.query(
    `UPDATE records."user" SET is_blocked = full_name = 'blocked', is_active = full_name <> 'inactive', _is_deleted = full_name = 'removed' WHERE id > 1`,
  )
  await pool.query(
    `INSERT INTO records.user_group (code, name) VALUES ('a', 'A'), ('b', 'B');
     INSERT INTO records.user_group_member (user_group_id, user_id) SELECT g.id, u.id FROM records.user_group g, records."user" u
     WHERE (g.code = 'a' AND u.full_name IN ('ana', 'ben', 'blocked', 'inactive', 'removed')) OR (g.code = 'b' AND u.full_name IN ('ana', 'none', 'own'))`,
  )
  worker = await startTestWorker(service)
})
after(async () => {
  await worker.stop()
  await service.stop()
})
beforeEach(() =>
  service.database.pool.query('TRUNCATE docket.notification, docket.notification_count'),
)

const create = async (body: object, entity = 'order'): Promise<number> => {
  const reply = await service.ask('POST', `/${entity}`, {
    body: entity === 'order' ? { number: 'O-1', ...body } : body,
  })
  assert.equal(reply.status, 201, reply.text)
  await worker.settled()
  return reply.json().id
}
const act = async (id: number, body: object) => {
  const reply = await service.ask('POST', `/order/${id}/proceedToStep`, { body })
  assert.equal(reply.status, 200, reply.text)
  await worker.settled()
}
const told = async (entityId: number) => {
  const { rows } = await service.database.pool.query(
    `SELECT u.full_name AS name, n.content FROM docket.notification n JOIN records."user" u ON u.id = n.user_id WHERE n.entity_id = $1 ORDER BY u.full_name, n.timestamp`,
    [entityId],
  )
  return rows.map(({ name, content }) => ({ name, ...JSON.parse(content) }))
}
const titles = async (entityId: number) =>
  (await told(entityId)).map(({ name, title }) => `${name}: ${title}`)

test('everyone who is named by field, path or group, each once; personal content; nobody who may not be', async () => {
  const shop = await create({ name: 'Corner', keeper_id: ids.ben }, 'shop')
  const id = await create({ approver_id: ids.ana, shop_id: shop, total: '7.50', due: '2026-12-24' })
  const all = await told(id)
  assert.deepEqual(
    all.map(({ name }) => name),
    ['Administrator', 'ana', 'ben'],
  )
  assert.deepEqual(all[1], {
    name: 'ana',
    icon: 'i',
    title: 'O-1 for ben at Corner',
    message: 'Administrator told ana: 7.50 order',
    url: `/o/${id}`,
    due_at: '2026-12-23T23:00:00.000Z',
  })
  const skipped = worker.observations
    .filter((one) => one.kind === 'recipientsSkipped')
    .filter((one) => one.id === id)
    .map(({ reason, userIds }) => [reason, userIds])
  assert.deepEqual(skipped.sort(), [
    ['blocked', [ids.blocked]],
    ['inactive', [ids.inactive]],
    ['may not read the record', [ids.own, ids.none]],
    ['removed', [ids.removed]],
  ])
})

test('an entry with a condition applies to records that match', async () => {
  assert.ok(
    !(await titles(await create({ total: '99.99' }))).some((title) => title.includes('large')),
  )
  const large = (await titles(await create({ total: '100' }))).filter((title) =>
    title.includes('large'),
  )
  assert.deepEqual(large, ['ana: large', 'ben: large'])
})

test('an action is meant by its kind, its key, its form or its steps; each entry applies', async () => {
  const id = await create({})
  await service.database.pool.query('TRUNCATE docket.notification, docket.notification_count')
  await act(id, { action: 'submit' })
  assert.deepEqual(await titles(id), ['ana: Order O-1: Submit', 'ben: Order O-1: Submit'])
  await service.database.pool.query('TRUNCATE docket.notification, docket.notification_count')
  await act(id, { action: 'accept', comment: 'fine {{ record.number }} <b>' })
  const expected = ['kind', 'key', 'form', 'steps fine {{ record.number }} <b>']
  assert.deepEqual(await titles(id), [
    ...expected.map((title) => `ana: ${title}`),
    ...expected.map((title) => `ben: ${title}`),
  ])
})

test('the usual content of each operation', async () => {
  const id = await create({})
  await act(id, { action: 'submit', comment: 'soon' })
  const [first] = (await told(id)).filter(({ title }) => title.includes('Submit'))
  assert.equal(first.message, 'Administrator moved Order O-1 from Draft to In review. soon')
  const other = await service.ask('POST', '/order', { body: { number: 'O-2' } })
  const took = await service.ask('POST', `/order/${other.json().id}/takeOwnership`)
  assert.equal(took.status, 200)
})

test('entries without the hook are inert; skipRightsCheck tells who may not read', async () => {
  assert.deepEqual(await told(await create({ name: 'x' }, 'mute')), [])
  const names = (await told(await create({ name: 'x' }, 'open'))).map(({ name }) => name)
  assert.deepEqual(names, ['ana', 'none', 'own'])
})

test('text of a record is never read as a template', async () => {
  const id = await create({ number: '{{ actor.email }}{% raw %}' })
  assert.ok((await titles(id)).every((title) => title.includes('{{ actor.email }}{% raw %}')))
})

describe('exactly once', () => {
  const message = (entity_id: number) =>
    ({
      event: 'again',
      entity_key: 'order',
      entity_id,
      operation: 'create',
      action: null,
      comment: null,
      actor_id: 1,
      at: '2026-05-04T08:30:00.000Z',
    }) as const

  test('a job that runs twice, also at the same time, tells once', async () => {
    const id = await create({ total: '500' })
    await service.database.pool.query('TRUNCATE docket.notification, docket.notification_count')
    const { catalog } = service.project
    const parts = {
      pool: service.database.pool,
      catalog,
      permissions: createPermissions(catalog),
      timeZone: 'UTC',
      gather: createGather(service.database.pool),
      observe: () => undefined,
    }
    await Promise.all([1, 2, 3].map(() => sendNotificationsOf(parts, message(id))))
    await sendNotificationsOf(parts, message(id))
    const names = (await titles(id)).map((title) => title.split(':')[0])
    assert.deepEqual(names, ['Administrator', 'ana', 'ana', 'ben', 'ben'])
    const { rows } = await service.database.pool.query(
      'SELECT sum(total)::int AS total FROM docket.notification_count',
    )
    assert.deepEqual(rows, [{ total: 5 }])
  })

  test('a change that fails has no message; a save never waits for what follows', async () => {
    const count = async () =>
      (await service.database.pool.query('SELECT count(*) FROM docket.notification')).rows[0].count
    const before = await count()
    assert.equal(
      (await service.ask('POST', '/order', { body: { number: 'x', approver_id: 4711 } })).status,
      422,
    )
    await worker.settled()
    assert.equal(await count(), before)
  })
})

describe('explain', () => {
  const explain = (body: unknown, as?: string) =>
    service.ask('POST', '/api/notifications/explain', { body, ...(as && { as }) })

  test('which entries match, who would be told and why not; nothing is stored', async () => {
    const id = await create({})
    await service.database.pool.query('TRUNCATE docket.notification, docket.notification_count')
    const reply = await explain({ entityKey: 'order', entityId: id, operation: 'create' })
    assert.equal(reply.status, 200, reply.text)
    const { isActive, entries } = reply.json()
    assert.equal(isActive, true)
    assert.deepEqual(
      entries.map(
        ({ matches, reason }: { matches: boolean; reason?: string }) => reason ?? matches,
      ),
      [true, 'its condition does not hold', ...Array(6).fill('another operation or action')],
    )
    const recipients = entries[0].recipients.map(
      ({
        user,
        told: is,
        reason,
      }: {
        user: { full_name: string }
        told: boolean
        reason: string | null
      }) => [user.full_name, is ? 'told' : reason],
    )
    assert.deepEqual(recipients.sort(), [
      ['Administrator', 'told'],
      ['ana', 'told'],
      ['ben', 'told'],
      ['blocked', 'blocked'],
      ['inactive', 'inactive'],
      ['none', 'may not read the record'],
      ['own', 'may not read the record'],
      ['removed', 'removed'],
    ])
    assert.deepEqual(await told(id), [])
  })

  test('administrators only; every mistake of a body is named', async () => {
    assert.equal((await explain({}, 'ana@example.com')).status, 403)
    const reply = await explain({ entityKey: 1, entityId: 0, operation: 'remove', x: 1 })
    assert.deepEqual(
      reply.json().errors.map(({ path }: { path: string }) => path),
      ['x', 'entityKey', 'entityId', 'operation'],
    )
    const unknown = await explain({ entityKey: 'order', entityId: 4711, operation: 'create' })
    assert.equal(unknown.status, 404)
  })
})
