/** Conditions that compare two fields of a record: the same records wherever criteria are accepted. Each operator is in `query/operators`. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  nextNumber,
  sharedProject,
  users,
} from '../../support/a-project.ts'

const service = await sharedProject()
const search = (body: object, query = '', as?: string) =>
  service.ask('POST', `/order/search${query}`, { body, as })
const pageOf = async (body: object, query?: string, as?: string) =>
  (await search(body, query, as)).json()
const idsOf = ({ data }: { data: { id: number }[] }) => data.map(({ id }) => id)
const make = async (values: object): Promise<number> =>
  (await createOrder(service, { notes: 'compared', ...values })).id
/** Ids by what is larger; `none` has a quantity alone. */
const ids = {
  quantity: await make({ quantity: 5, rate: '4.5', total: '1.00' }),
  rate: 0,
  same: 0,
  none: 0,
}
ids.rate = await make({ quantity: 5, rate: '5.5', total: '2.00', follows_id: ids.quantity })
ids.same = await make({ quantity: 5, rate: '5', total: '4.00', follows_id: ids.quantity })
ids.none = await make({ quantity: 5, total: '8.00' })

const larger = { notes: 'compared', quantity: { $gte: { $field: 'rate' } } }

test('the same records are counted, added up, in pages by cursor, exported, and those of actions on many records', async () => {
  const expected = [ids.quantity, ids.same]
  const body = { $where: larger, $count: true, $aggregate: { sum: ['total'] } }
  const { total, aggregate } = (await search(body, '?limit=1')).json()
  assert.deepEqual([total, aggregate], [2, { count: 2, sum: { total: '5.00' } }])
  const criteria = { $where: larger, $orderBy: ['-total'] }
  const first = await pageOf({ ...criteria, $after: null }, '?limit=1')
  const second = await pageOf({ ...criteria, $after: first.next }, '?limit=1')
  assert.deepEqual([...idsOf(first), ...idsOf(second)], expected.toReversed())
  // The cursor belongs to the compared field.
  const other = { ...criteria, $where: { ...larger, quantity: { $gte: { $field: 'total' } } } }
  assert.deepEqual(invalidPaths(await search({ ...other, $after: first.next }), 400), ['$after'])
  const exported = await service.ask('POST', '/order/export?format=ndjson', {
    body: { $where: larger, $select: ['id'] },
  })
  const rows = exported.text.trim().split('\n')
  const bulk = await service.ask('POST', '/order/bulk', {
    body: { criteria: { $where: larger }, do: { change: { notes: 'x' } }, dryRun: true },
  })
  assert.deepEqual(
    rows.map((row) => JSON.parse(row).id),
    expected,
  )
  assert.deepEqual(idsOf(bulk.json()), expected)
})

test('a path leads to the field of a linked record, which the caller must be able to read', async () => {
  const $where = { notes: 'compared', rate: { $gt: { $field: 'follows.rate' } } }
  assert.deepEqual(idsOf(await pageOf({ $where })), [ids.rate, ids.same])
  const own = await createOrder(service, { notes: 'compared', rate: '9' }, users.clerk)
  const change = { body: { follows_id: ids.quantity } }
  await service.ask('PATCH', `/order/${own.id}`, change)
  assert.deepEqual(idsOf(await pageOf({ $where }, '', users.clerk)), [])
  await service.ask('DELETE', `/order/${own.id}`)
})

test('ids of the same entity are compared, also with the id of the record', async () => {
  const supplier = await createAs(service, 'supplier', { code: nextNumber() })
  const { id } = await createOrder(service, { supplier_id: supplier.id, follows_id: ids.none })
  assert.deepEqual(
    idsOf(await pageOf({ $where: { id: { $gt: { $field: 'follows' } }, supplier: supplier.id } })),
    [id],
  )
  const $where = { id: [ids.same, id], _created_by: { $field: 'supplier._created_by' } }
  assert.deepEqual(idsOf(await pageOf({ $where })), [id])
  await service.ask('DELETE', `/order/${id}`)
})

describe('an error names the place and says what to do', () => {
  const rows: readonly [where: object, path: string, message: RegExp][] = [
    [
      { quantity: { $gt: { $field: 'needed_by' } } },
      '$where.quantity.$gt',
      /^cannot be compared with "needed_by", a date; compare a number with a field of the same kind$/,
    ],
    [{ needed_by: { $lt: { $field: 'placed_at' } } }, '$where.needed_by.$lt', /a timestamp/],
    [{ supplier: { $field: 'follows' } }, '$where.supplier', /an id of another entity; compare/],
    [{ quantity: { $field: 'id' } }, '$where.quantity', /"id", an id of another entity;/],
    [{ is_urgent: { $field: 'is_urgent' } }, '$where.is_urgent', /a field of type boolean/],
    [{ rate: { $field: 'raet' } }, '$where.rate', /did you mean "rate"\?$/],
    [{ rate: { $field: 'lines.position' } }, '$where.rate', /one-to-many/],
    [{ rate: { $eq: { $field: 5 } } }, '$where.rate.$eq', /^must name one field or path/],
    [{ rate: { $field: 'total', $gt: 5 } }, '$where.rate', /and nothing else/],
    [{ rate: { $field: 'x'.repeat(10_001) } }, '$where.rate', /10000 characters/],
    [{ group: { $in: { $field: 'notes' } } }, '$where.group.$in', /compare by "\$eq", "\$ne",/],
    [{ group: { $like: { $field: 'notes' } } }, '$where.group.$like', /does not take "\$field"/],
    [{ $not: { rate: { $field: 'total' } } }, '$where.$not', /use the opposite operator/],
    [{ extra: { $field: 'extra' } }, '$where.extra', /json does not take \$eq/],
  ]
  for (const [where, path, message] of rows)
    test(JSON.stringify(where).slice(0, 80), async () => {
      const reply = await search({ $where: where })
      assert.deepEqual(invalidPaths(reply, 400), [path])
      assert.match(reply.json().errors[0].message, message)
    })
})

test('JSON may contain a member of that name', async () => {
  const { id } = await createOrder(service, { extra: { $field: 'rate' } })
  const $where = { extra: { $contains: { $field: 'rate' } } }
  assert.deepEqual(idsOf(await pageOf({ $where })), [id])
})
