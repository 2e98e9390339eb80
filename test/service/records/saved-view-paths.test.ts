/** What saved views name: who may read it decides who reads a shared view, and it is checked when it is saved. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { asOf, everybody, startViews, type Views } from './a-view-project.ts'

let ask: Views['ask']
let listFor: Views['listFor']
let pathsOf: Views['pathsOf']
let save: Views['save']
let send: Views['send']
let service: Views['service']
let statusFor: Views['statusFor']
before(async () => {
  ;({ ask, listFor, pathsOf, save, send, service, statusFor } = await startViews())
})
after(() => service.stop())

describe('a shared view that names a field that a role may not see', () => {
  const hidden: readonly [string, object][] = [
    ['a condition', { criteria: { $where: { margin: { $gt: '5' } } } }],
    [
      'a nested condition',
      { criteria: { $where: { $or: [{ number: 'x' }, { $not: { margin: null } }] } } },
    ],
    ['a field to compare with', { criteria: { $where: { rate: { $lt: { $field: 'margin' } } } } }],
    [
      'a nested one',
      { criteria: { $where: { $or: [{ $and: [{ rate: { $field: 'margin' } }] }] } } },
    ],
    [
      'a path to compare with',
      { criteria: { $where: { number: { $ne: { $field: 'supplier.name' } } } } },
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
      $where: {
        number: { $in: ['margin'] },
        extra: { $contains: { margin: 1, $field: 'margin' } },
        rate: { $gt: { $field: 'weight' } },
      },
    }
    assert.equal(await statusFor('buyer', await save('lead', { ...everybody, criteria })), 200)
  })

  test('stays unreadable when the stored criteria are not criteria', async () => {
    const id = await save('lead', everybody)
    for (const [criteria, status] of [
      ['{"$where":{"gone":1}}', 404],
      ['{"$where":{"supplier_id.name":1}}', 404],
      ['{"$orderBy":[{"a":1}]}', 404],
      ['{"$where":{"rate":{"$gt":{"$field":"gone"}}}}', 404],
      ['{"$orderBy":[null],"$where":{"rate":{"$gt":{"$field":5},"$field":null}}}', 200],
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
