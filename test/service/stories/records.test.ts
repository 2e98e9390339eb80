/** Records over HTTP: create, read, change, remove, list and search. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  startProject,
  users,
} from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
let ask: TestService['ask']
before(async () => {
  service = await startProject({ TIME_ZONE: 'Europe/Zagreb', BODY_LIMIT_BYTES: '100000' })
  ask = service.ask
})
after(() => service.stop())

describe('create, read, change, remove', () => {
  test('create answers 201 with the record, its Location and its ETag', async () => {
    const number = nextNumber()
    const reply = await ask('POST', '/order', {
      body: { number, total: '12.5', serial: '9007199254740993', placed_at: '2026-05-04 10:30:00' },
    })
    assert.equal(reply.status, 201, reply.text)
    const record = reply.json()
    assert.equal(reply.headers.get('location'), `/order/${record.id}`)
    assert.equal(reply.headers.get('etag'), '"1"')
    // A local time is read in TIME_ZONE and returned in UTC; decimals and big integers are strings.
    assert.equal(record.placed_at, '2026-05-04T08:30:00.000Z')
    assert.deepEqual(
      [record.total, record.serial, record.urgency, record.is_urgent],
      ['12.50', '9007199254740993', 'normal', false],
    )
    assert.deepEqual([record._created_by, record._owned_by, record._is_deleted], [1, 1, false])
    assert.deepEqual((await ask('GET', `/order/${record.id}/`)).json(), record)
  })

  test('every value is returned as it was sent', async () => {
    const values = {
      group: ' a\tb\r\nc "d" 😀 ',
      notes: 'مرحبا\n=1+1',
      contact: 'a@b.example',
      quantity: 1000,
      rate: '123456789012345678901234567890.123456789',
      needed_by: '2024-02-29',
      extra: { b: [1, 'ü', null], a: { x: '1.10' } },
      is_urgent: true,
      urgency: 'high',
    }
    const { id } = await createOrder(service, values)
    const record = (await ask('GET', `/order/${id}`)).json()
    for (const [name, value] of Object.entries(values)) assert.deepEqual(record[name], value, name)
    assert.equal(JSON.stringify(record.extra), JSON.stringify(values.extra))
  })

  test('all issues of a body are reported together, and the most severe one decides the status', async () => {
    const taken = await createOrder(service)
    const conflict = { number: taken.number }
    assert.deepEqual(invalidPaths(await ask('POST', '/order', { body: conflict }), 409), ['number'])
    const refused = { ...conflict, quantity: 0, supplier_id: 4711, urgency: 'hihg' }
    assert.deepEqual(invalidPaths(await ask('POST', '/order', { body: refused }), 422).sort(), [
      'number',
      'quantity',
      'supplier_id',
      'urgency',
    ])
    const malformed = {
      ...refused,
      needed_by: '2026-02-30',
      colour: 'red',
      _version: 7,
      supplier: 1,
    }
    assert.deepEqual(invalidPaths(await ask('POST', '/order', { body: malformed }), 400).sort(), [
      '_version',
      'colour',
      'needed_by',
      'number',
      'quantity',
      'supplier',
      'supplier_id',
      'urgency',
    ])
  })

  const invalidValues: readonly [string, Record<string, unknown>, number][] = [
    ['a missing required field', {}, 422],
    ['an empty required text', { number: '' }, 422],
    ['a pattern that does not match', { number: 'x' }, 422],
    ['a number as text', { number: 5 }, 400],
    ['NUL in text', { number: 'PO-1', notes: 'a\u0000b' }, 400],
    ['a control character', { number: 'PO-1', notes: '\u001b[31m' }, 400],
    ['half of a surrogate pair', { number: 'PO-1', notes: '\ud800' }, 400],
    ['a fraction for an integer', { number: 'PO-1', quantity: 1.5 }, 400],
    ['an integer beyond the column', { number: 'PO-1', quantity: 3e9 }, 422],
    ['a bigint beyond the column', { number: 'PO-1', serial: '9223372036854775808' }, 422],
    ['a decimal with too many digits', { number: 'PO-1', total: '1.234' }, 422],
    ['a decimal below its minimum', { number: 'PO-1', total: '-0.01' }, 422],
    ['a system field', { number: 'PO-1', id: 5 }, 400],
    ['an owner', { number: 'PO-1', _owned_by: 2 }, 400],
    ['a one-to-many field', { number: 'PO-1', lines: [] }, 400],
    ['__proto__', JSON.parse('{"number":"PO-1","__proto__":{"admin":true}}'), 400],
    ['constructor', { number: 'PO-1', constructor: 1 }, 400],
  ]
  for (const [what, body, status] of invalidValues)
    test(`${what} is rejected with ${status} and nothing is stored`, async () => {
      const count = async () =>
        (await service.database.pool.query('SELECT count(*) AS n FROM records."order"')).rows[0].n
      const earlier = await count()
      assert.notDeepEqual(invalidPaths(await ask('POST', '/order', { body }), status), [])
      assert.equal(await count(), earlier)
    })

  test('a change stores the given fields and its history, and a change without effect keeps the version', async () => {
    const { id } = await createOrder(service, { notes: 'a' })
    const changed = await ask('PATCH', `/order/${id}`, { body: { notes: 'b', total: '3' } })
    assert.equal(changed.headers.get('etag'), '"2"')
    const same = await ask('PATCH', `/order/${id}`, { body: { notes: 'b', total: '3.00' } })
    assert.equal(same.headers.get('etag'), '"2"')
    const { data } = (await ask('GET', `/order/${id}/history`)).json()
    assert.deepEqual(
      data.map((entry: { operation: string }) => entry.operation),
      ['change', 'create'],
    )
    assert.deepEqual(data[0].changes, {
      notes: { before: 'a', after: 'b' },
      total: { before: '0.00', after: '3.00' },
    })
    assert.equal(data[0].user.id, 1)
  })

  test('of two changes with the same ETag exactly one succeeds; the other gets a 412 with the new tag', async () => {
    const { id } = await createOrder(service)
    const change = (notes: string) =>
      ask('PATCH', `/order/${id}`, { body: { notes }, headers: { 'If-Match': '"1"' } })
    const replies = await Promise.all([change('a'), change('b'), change('c')])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 412, 412])
    assert.equal(replies.find(({ status }) => status === 412)?.headers.get('etag'), '"2"')
  })

  test('a read with the current tag is a 304', async () => {
    const { id } = await createOrder(service)
    assert.equal(
      (await ask('GET', `/order/${id}`, { headers: { 'If-None-Match': '"1"' } })).status,
      304,
    )
    assert.equal(
      (await ask('GET', `/order/${id}`, { headers: { 'If-None-Match': '"2"' } })).status,
      200,
    )
  })

  test('a removed record cannot be read, keeps its row, and frees its unique value', async () => {
    const { id, number } = await createOrder(service)
    assert.equal((await ask('DELETE', `/order/${id}/`)).status, 204)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
    ] as const)
      assert.equal((await ask(method, `/order/${id}${path}`)).status, 404)
    assert.equal((await ask('PATCH', `/order/${id}`, { body: { notes: 'x' } })).status, 404)
    assert.equal((await ask('POST', '/order', { body: { number } })).status, 201)
    const found = await ask('POST', '/order/search', {
      body: { $where: { id, _is_deleted: true } },
    })
    assert.equal(found.json().data.length, 1)
    assert.deepEqual(
      invalidPaths(
        await ask('POST', '/order', { body: { number: nextNumber(), follows_id: id } }),
        422,
      ),
      ['follows_id'],
    )
  })

  test('takeOwnership makes the caller the owner; entities without owner do not have the path', async () => {
    const { id } = await createOrder(service)
    const taken = await ask('POST', `/order/${id}/takeOwnership`, { as: users.buyer })
    assert.equal(taken.status, 200, taken.text)
    assert.notEqual(taken.json()._owned_by, 1)
    assert.equal((await ask('POST', '/country/1/takeOwnership')).status, 404)
  })
})

describe('list, search, include', () => {
  test('search returns the total only on request, and $select returns nested fields', async () => {
    const country = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
    const supplier = await createAs(service, 'supplier', {
      code: 'S1',
      name: 'Šibenik',
      country_id: country.id,
    })
    const order = await createOrder(service, { supplier_id: supplier.id })
    const where = { 'supplier.country.code': 'HR' }
    const plain = (await ask('POST', '/order/search', { body: { $where: where } })).json()
    assert.deepEqual(Object.keys(plain), ['data'])
    const picked = await ask('POST', '/order/search', {
      body: { $where: where, $select: ['number', 'supplier.country.name'], $count: true },
    })
    assert.deepEqual(picked.json(), {
      data: [{ number: order.number, supplier: { country: { name: 'Croatia' } } }],
      total: 1,
    })
    const read = (
      await ask('GET', `/order/${order.id}?include=supplier.country,_created_by`)
    ).json()
    assert.equal(read.supplier.country.name, 'Croatia')
    assert.equal(read.created_by.email, 'admin@example.com')
  })

  const badQueries = [
    'limit=0',
    'limit=-1',
    'limit=1001',
    'limit=1e9',
    'limit=abc',
    'limit=1.5',
    'page=0',
    'sort=nothing',
    'sort=',
    'include=number',
    'colour=red',
    'limit=1&limit=2',
    'sort=id;DROP TABLE records.order',
  ]
  for (const query of badQueries)
    test(`GET /order?${query} is a 400 that names the parameter`, async () => {
      const paths = invalidPaths(await ask('GET', `/order?${query}`), 400)
      assert.deepEqual(paths, [query.split('=')[0]])
    })

  test('pages of a list do not overlap', async () => {
    for (let index = 0; index < 5; index++) await createOrder(service, { notes: 'page' })
    const pages = await Promise.all(
      [1, 2, 3].map((page) => ask('GET', `/order?limit=3&page=${page}&sort=notes`)),
    )
    const ids = pages.flatMap((page) => page.json().data.map(({ id }: { id: number }) => id))
    assert.equal(new Set(ids).size, ids.length)
  })
})
