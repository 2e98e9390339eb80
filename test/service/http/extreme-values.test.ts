/** Ids and names that PostgreSQL cannot store, wherever a request may contain one: rejected, never a 500. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { insertUser } from '../../../src/users/user-store.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const files = {
  'entities/client.json': {
    key: 'client',
    ownership: true,
    fields: [
      { key: 'name', type: 'string' },
      { key: 'count', type: 'integer' },
      { key: 'serial', type: 'bigint' },
      { key: 'total', type: 'decimal', precision: 12, scale: 2 },
      { key: 'day', type: 'date' },
      { key: 'parent', type: 'manyToOne', entity: 'client' },
      { key: 'keeper', type: 'manyToOne', entity: 'user' },
    ],
    workflow: {
      initialStep: 'new',
      steps: [
        { key: 'new', actions: [{ key: 'end', kind: 'proceedToStep', to: 'ended', form: 'end' }] },
        { key: 'ended', final: true },
      ],
      forms: [{ key: 'end', fields: ['count', 'parent'] }],
    },
  },
  'roles/nobody.json': { key: 'nobody', permissions: {} },
}

let service: TestService
let id: number
before(async () => {
  service = await startTestService(await writeProject(files))
  id = (await service.ask('POST', '/client', { body: { name: 'one' } })).json().id
  await insertUser(service.database.pool, {
    identity_provider_user_id: 'nobody',
    first_name: 'No',
    last_name: 'Body',
    full_name: 'No Body',
    email: 'nobody@example.com',
    role_key: 'nobody',
  })
})
after(() => service.stop())

const numbers = [2147483648, 4294967297, 9007199254740991, 9223372036854775000, 1e300, -1, 0, 0.5]
const texts = ['2147483648', '9223372036854775808', '1'.repeat(400), '\u0000', 'a\u0000b', '\ud800']
const extremes: readonly unknown[] = [...numbers, ...texts, {}, [], null, true]
const inPath = ['2147483648', '9223372036854775808', '1'.repeat(150), '%00', 'a%00b', '-1', '1e3']

const assertRefused = async (method: string, path: string, body?: unknown): Promise<void> => {
  for (const as of [undefined, 'nobody@example.com']) {
    const options = { ...(as && { as }), ...(body !== undefined && { body }) }
    const { status, text } = await service.ask(method, path, options)
    assert.ok(status < 500, `${method} ${path} ${JSON.stringify(body)}: ${status} ${text}`)
  }
}

describe('in a path', () => {
  for (const one of inPath)
    test(one.slice(0, 30), async () => {
      for (const [method, path] of [
        ['GET', `/client/${one}`],
        ['PATCH', `/client/${one}`],
        ['DELETE', `/client/${one}`],
        ['GET', `/client/${one}/history`],
        ['GET', `/client/${one}/actions`],
        ['POST', `/client/${one}/takeOwnership`],
        ['POST', `/client/${one}/proceedToStep`],
        ['GET', `/client/${one}/task`],
        ['POST', `/client/${one}/task`],
        ['PUT', `/client/${id}/${one}`],
        ['DELETE', `/client/${id}/${one}`],
        ['GET', `/client/${one}/documents/x`],
        ['GET', `/client/${id}/documents/${one}`],
        ['GET', `/${one}`],
        ['GET', `/${one}/1`],
        ['POST', `/${one}/search`],
        ['POST', `/${one}/export`],
        ['GET', `/api/entities/${one}`],
        ['GET', `/api/deliveries/${one}`],
        ['POST', `/api/deliveries/${one}/retry`],
        ['GET', `/api/deliveries/${one}/attachments/${one}`],
        ['GET', `/api/deliveries/1/attachments/${one}`],
        ['POST', `/api/jobs/${one}/retry`],
        ['DELETE', `/api/jobs/${one}`],
        ['GET', `/api/mail/${one}`],
      ] as const)
        await assertRefused(method, path, method === 'PATCH' ? { name: 'x' } : undefined)
    })
})

test('in a query', async () => {
  const names = ['limit', 'page', 'skip', 'sort', 'include', 'format', 'status', 'sortField', 'key']
  const more = ['token', 'assignee', 'entity', 'timeZone', 'lastEventId', 'user', 'id', 'name']
  const paths = ['/client', `/client/${id}`, `/client/${id}/history`, `/client/${id}/task`]
  const own = ['/api/tasks', '/api/tasks/count', '/api/notifications', '/api/notifications/count']
  const others = ['/api/deliveries', '/api/jobs', '/api/tasks/calendar.ics', '/api/attachments']
  for (const path of [...paths, ...own, ...others, '/api/notifications/unsubscribe'])
    for (const name of [...names, ...more])
      for (const one of inPath) {
        const { status, text } = await service.ask('GET', `${path}?${name}=${one}`)
        assert.ok(status < 500, `${path}?${name}=${one}: ${status} ${text}`)
      }
})

test('in the body of a record, of an action and of a task', async () => {
  for (const one of extremes) {
    for (const name of [
      'name',
      'count',
      'serial',
      'total',
      'day',
      'parent_id',
      'keeper_id',
      'id',
    ]) {
      await assertRefused('POST', '/client', { [name]: one })
      await assertRefused('PATCH', `/client/${id}`, { [name]: one })
    }
    for (const values of [{ count: one }, { parent_id: one }, one])
      await assertRefused('POST', `/client/${id}/proceedToStep`, { action: 'none', values })
    await assertRefused('POST', `/client/${id}/proceedToStep`, { action: one, comment: one })
    for (const name of ['assigne_id', 'description', 'due_date', 'type', 'payload', 'entity_id'])
      await assertRefused('POST', `/client/${id}/task`, { [name]: one })
    for (const entry of [one, { key: 'client', entity_id: one }, { key: one, entity_id: id }]) {
      await assertRefused('POST', `/client/${id}/task`, { related_entities: [entry] })
      const { json } = await service.ask('POST', `/client/${id}/task`, { body: {} })
      await assertRefused('PUT', `/client/${id}/${json().id}`, { related_entities: [entry] })
    }
  }
})

test('in criteria, of a search and of an export', async () => {
  const operators = ['$eq', '$ne', '$gt', '$lte', '$like', '$ilike', '$contains', '$startsWith']
  for (const one of extremes)
    for (const name of [
      'id',
      'name',
      'count',
      'serial',
      'total',
      'day',
      'parent_id',
      '_created_by',
    ]) {
      const conditions = [one, ...operators.map((word) => ({ [word]: one })), { $in: [one, one] }]
      for (const condition of conditions) {
        const body = { $where: { [name]: condition } }
        for (const path of ['/client/search', '/client/export?limit=1']) {
          const { status, text } = await service.ask('POST', path, { body })
          assert.ok(status < 500, `${path} ${JSON.stringify(body)}: ${status} ${text}`)
        }
      }
    }
})

test('in requests about notifications', async () => {
  for (const one of extremes) {
    const explain = { entityKey: 'client', entityId: id, operation: 'create' }
    for (const name of Object.keys(explain))
      await assertRefused('POST', '/api/notifications/explain', { ...explain, [name]: one })
    await assertRefused('PUT', '/api/notifications/mark', { ids: [one], status: 'seen' })
    for (const name of ['after', 'before', 'status', 'ids'])
      await assertRefused('PUT', '/api/notifications/mark', {
        ids: [],
        status: 'seen',
        [name]: one,
      })
    await assertRefused('PUT', '/api/notifications/preferences', {
      data: [{ entity: one, operation: one, email: one }],
    })
  }
})

test('a task with a record that cannot exist is a 422, and a 404 without the permission', async () => {
  for (const entry of [
    { key: 'client', entity_id: 2147483648 },
    { key: '\u0000', entity_id: 1 },
  ]) {
    const body = { related_entities: [entry] }
    const refused = await service.ask('POST', `/client/${id}/task`, { body })
    assert.equal(refused.status, 422, refused.text)
    assert.equal(refused.json().errors[0].path, 'related_entities[0]')
    const unknown = await service.ask('POST', `/client/${id}/task`, {
      body,
      as: 'nobody@example.com',
    })
    assert.equal(unknown.status, 404, unknown.text)
  }
})
