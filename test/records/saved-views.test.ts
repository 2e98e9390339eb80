/** Saved views: who may make, share and read them; a shared view names nothing that its reader may not see. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { insertUser } from '../../src/users/user-store.ts'
import { type Reply, startTestService, type TestService, writeProject } from '../support/service.ts'

const role = (key: string, permissions: object) => ({
  [`roles/${key}.json`]: { key, permissions },
})

const order = { read: true, hiddenFields: ['margin'] }
const files = {
  'entities/order.json': {
    key: 'order',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'margin', type: 'decimal' },
      { key: 'extra', type: 'json' },
      { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    ],
  },
  'entities/supplier.json': {
    key: 'supplier',
    fields: [
      { key: 'name', type: 'string' },
      { key: 'rating', type: 'integer' },
    ],
  },
  // Hides the margin, and reads no suppliers.
  ...role('buyer', { order }),
  ...role('chief', { order: { read: true }, supplier: { read: true } }),
  // May share.
  ...role('lead', {
    order: { read: true },
    supplier: { read: true },
    security_role: { read: true },
    saved_view: { create: true, read: 'own', update: true, delete: 'own' },
  }),
  ...role('wildcard', {
    '*': { read: true, create: true, update: true, delete: true, export: true },
  }),
  ...role('viewless', { order, saved_view: {} }),
  ...role('stranger', { supplier: { read: true } }),
}

let service: TestService
let ask: TestService['ask']
const idOfRole: Record<string, number> = {}
before(async () => {
  service = await startTestService(await writeProject(files))
  ask = service.ask
  for (const { id, key } of (await ask('GET', '/security_role?limit=100')).json().data)
    idOfRole[key] = id
  for (const name of ['buyer', 'buyer2', 'chief', 'lead', 'wildcard', 'viewless', 'stranger']) {
    const id = await insertUser(service.database.pool, {
      identity_provider_user_id: name,
      first_name: name,
      last_name: 'Example',
      full_name: name,
      email: `${name}@example.com`,
      role_key: name.replace(/\d$/, ''),
    })
    assert.ok(id)
  }
})
after(() => service.stop())

const asOf = (who: string) => (who === 'administrator' ? {} : { as: `${who}@example.com` })
const send = (who: string, values: object = {}): Promise<Reply> =>
  ask('POST', '/saved_view', {
    body: { entity_key: 'order', name: 'A view', ...values },
    ...asOf(who),
  })
const save = async (who: string, values: object = {}): Promise<number> => {
  const reply = await send(who, values)
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}
const statusFor = async (who: string, id: number) =>
  (await ask('GET', `/saved_view/${id}`, asOf(who))).status
const listFor = async (who: string): Promise<number[]> =>
  (await ask('POST', '/saved_view/search?limit=1000', { body: {}, ...asOf(who) }))
    .json()
    .data.map(({ id }: { id: number }) => id)
const pathsOf = (reply: Reply, status: number) => {
  assert.equal(reply.status, status, reply.text)
  return reply.json().errors.map(({ path }: { path: string }) => path)
}

const everybody = { is_shared_with: 'all' }
const forRole = (key: string) => ({ is_shared_with: 'role', security_role_id: idOfRole[key] })

describe('a view of one’s own', () => {
  test('can be made, read, changed with If-Match and removed by every role', async () => {
    const criteria = { $where: { number: { $ilike: 'PO%' } }, $orderBy: ['-number'] }
    const columns = ['number', 'supplier_id']
    for (const who of ['buyer', 'wildcard', 'stranger', 'administrator']) {
      const entity_key = who === 'stranger' ? 'supplier' : 'order'
      const values = who === 'stranger' ? { entity_key } : { entity_key, criteria, columns }
      const reply = await send(who, values)
      assert.equal(reply.status, 201, reply.text)
      const { id, ...view } = reply.json()
      assert.deepEqual(
        [view.is_shared_with, view.criteria, view.columns],
        who === 'stranger' ? ['me', null, null] : ['me', criteria, columns],
      )
      const change = (etag: string) =>
        ask('PATCH', `/saved_view/${id}`, {
          body: { name: 'Renamed' },
          headers: { 'If-Match': etag },
          ...asOf(who),
        })
      assert.equal((await change('"1"')).status, 200)
      assert.equal((await change('"1"')).status, 412)
      const { data } = (await ask('GET', `/saved_view/${id}/history`, asOf(who))).json()
      assert.equal(data.length, 2)
      assert.equal((await ask('DELETE', `/saved_view/${id}`, asOf(who))).status, 204)
    }
  })

  test('is read by nobody else but administrators, who read every record', async () => {
    const id = await save('buyer')
    for (const who of ['buyer2', 'chief', 'lead', 'wildcard', 'stranger']) {
      assert.equal(await statusFor(who, id), 404, who)
      assert.ok(!(await listFor(who)).includes(id), who)
    }
    assert.equal(await statusFor('administrator', id), 200)
  })

  test('is not available to a role whose file says so', async () => {
    assert.equal((await send('viewless')).status, 403)
    assert.equal((await ask('GET', '/saved_view', asOf('viewless'))).status, 403)
  })

  test('is changed and removed by nobody else', async () => {
    const id = await save('lead', everybody)
    for (const who of ['buyer', 'chief', 'wildcard']) {
      const body = { name: 'Mine now' }
      assert.equal((await ask('PATCH', `/saved_view/${id}`, { body, ...asOf(who) })).status, 403)
      assert.equal((await ask('DELETE', `/saved_view/${id}`, asOf(who))).status, 403)
    }
  })
})

describe('sharing', () => {
  test('needs the permission to change every view', async () => {
    for (const who of ['buyer', 'wildcard'])
      for (const shared of [everybody, forRole('buyer')]) {
        const reply = await send(who, shared)
        assert.deepEqual([reply.status, reply.json().code], [403, 'caller.forbidden'])
        const id = await save(who)
        const changed = await ask('PATCH', `/saved_view/${id}`, { body: shared, ...asOf(who) })
        assert.equal(changed.status, 403)
      }
    for (const who of ['lead', 'administrator'])
      for (const shared of [everybody, forRole('buyer')]) await save(who, shared)
  })

  test('with all shows a view to everybody who may read its entity', async () => {
    const id = await save('lead', { ...everybody, criteria: { $where: { number: 'x' } } })
    for (const who of ['buyer', 'buyer2', 'chief', 'wildcard'])
      assert.equal(await statusFor(who, id), 200, who)
    assert.equal(await statusFor('stranger', id), 404)
    assert.ok((await listFor('buyer')).includes(id))
    assert.ok(!(await listFor('stranger')).includes(id))
  })

  test('with a role shows a view to this role only', async () => {
    const id = await save('lead', forRole('buyer'))
    assert.deepEqual([await statusFor('buyer', id), await statusFor('buyer2', id)], [200, 200])
    assert.deepEqual([await statusFor('chief', id), await statusFor('wildcard', id)], [404, 404])
  })

  test('with a role needs the role', async () => {
    assert.deepEqual(pathsOf(await send('lead', { is_shared_with: 'role' }), 422), [
      'security_role_id',
    ])
    const id = await save('lead', forRole('buyer'))
    const body = { security_role_id: null }
    const reply = await ask('PATCH', `/saved_view/${id}`, { body, ...asOf('lead') })
    assert.deepEqual(pathsOf(reply, 422), ['security_role_id'])
  })

  test('ends when the view is its maker’s own again', async () => {
    const id = await save('lead', everybody)
    const body = { is_shared_with: 'me' }
    assert.equal((await ask('PATCH', `/saved_view/${id}`, { body, ...asOf('lead') })).status, 200)
    assert.equal(await statusFor('buyer', id), 404)
  })

  test('does not show the history, which may name more than the view does now', async () => {
    const id = await save('lead', { ...everybody, criteria: { $where: { margin: '5' } } })
    const body = { criteria: { $where: { number: '5' } } }
    assert.equal((await ask('PATCH', `/saved_view/${id}`, { body, ...asOf('lead') })).status, 200)
    assert.equal(await statusFor('buyer', id), 200)
    assert.equal((await ask('GET', `/saved_view/${id}/history`, asOf('buyer'))).status, 404)
    assert.equal((await ask('GET', `/saved_view/${id}/history`, asOf('lead'))).status, 200)
  })
})

describe('a shared view that names a field that a role may not see', () => {
  const hidden: readonly [string, object][] = [
    ['a condition', { criteria: { $where: { margin: { $gt: '5' } } } }],
    [
      'a nested condition',
      { criteria: { $where: { $or: [{ number: 'x' }, { $not: { margin: null } }] } } },
    ],
    ['the order', { criteria: { $orderBy: ['number', '-margin'] } }],
    ['a column', { columns: ['number', 'margin'] }],
    ['a path to records that it may not read', { columns: ['supplier.name'] }],
    ['a condition on such a path', { criteria: { $where: { $and: [{ 'supplier.rating': 5 }] } } }],
  ]
  for (const [name, values] of hidden)
    test(`in ${name} is not readable for it`, async () => {
      const id = await save('lead', { ...everybody, ...values })
      assert.equal(await statusFor('chief', id), 200)
      for (const who of ['buyer', 'buyer2']) {
        assert.equal(await statusFor(who, id), 404)
        assert.ok(!(await listFor(who)).includes(id))
        const body = { $where: { name: 'A view' }, $count: true, $select: ['id'] }
        const found = await ask('POST', '/saved_view/search?limit=1000', { body, ...asOf(who) })
        assert.equal(found.json().total, found.json().data.length)
      }
    })

  test('is readable where only a value has that name', async () => {
    const criteria = {
      $where: { number: { $in: ['margin'] }, extra: { $contains: { margin: 1 } } },
    }
    assert.equal(await statusFor('buyer', await save('lead', { ...everybody, criteria })), 200)
  })

  test('stays unreadable when the stored criteria are not criteria', async () => {
    const id = await save('lead', everybody)
    for (const [criteria, status] of [
      ['{"$where":{"gone":1}}', 404],
      ['{"$where":{"supplier_id.name":1}}', 404],
      ['{"$orderBy":[{"a":1}]}', 404],
      ['[1]', 200],
      ['"x"', 200],
      ['{"$where":[1],"$orderBy":5}', 200],
      ['{"$where":{"$or":5,"$not":[{"number":1}]}}', 200],
    ] as const) {
      const update = 'UPDATE records.saved_view SET criteria = $1 WHERE id = $2'
      await service.database.pool.query(update, [criteria, id])
      assert.equal(await statusFor('buyer', id), status, criteria)
    }
  })
})

describe('criteria and columns are checked when they are saved, as those of a search', () => {
  const wrong: readonly [object, string[]][] = [
    [{ entity_key: 'ordre' }, ['entity_key']],
    [{ entity_key: 'supplier' }, ['entity_key']],
    [{ criteria: { $where: { margin: '1' } } }, ['criteria.$where.margin']],
    [{ criteria: { $orderBy: ['extra'] } }, ['criteria.$orderBy[0]']],
    [{ criteria: { $select: ['number'] } }, ['criteria.$select']],
    [{ criteria: { where: {} } }, ['criteria.where']],
    [{ criteria: [] }, ['criteria']],
    [{ criteria: 'all' }, ['criteria']],
    [{ columns: ['number', 'gone'] }, ['columns[1]']],
    [{ columns: ['supplier.name'] }, ['columns[0]']],
    [{ columns: 'number' }, ['columns']],
    [{ columns: [] }, ['columns']],
    [{ columns: [5] }, ['columns[0]']],
    [{ columns: Array.from({ length: 501 }, () => 'number') }, ['columns']],
    [{ name: 'x'.repeat(81) }, ['name']],
    [{ name: '' }, ['name']],
  ]
  for (const [values, paths] of wrong)
    test(`${JSON.stringify(values).slice(0, 60)} is rejected`, async () => {
      assert.deepEqual(pathsOf(await send('buyer', values), 422), paths)
    })

  test('an unknown entity and one that may not be read have the same message', async () => {
    const messageOf = async (entity_key: string) =>
      (await send('buyer', { entity_key })).json().errors[0].message
    assert.equal(await messageOf('supplier'), await messageOf('qqqqqqqq'))
  })

  test('a view whose paths are gone can still be renamed', async () => {
    const id = await save('buyer')
    const update = `UPDATE records.saved_view SET criteria = '{"$where":{"gone":1}}' WHERE id = $1`
    await service.database.pool.query(update, [id])
    const body = { name: 'Old' }
    const reply = await ask('PATCH', `/saved_view/${id}`, { body, ...asOf('buyer') })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.json().criteria, { $where: { gone: 1 } })
  })
})

test('a user has at most 1,000 views', async () => {
  const { id } = (await ask('GET', '/api/me', asOf('chief'))).json()
  await service.database.pool.query(
    `INSERT INTO records.saved_view
       (entity_key, name, is_shared_with, _is_deleted, _created_by, _created_at, _updated_at)
     SELECT 'order', n::text, 'me', false, $1, now(), now() FROM generate_series(1, 999) n`,
    [id],
  )
  await save('chief')
  assert.deepEqual(pathsOf(await send('chief'), 422), [''])
})
