/** Totals of a search: sums, averages and ranges of all records that match, together and by group. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  startProject,
  users,
} from '../../support/a-project.ts'

const service = await startProject()
after(() => service.stop())
const country = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
const adria = { code: 'A', name: 'Adria', country_id: country.id }
const supplier = await createAs(service, 'supplier', adria)
const serial = '9223372036854775807'
for (const [order, as] of [
  [{ group: 'a', total: '0.10', quantity: 1, serial, supplier_id: supplier.id }],
  [{ group: 'a', total: '0.20', quantity: 2, serial }],
  [{ group: 'b', total: '99999999999.99', needed_by: '2026-05-04', margin: '5.00' }],
  [{ total: '1.00', quantity: 4, needed_by: '2026-01-31', placed_at: '2026-05-04T08:30:00.123Z' }],
  [{ group: 'clerk', total: '7.00' }, users.clerk],
] as const)
  await createOrder(service, order, as)

const search = (body: object, as?: string, query = '?limit=1') =>
  service.ask('POST', `/order/search${query}`, { body, as })
const found = async (body: object, as?: string) => {
  const reply = await search(body, as)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const mine = { group: { $nin: ['clerk'] } }

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
      ...{ $where: mine, $select: ['supplier.name'], $after: null, $count: 2 },
      $aggregate: { sum: ['quantity'], max: ['follows.quantity'] },
    })
    const results = { count: 4, sum: { quantity: '7' }, max: { 'follows.quantity': null } }
    assert.deepEqual([aggregate, total, typeof next], [results, 2, 'string'])
  })
})

describe('$group', () => {
  test('groups have their values, their number of records and the totals, in their order', async () => {
    const page = await found({
      $where: mine,
      $group: ['group'],
      $aggregate: { sum: ['total'] },
    })
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
      { key: { 'supplier.country.code': 'HR', is_urgent: false }, count: 1 },
      { key: { 'supplier.country.code': null, is_urgent: false }, count: 3 },
    ])
    assert.equal('aggregate' in page, false)
  })

  test('of more than 1,000 groups the first 1,000 are given, and the answer says so', async () => {
    await service.database.pool.query(`
      INSERT INTO records.supplier (code, _created_by, _updated_by)
      SELECT 'g' || lpad(n::text, 5, '0'), 1, 1 FROM generate_series(1, 1001) n`)
    const body = { $where: { code: { $startsWith: 'g' } }, $group: ['code'] }
    const ask = async (where: object) => {
      const reply = await service.ask('POST', '/supplier/search?limit=1', {
        body: { ...body, $where: { ...body.$where, ...where } },
      })
      return reply.json()
    }
    const cut = await ask({})
    assert.deepEqual([cut.groups.length, cut.groupsAreComplete], [1000, false])
    assert.deepEqual(cut.groups[999], { key: { code: 'g01000' }, count: 1 })
    const whole = await ask({ id: { $gt: 0 }, $not: { code: 'g00001' } })
    assert.deepEqual([whole.groups.length, whole.groupsAreComplete], [1000, true])
  })
})

describe('What cannot be added up is a 400 that names the place', () => {
  const aggregates: readonly (readonly [value: unknown, ...paths: string[]])[] = [
    [{ sum: ['group', 'total', 'needed_by'] }, '.sum[0]', '.sum[2]'],
    [{ avg: ['id'], sum: ['supplier'] }, '.avg[0]', '.sum[0]'],
    [{ min: ['notes', 'extra', 'nope'] }, '.min[0]', '.min[1]', '.min[2]'],
    [{ min: ['is_urgent'] }, '.min[0]'],
    [{ max: ['_version', 'supplier.country.id'] }, '.max[0]', '.max[1]'],
    [{ max: ['total', 'total'] }, '.max[1]'],
    [{ median: ['total'] }, '.median'],
    [{ __proto__: null, constructor: ['total'] }, '.constructor'],
    [{ sum: 'total' }, '.sum'],
    [{ sum: [] }, '.sum'],
    [{ sum: Array(21).fill('total') }, ''],
    [{}, ''],
    [[], ''],
    [null, ''],
  ]
  const groups: typeof aggregates = [
    [['extra', 'lines'], '[0]', '[1]'],
    [['group', 'group'], '[1]'],
    [[], ''],
    ['group', ''],
    [['id', 'group', 'notes', 'total', 'rate', 'urgency'], ''],
  ]
  for (const [key, cases] of [
    ['$aggregate', aggregates],
    ['$group', groups],
  ] as const)
    for (const [value, ...paths] of cases)
      test(`${key} ${JSON.stringify(value).slice(0, 70)}`, async () => {
        const reply = await search({ [key]: value })
        assert.deepEqual(
          invalidPaths(reply, 400),
          paths.map((path) => `${key}${path}`),
        )
      })

  test('exports take neither', async () => {
    const body = { $aggregate: { sum: ['total'] }, $group: ['group'] }
    const reply = await service.ask('POST', '/order/export', { body })
    assert.deepEqual(invalidPaths(reply, 400), ['$aggregate', '$group'])
  })
})

describe('Rights of totals', () => {
  test('only records that the caller may read are added up', async () => {
    const { aggregate, groups } = await found(
      { $aggregate: { sum: ['total'] }, $group: ['group', 'supplier.name'] },
      users.clerk,
    )
    assert.deepEqual(aggregate, { count: 1, sum: { total: '7.00' } })
    assert.deepEqual(groups, [
      { key: { group: 'clerk', 'supplier.name': null }, count: 1, sum: { total: '7.00' } },
    ])
  })

  test('a hidden field is unknown, and nobody adds up an entity without the right to read', async () => {
    for (const body of [{ $aggregate: { sum: ['margin'] } }, { $group: ['margin'] }]) {
      assert.equal((await search(body)).status, 200)
      assert.equal((await search(body, users.buyer)).status, 400)
    }
    const reply = await search({ $aggregate: { sum: ['total'] } }, users.registrar)
    assert.equal(reply.status, 404)
  })
})
