/** Totals of a search: sums, averages and ranges of all records that match, together and by group. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
} from '../../support/a-project.ts'

const service = await sharedProject()
const country = await createAs(service, 'country', { code: 'QT', name: 'Croatia' })
const adria = { code: nextNumber(), name: 'Adria', country_id: country.id }
const supplier = await createAs(service, 'supplier', adria)
const serial = '9223372036854775807'
for (const order of [
  { group: 'a', total: '0.10', quantity: 1, serial, supplier_id: supplier.id },
  { group: 'a', total: '0.20', quantity: 2, serial },
  { group: 'b', total: '99999999999.99', needed_by: '2026-05-04' },
  { total: '1.00', quantity: 4, needed_by: '2026-01-31', placed_at: '2026-05-04T08:30:00.123Z' },
])
  await createOrder(service, { notes: 'added up', ...order })

const search = (body: object) => service.ask('POST', '/order/search?limit=1', { body })
const found = async (body: object) => (await search(body)).json(200)
const mine = { notes: 'added up' }

describe('$aggregate', () => {
  test('sums and averages are exact texts of all that match, whatever the page', async () => {
    const page = await found({
      $where: mine,
      $orderBy: ['-total'],
      $aggregate: {
        sum: ['total', 'quantity', 'serial', 'rate'],
        avg: ['quantity'],
        min: ['needed_by', 'total'],
        max: ['needed_by', 'placed_at', 'quantity', 'serial'],
      },
    })
    assert.equal(page.data.length, 1)
    assert.deepEqual(page.aggregate, {
      count: 4,
      sum: { total: '100000000001.29', quantity: '7', serial: '18446744073709551614', rate: null },
      avg: { quantity: '2.3333333333333333' },
      min: { needed_by: '2026-01-31', total: '0.10' },
      max: {
        needed_by: '2026-05-04',
        placed_at: '2026-05-04T08:30:00.123Z',
        quantity: 4,
        serial: '9223372036854775807',
      },
    })
  })

  test('without a match everything is null', async () => {
    const { aggregate } = await found({ $where: { id: 0 }, $aggregate: { sum: ['total'] } })
    assert.deepEqual(aggregate, { count: 0, sum: { total: null } })
  })

  test('cursor, select and count do not change the totals', async () => {
    const { aggregate, total, next } = await found({
      $where: mine,
      $select: ['supplier.name'],
      $after: null,
      $count: 2,
      $aggregate: { sum: ['quantity'], max: ['follows.quantity'] },
    })
    const results = { count: 4, sum: { quantity: '7' }, max: { 'follows.quantity': null } }
    assert.deepEqual([aggregate, total, typeof next], [results, 2, 'string'])
  })
})

describe('$group', () => {
  test('groups have their values, their number of records and the totals, in their order', async () => {
    const page = await found({ $where: mine, $group: ['group'], $aggregate: { sum: ['total'] } })
    assert.deepEqual(page.groups, [
      { key: { group: 'a' }, count: 2, sum: { total: '0.30' } },
      { key: { group: 'b' }, count: 1, sum: { total: '99999999999.99' } },
      { key: { group: null }, count: 1, sum: { total: '1.00' } },
    ])
    assert.deepEqual([page.groupsAreComplete, page.aggregate.count], [true, 4])
  })

  test('several fields and paths form groups; without $aggregate they are counted', async () => {
    const page = await found({ $where: mine, $group: ['supplier.country.code', 'is_urgent'] })
    assert.deepEqual(page.groups, [
      { key: { 'supplier.country.code': 'QT', is_urgent: false }, count: 1 },
      { key: { 'supplier.country.code': null, is_urgent: false }, count: 3 },
    ])
    assert.equal('aggregate' in page, false)
  })

  test('of more than 1,000 groups the first 1,000 are given, and the answer says so', async () => {
    const { id } = await createOrder(service)
    await service.database.pool.query(
      `INSERT INTO records.order_line (order_id, position, _created_by, _updated_by)
       SELECT $1, n, 1, 1 FROM generate_series(1, 1001) n`,
      [id],
    )
    const groupsOf = async (where: object) => {
      const body = { $where: { order: id, ...where }, $group: ['position'] }
      const reply = await service.ask('POST', '/order_line/search?limit=1', { body })
      const { groups, groupsAreComplete } = reply.json()
      return [groups.length, groupsAreComplete, groups[999]]
    }
    assert.deepEqual(await groupsOf({}), [1000, false, { key: { position: 1000 }, count: 1 }])
    const allButOne = [1000, true, { key: { position: 1001 }, count: 1 }]
    assert.deepEqual(await groupsOf({ position: { $gt: 1 } }), allButOne)
  })
})

describe('What cannot be added up is a 400 that names the place', () => {
  const rows: readonly (readonly [body: object, ...paths: string[]])[] = [
    [{ $aggregate: { sum: ['group', 'total', 'needed_by'] } }, '.sum[0]', '.sum[2]'],
    [{ $aggregate: { avg: ['id'], sum: ['supplier'] } }, '.avg[0]', '.sum[0]'],
    [{ $aggregate: { min: ['notes', 'extra', 'nope'] } }, '.min[0]', '.min[1]', '.min[2]'],
    [{ $aggregate: { min: ['is_urgent'] } }, '.min[0]'],
    [{ $aggregate: { max: ['_version', 'supplier.country.id'] } }, '.max[0]', '.max[1]'],
    [{ $aggregate: { max: ['total', 'total'] } }, '.max[1]'],
    [{ $aggregate: { median: ['total'] } }, '.median'],
    [{ $aggregate: { __proto__: null, constructor: ['total'] } }, '.constructor'],
    [{ $aggregate: { sum: 'total' } }, '.sum'],
    [{ $aggregate: { sum: [] } }, '.sum'],
    [{ $aggregate: { sum: Array(21).fill('total') } }, ''],
    [{ $aggregate: {} }, ''],
    [{ $aggregate: null }, ''],
    [{ $group: ['extra', 'lines'] }, '[0]', '[1]'],
    [{ $group: ['group', 'group'] }, '[1]'],
    [{ $group: [] }, ''],
    [{ $group: 'group' }, ''],
    [{ $group: ['id', 'group', 'notes', 'total', 'rate', 'urgency'] }, ''],
  ]
  for (const [body, ...paths] of rows)
    test(JSON.stringify(body).slice(0, 90), async () => {
      const [key] = Object.keys(body)
      const expected = paths.map((path) => `${key}${path}`)
      assert.deepEqual(invalidPaths(await search(body), 400), expected)
    })

  test('exports take neither', async () => {
    const body = { $aggregate: { sum: ['total'] }, $group: ['group'] }
    const reply = await service.ask('POST', '/order/export', { body })
    assert.deepEqual(invalidPaths(reply, 400), ['$aggregate', '$group'])
  })
})
