/** Saved views: who may make, share and read them; a shared view names nothing that its reader may not see, and is checked when it is saved. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { insertPerson } from '../../support/a-person.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { type Reply, startTestService } from '../../support/service.ts'

const read = { read: true }
const order = { ...read, hiddenFields: ['margin'] }
const service = await startTestService({
  ...entityFile('order', [
    { key: 'number', type: 'string' },
    { key: 'margin', type: 'decimal' },
    { key: 'rate', type: 'decimal' },
    { key: 'weight', type: 'integer' },
    { key: 'extra', type: 'json' },
    { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
  ]),
  ...entityFile('supplier', [
    { key: 'name', type: 'string' },
    { key: 'rating', type: 'integer' },
  ]),
  // Hides the margin, and reads no suppliers; has two users.
  ...roleFile('buyer', { order }),
  ...roleFile('chief', { order: read, supplier: read }),
  // May share.
  ...roleFile('lead', {
    order: read,
    supplier: read,
    security_role: read,
    saved_view: { create: true, read: 'own', update: true, delete: 'own' },
  }),
  ...roleFile('wildcard', { '*': { ...read, create: true, update: true, delete: true } }),
  ...roleFile('viewless', { order, saved_view: {} }),
  ...roleFile('stranger', { supplier: read }),
})
after(() => service.stop())
const { ask } = service
const { pool } = service.database
const roleIds: Record<string, number> = {}
for (const { id, key } of (await ask('GET', '/security_role?limit=100')).json().data)
  roleIds[key] = id
for (const name of ['buyer', 'buyer2', 'chief', 'lead', 'wildcard', 'viewless', 'stranger'])
  await insertPerson(pool, name, name.replace(/\d$/, ''), { full_name: name })

const asOf = (who: string) => (who === 'administrator' ? {} : { as: `${who}@example.com` })
const everybody = { is_shared_with: 'all' }
const forRole = (key: string) => ({ is_shared_with: 'role', security_role_id: roleIds[key] })
const send = (who: string, values: object = {}): Promise<Reply> => {
  const body = { entity_key: 'order', name: 'A view', ...values }
  return ask('POST', '/saved_view', { body, ...asOf(who) })
}
const save = async (who: string, values: object = {}): Promise<number> =>
  (await send(who, values)).json(201).id
const change = (who: string, id: number, body: object, headers = {}) =>
  ask('PATCH', `/saved_view/${id}`, { body, headers, ...asOf(who) })
/** The statuses that callers get for a view. */
const statusesFor = (id: number, ...callers: string[]) =>
  Promise.all(callers.map(async (who) => (await ask('GET', `/saved_view/${id}`, asOf(who))).status))
const listFor = async (who: string): Promise<number[]> => {
  const reply = await ask('POST', '/saved_view/search?limit=1000', { body: {}, ...asOf(who) })
  return reply.json().data.map(({ id }: { id: number }) => id)
}
const pathsOf = (reply: Reply) => {
  assert.equal(reply.status, 422, reply.text)
  return reply.json().errors.map(({ path }: { path: string }) => path)
}
const setCriteria = (id: number, criteria: string) =>
  pool.query('UPDATE records.saved_view SET criteria = $1 WHERE id = $2', [criteria, id])

describe('a view of one’s own', () => {
  test('can be made, read, changed with If-Match and removed by every role', async () => {
    const criteria = { $where: { number: { $ilike: 'PO%' } }, $orderBy: ['-number'] }
    const columns = ['number', 'supplier_id']
    const ofOrders = { entity_key: 'order', criteria, columns }
    for (const [who, values] of [
      ['buyer', ofOrders],
      ['wildcard', ofOrders],
      ['stranger', { entity_key: 'supplier', criteria: null, columns: null }],
      ['administrator', ofOrders],
    ] as const) {
      const { id, is_shared_with, ...view } = (await send(who, values)).json(201)
      const seen = [view.entity_key, view.criteria, view.columns, is_shared_with]
      assert.deepEqual(seen, [values.entity_key, values.criteria, values.columns, 'me'])
      const rename = () => change(who, id, { name: 'Renamed' }, { 'If-Match': '"1"' })
      assert.equal((await rename()).status, 200)
      assert.equal((await rename()).status, 412)
      const { data } = (await ask('GET', `/saved_view/${id}/history`, asOf(who))).json()
      assert.equal(data.length, 2)
      assert.equal((await ask('DELETE', `/saved_view/${id}`, asOf(who))).status, 204)
    }
  })

  test('is read by nobody else but administrators, who read every record', async () => {
    const id = await save('buyer')
    const others = ['buyer2', 'chief', 'lead', 'wildcard', 'stranger']
    assert.deepEqual(await statusesFor(id, ...others), [404, 404, 404, 404, 404])
    for (const who of others) assert.ok(!(await listFor(who)).includes(id), who)
    assert.deepEqual(await statusesFor(id, 'administrator'), [200])
  })

  test('is not available to a role whose file says so', async () => {
    assert.equal((await send('viewless')).status, 403)
    assert.equal((await ask('GET', '/saved_view', asOf('viewless'))).status, 403)
  })

  test('is changed and removed by nobody else', async () => {
    const id = await save('lead', everybody)
    for (const who of ['buyer', 'chief', 'wildcard']) {
      assert.equal((await change(who, id, { name: 'Mine now' })).status, 403)
      assert.equal((await ask('DELETE', `/saved_view/${id}`, asOf(who))).status, 403)
    }
  })

  test('is one of at most 1,000', async () => {
    const { id } = (await ask('GET', '/api/me', asOf('chief'))).json()
    await pool.query(
      `INSERT INTO records.saved_view
         (entity_key, name, is_shared_with, _is_deleted, _created_by, _created_at, _updated_at)
       SELECT 'order', n::text, 'me', false, $1, now(), now() FROM generate_series(1, 999) n`,
      [id],
    )
    await save('chief')
    assert.deepEqual(pathsOf(await send('chief')), [''])
    await pool.query('DELETE FROM records.saved_view WHERE _created_by = $1', [id])
  })
})

describe('sharing', () => {
  test('needs the permission to change every view', async () => {
    for (const shared of [everybody, forRole('buyer')]) {
      for (const who of ['buyer', 'wildcard']) {
        const reply = await send(who, shared)
        assert.deepEqual([reply.status, reply.json().code], [403, 'caller.forbidden'])
        assert.equal((await change(who, await save(who), shared)).status, 403)
      }
      for (const who of ['lead', 'administrator']) await save(who, shared)
    }
  })

  test('shows a view to everybody who may read its entity, until it is its maker’s own again', async () => {
    const id = await save('lead', { ...everybody, criteria: { $where: { number: 'x' } } })
    const others = ['buyer', 'buyer2', 'chief', 'wildcard', 'stranger']
    assert.deepEqual(await statusesFor(id, ...others), [200, 200, 200, 200, 404])
    assert.ok((await listFor('buyer')).includes(id))
    assert.ok(!(await listFor('stranger')).includes(id))
    assert.equal((await change('lead', id, { is_shared_with: 'me' })).status, 200)
    assert.deepEqual(await statusesFor(id, 'buyer'), [404])
  })

  test('with a role shows a view to this role only, and needs the role', async () => {
    const id = await save('lead', forRole('buyer'))
    assert.deepEqual(await statusesFor(id, 'buyer', 'buyer2', 'chief'), [200, 200, 404])
    for (const reply of [
      await send('lead', { is_shared_with: 'role' }),
      await change('lead', id, { security_role_id: null }),
    ])
      assert.deepEqual(pathsOf(reply), ['security_role_id'])
  })

  test('does not show the history, which may name more than the view does now', async () => {
    const id = await save('lead', { ...everybody, criteria: { $where: { margin: '5' } } })
    const now = { criteria: { $where: { number: '5' } } }
    assert.equal((await change('lead', id, now)).status, 200)
    assert.deepEqual(await statusesFor(id, 'buyer'), [200])
    assert.equal((await ask('GET', `/saved_view/${id}/history`, asOf('buyer'))).status, 404)
    assert.equal((await ask('GET', `/saved_view/${id}/history`, asOf('lead'))).status, 200)
  })
})

describe('a shared view that names a field that a role may not see', () => {
  const compared = { rate: { $field: 'margin' } }
  const hidden: Readonly<Record<string, object>> = {
    'a nested condition': {
      criteria: { $where: { $or: [{ number: 'x' }, { $not: { margin: null } }] } },
    },
    'a field to compare with': { criteria: { $where: { rate: { $lt: { $field: 'margin' } } } } },
    'a nested field to compare with': { criteria: { $where: { $or: [{ $and: [compared] }] } } },
    'a path to compare with': {
      criteria: { $where: { number: { $ne: { $field: 'supplier.name' } } } },
    },
    'a path to records that it may not read': { criteria: { $where: { 'supplier.rating': 5 } } },
    'the order': { criteria: { $orderBy: ['number', '-margin'] } },
    'a column': { columns: ['number', 'margin'] },
    'a column of records that it may not read': { columns: ['supplier.name'] },
  }
  for (const [name, values] of Object.entries(hidden))
    test(`in ${name} is not readable for it`, async () => {
      const id = await save('lead', { ...everybody, ...values })
      assert.deepEqual(await statusesFor(id, 'chief', 'buyer', 'buyer2'), [200, 404, 404])
      const body = { $where: { name: 'A view' }, $count: true, $select: ['id'] }
      const found = await ask('POST', '/saved_view/search?limit=1000', { body, ...asOf('buyer') })
      const { data, total } = found.json()
      assert.ok(!data.some((view: { id: number }) => view.id === id))
      assert.equal(total, data.length)
    })

  test('is readable where only a value has that name', async () => {
    const $where = {
      number: { $in: ['margin'] },
      extra: { $contains: { margin: 1, $field: 'margin' } },
      rate: { $gt: { $field: 'weight' } },
    }
    const id = await save('lead', { ...everybody, criteria: { $where } })
    assert.deepEqual(await statusesFor(id, 'buyer'), [200])
  })

  test('stays unreadable when the stored criteria are not criteria', async () => {
    const id = await save('lead', everybody)
    for (const [criteria, status] of [
      ['{"$where":{"supplier_id.name":1}}', 404],
      ['{"$orderBy":[{"a":1}]}', 404],
      ['{"$where":{"rate":{"$gt":{"$field":"gone"}}}}', 404],
      ['{"$orderBy":[null],"$where":{"rate":{"$gt":{"$field":5},"$field":null}}}', 200],
      ['[1]', 200],
      ['{"$where":[1],"$orderBy":5}', 200],
      ['{"$where":{"$or":5,"$not":[{"number":1}]}}', 200],
    ] as const) {
      await setCriteria(id, criteria)
      assert.deepEqual(await statusesFor(id, 'buyer'), [status], criteria)
    }
  })
})

describe('criteria and columns are checked when they are saved, as those of a search', () => {
  const wrong: readonly (readonly [values: object, path: string])[] = [
    [{ entity_key: 'ordre' }, 'entity_key'],
    [{ entity_key: 'supplier' }, 'entity_key'],
    [{ criteria: { $where: { margin: '1' } } }, 'criteria.$where.margin'],
    [{ criteria: { $orderBy: ['extra'] } }, 'criteria.$orderBy[0]'],
    [{ criteria: { $select: ['number'] } }, 'criteria.$select'],
    [{ criteria: { where: {} } }, 'criteria.where'],
    [{ criteria: 'all' }, 'criteria'],
    [{ columns: ['number', 'gone'] }, 'columns[1]'],
    [{ columns: ['supplier.name'] }, 'columns[0]'],
    [{ columns: [] }, 'columns'],
    [{ columns: [5] }, 'columns[0]'],
    [{ columns: Array(501).fill('number') }, 'columns'],
    [{ name: 'x'.repeat(81) }, 'name'],
    [{ name: '' }, 'name'],
  ]
  for (const [values, path] of wrong)
    test(`${JSON.stringify(values).slice(0, 60)} is rejected`, async () => {
      assert.deepEqual(pathsOf(await send('buyer', values)), [path])
    })

  test('an unknown entity and one that may not be read have the same message', async () => {
    const messageOf = async (entity_key: string) =>
      (await send('buyer', { entity_key })).json().errors[0].message
    assert.equal(await messageOf('supplier'), await messageOf('qqqqqqqq'))
  })

  test('a view whose paths are gone can still be renamed', async () => {
    const id = await save('buyer')
    await setCriteria(id, '{"$where":{"gone":1}}')
    assert.deepEqual((await change('buyer', id, { name: 'Old' })).json(200).criteria, {
      $where: { gone: 1 },
    })
  })
})
