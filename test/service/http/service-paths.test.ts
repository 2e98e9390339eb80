/** The paths of the service itself: the caller, the entities, health and metrics. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createOrder, sharedProject, users } from '../../support/a-project.ts'

const service = await sharedProject()
const { ask } = service

type Described = { key: string; column: string | null; isSystem: boolean }

const describedKeys = async (as: string) => {
  const reply = await ask('GET', '/api/entities', { as })
  assert.equal(reply.status, 200)
  return reply
    .json()
    .data.map(({ key }: { key: string }) => key)
    .sort()
}

describe('GET /api/me returns the user record of the caller with role key and permissions per entity', () => {
  test('a buyer sees their record and their permissions per entity', async () => {
    const me = (await ask('GET', '/api/me', { as: users.buyer })).json()
    assert.deepEqual(
      [me.email, me.role, me.is_active, me.is_blocked, me.phone],
      [users.buyer, 'buyer', true, false, null],
    )
    assert.match(me._created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(Object.keys(me.permissions).sort(), [
      'country',
      'order',
      'order_line',
      'report',
      'saved_view',
      'supplier',
    ])
    const { create, read, update, export: exported, takeOwnership } = me.permissions.order
    assert.deepEqual(
      [create, read, update, exported, takeOwnership],
      [true, true, 'own', false, true],
    )
  })

  test('an administrator may do everything, and alone is told of the parts of the administration', async () => {
    const { role, permissions, administration } = (await ask('GET', '/api/me')).json()
    assert.deepEqual(administration, [
      'users',
      'deliveries',
      'jobs',
      'audit',
      'explain',
      'definitions',
      'mail',
    ])
    assert.deepEqual((await ask('GET', '/api/me', { as: users.buyer })).json().administration, [])
    assert.equal(role, 'administrator')
    assert.ok(permissions.salary.read && permissions.user.delete && permissions.task.create)
  })
})

describe('GET /api/entities returns the definitions as the caller may see them', () => {
  test('an entity is listed when the caller has any permission on it', async () => {
    const buyer = ['country', 'order', 'order_line', 'report', 'saved_view', 'supplier']
    assert.deepEqual(await describedKeys(users.buyer), buyer)
    assert.deepEqual(await describedKeys(users.nobody), ['salary', 'saved_view'])
  })

  test('fields have the order of the definition, hidden ones are omitted', async () => {
    const fieldsOf = async (as?: string): Promise<Described[]> =>
      (await ask('GET', '/api/entities/order', as === undefined ? {} : { as })).json().fields
    const all = await fieldsOf()
    const own = all.filter(({ isSystem }) => !isSystem).map(({ key }) => key)
    assert.deepEqual(own.slice(0, 3), ['number', 'group', 'notes'])
    assert.deepEqual(own.slice(-2), ['margin', 'lines'])
    assert.equal(all.find(({ key }) => key === 'supplier')?.column, 'supplier_id')
    assert.equal(all.find(({ key }) => key === 'lines')?.column, null)
    const system = all.filter(({ isSystem }) => isSystem).map(({ key }) => key)
    assert.deepEqual(system.sort(), [
      '_created_at',
      '_created_by',
      '_is_deleted',
      '_owned_by',
      '_updated_at',
      '_updated_by',
      'id',
    ])
    const seen = await fieldsOf(users.buyer)
    assert.ok(!seen.some(({ key }) => key === 'margin'))
    assert.equal(seen.length, all.length - 1)
  })

  test('a list of records without any permission is omitted, as its entity is', async () => {
    for (const path of ['/api/entities', '/api/entities/order']) {
      const { text } = await ask('GET', path, { as: users.clerk })
      assert.doesNotMatch(text, /"lines"|order_line/, path)
      assert.match((await ask('GET', path, { as: users.buyer })).text, /order_line/, path)
    }
  })

  test('only administrators see the rules and the permissions of each role', async () => {
    const { notifications, roles } = (await ask('GET', '/api/entities/order')).json()
    assert.deepEqual(notifications, [])
    const keys = roles.map(({ key }: { key: string }) => key)
    assert.deepEqual(keys.toSorted(), ['administrator', 'buyer', 'clerk'])
    assert.partialDeepStrictEqual(
      roles.find(({ key }: { key: string }) => key === 'buyer'),
      { name: 'buyer', create: true, update: 'own', export: false, hiddenFields: ['margin'] },
    )
    for (const as of [users.buyer, users.clerk]) {
      const { text } = await ask('GET', '/api/entities', { as })
      assert.doesNotMatch(text, /"roles"|"notifications"|hiddenFields/)
    }
  })

  test('a role that reads no record is told of no column of an export', async () => {
    const { exportSettings } = (
      await ask('GET', '/api/entities/salary', { as: users.nobody })
    ).json()
    assert.deepEqual(exportSettings.columnDefs, [])
  })
})

test('health is told to everybody', async () => {
  for (const state of ['live', 'ready']) {
    const reply = await ask('GET', `/api/health/${state}`, { as: null })
    assert.deepEqual([reply.status, reply.json()], [200, { status: state }])
  }
})

test('metrics are in the text format of Prometheus, by path pattern and status', async () => {
  const { id } = await createOrder(service)
  await ask('GET', `/order/${id}`)
  await ask('GET', '/order/4711')
  await ask('PUT', '/order/4711')
  await ask('GET', '/api/typo')
  const reply = await ask('GET', '/api/metrics', { as: null })
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  assert.match(reply.text, /^# TYPE docket_http_request_duration_seconds histogram$/m)
  assert.match(reply.text, /^docket_database_connections\{pool="requests",state="all"\} \d+$/m)
  // Without the values, which may contain any digits.
  const names = reply.text.replace(/ [^ \n]+$/gm, '')
  for (const [method, route, status] of [
    ['POST', '/:entityKey', 201],
    ['GET', '/:entityKey/:entityId', 200],
    ['GET', '/:entityKey/:entityId', 404],
    ['PUT', '/:entityKey/:entityId', 405],
    ['GET', '/api/*', 404],
  ]) {
    const labels = `method="${method}",route="${route}",status="${status}"`
    const line = `docket_http_request_duration_seconds_count{${labels}}`
    assert.ok(names.split('\n').includes(line), line)
  }
  assert.doesNotMatch(names, /4711|example\.com|typo/)
})
