/** Pages of a search by cursor: every record once in any order and both directions, for one query and its caller. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  startProject,
  users,
} from '../../support/a-project.ts'
import { idsOf, type Page, searchOf } from './a-search.ts'

const service = await startProject()
after(() => service.stop())
const { search, pageOf } = searchOf(service)

// 24 orders with values of every type, many of them alike or none; the last one is of the clerk.
const country = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
const suppliers: { id: number }[] = []
for (const [index, name] of [null, 'Adria', 'Brač', 'Adria'].entries()) {
  const country_id = index === 1 ? country.id : null
  suppliers.push(await createAs(service, 'supplier', { code: `S${index}`, name, country_id }))
}
for (let index = 0; index < 23; index++)
  await createOrder(service, {
    quantity: index % 4 === 0 ? null : (index % 5) + 1,
    group: index % 3 === 0 ? null : `g'"${index}`,
    serial: index % 2 === 0 ? '9007199254740993' : `-${index}`,
    rate: index % 6 === 0 ? null : `${index % 7}.250`,
    is_urgent: index % 3 === 1,
    needed_by: index % 5 === 0 ? null : `2026-05-${10 + (index % 9)}`,
    placed_at: index % 4 === 1 ? null : `2026-05-04T08:30:0${index % 6}.${100 + index}Z`,
    urgency: ['low', 'normal', 'high'][index % 3],
    supplier_id: suppliers[index % 6]?.id ?? null,
  })
const clerkOrder = await createOrder(service, { quantity: 3 }, users.clerk)

/** The pages from an end of the order to the other. */
const walk = async (criteria: object, key: '$after' | '$before', limit: number) => {
  const pages: Page[] = []
  let cursor: string | null = null
  do {
    const page: Page = await pageOf({ ...criteria, [key]: cursor }, `?limit=${limit}`)
    pages.push(page)
    cursor = key === '$after' ? page.next : page.previous
  } while (cursor !== null && pages.length < 100)
  return pages
}

const orders: readonly (readonly [order: string, ...limits: number[]])[] = [
  ['', 1, 24, 50],
  ['-id', 3],
  ['number', 3],
  ['quantity', 3],
  ['-quantity group', 1],
  ['group -total', 3],
  ['-serial rate', 3],
  ['is_urgent -urgency -rate', 3],
  ['-needed_by -placed_at', 4],
  ['placed_at', 3],
  ['supplier -group', 3],
  ['-supplier quantity id', 24, 50],
  ['supplier.name -quantity', 3],
  ['-supplier.country.code supplier.name needed_by', 1],
]
const orderedBy = (order: string) => (order === '' ? {} : { $orderBy: order.split(' ') })

for (const [order, ...limits] of orders) {
  test(`a walk by cursors gives every record once, ordered by ${order || 'id'}`, async () => {
    const criteria = { ...orderedBy(order), $select: ['id', 'supplier.name'] }
    const all = idsOf(await pageOf(criteria, '?limit=1000'))
    for (const limit of limits) {
      const forward = await walk(criteria, '$after', limit)
      assert.deepEqual(forward.flatMap(idsOf), all)
      const backward = await walk(criteria, '$before', limit)
      assert.deepEqual(backward.toReversed().flatMap(idsOf), all)
      assert.deepEqual([forward[0]?.previous, backward[0]?.next], [null, null])
      const [first, second] = forward
      if (!first || !second) continue
      const back = await pageOf({ ...criteria, $before: second.previous }, `?limit=${limit}`)
      assert.deepEqual(back, first)
    }
  })

  test(`a cursor and a page lead to a page that far from it, ordered by ${order || 'id'}`, async () => {
    const criteria = { ...orderedBy(order), $select: ['id'] }
    const all = idsOf(await pageOf(criteria, '?limit=1000'))
    const { next } = await pageOf({ ...criteria, $after: null }, '?limit=4')
    const { previous } = await pageOf({ ...criteria, $before: null }, '?limit=4')
    for (const page of [2, 5]) {
      const at = `?limit=4&page=${page}`
      const ahead = await pageOf({ ...criteria, $after: next }, at)
      assert.deepEqual(idsOf(ahead), all.slice(4 * page, 4 * page + 4))
      const behind = await pageOf({ ...criteria, $before: previous }, at)
      assert.deepEqual(idsOf(behind), all.slice(-4 * page - 4, -4 * page))
      const back = await pageOf({ ...criteria, $before: ahead.previous }, '?limit=4')
      assert.deepEqual(idsOf(back), all.slice(4 * page - 4, 4 * page))
    }
    const beyond = await pageOf({ ...criteria, $after: next }, '?limit=4&page=99')
    assert.deepEqual(beyond, { data: [], next: null, previous: null })
  })
}

test('conditions hold on every page, also over paths, with total and included records', async () => {
  const criteria = {
    $where: { $or: [{ 'supplier.name': 'Adria' }, { quantity: { $gt: 2 } }] },
    $orderBy: ['-supplier.name'],
  }
  const all = idsOf(await pageOf(criteria, '?limit=1000'))
  const pages = await walk(criteria, '$after', 3)
  assert.deepEqual(pages.flatMap(idsOf), all)
  const $after = pages[0]?.next
  const page = await pageOf({ ...criteria, $after, $count: true }, '?include=supplier')
  assert.equal(page.total, all.length)
  assert.deepEqual(idsOf(page), all.slice(3, 23))
})

test('a search may jump to a page and go on from there by cursor', async () => {
  const all = idsOf(await pageOf({}, '?limit=1000'))
  const third = await pageOf({ $after: null }, '?limit=5&page=3')
  assert.deepEqual(idsOf(third), all.slice(10, 15))
  assert.deepEqual(idsOf(await pageOf({ $after: third.next }, '?limit=5')), all.slice(15, 20))
  assert.deepEqual(idsOf(await pageOf({ $before: third.previous }, '?limit=5')), all.slice(5, 10))
  assert.deepEqual(idsOf(await pageOf({ $before: null }, '?limit=5&page=2')), all.slice(-10, -5))
})

test('a page goes on where the last one ended, although its last record was removed', async () => {
  const { id } = await createOrder(service, { group: 'removed' })
  const criteria = { $where: { $or: [{ id }, { id: { $lt: id } }] }, $orderBy: ['-id'] }
  const first = await pageOf({ ...criteria, $after: null }, '?limit=1')
  assert.deepEqual(idsOf(first), [id])
  await service.ask('DELETE', `/order/${id}`)
  const second = await pageOf({ ...criteria, $after: first.next }, '?limit=1')
  assert.ok((idsOf(second)[0] ?? id) < id)
})

test('a count stops at the limit of $count, and says whether it is exact', async () => {
  for (const [$count, ...expected] of [
    [3, 3, false],
    [10, 10, true],
    [10_001, 10, true],
    [true, 10, undefined],
    [false, undefined, undefined],
  ]) {
    const { total, totalIsExact } = await pageOf({ $count, $where: { id: { $lte: 10 } } })
    assert.deepEqual([total, totalIsExact], expected)
  }
  for (const $count of [0, -1, 1.5, 1_000_000_001, '10', null, [1]])
    assert.deepEqual(invalidPaths(await search({ $count }), 400), ['$count'])
})

describe('A cursor is for one query', () => {
  const criteria = { $where: { quantity: { $gt: 0 } }, $orderBy: ['quantity'] }
  const firstCursor = async () => (await pageOf({ ...criteria, $after: null }, '?limit=2')).next

  test('another $where, order or entity is a 400', async () => {
    const $after = await firstCursor()
    for (const body of [
      { ...criteria, $where: { quantity: { $gt: 1 } }, $after },
      { ...criteria, $orderBy: ['-quantity'], $after },
      { ...criteria, $orderBy: ['quantity', 'id'], $after },
      { $orderBy: ['quantity'], $after },
    ])
      assert.deepEqual(invalidPaths(await search(body), 400), ['$after'])
    const { next } = await pageOf({ $after: null }, '?limit=2')
    const other = await service.ask('POST', '/supplier/search', { body: { $after: next } })
    assert.deepEqual(invalidPaths(other, 400), ['$after'])
  })

  test('a changed cursor is a 400, or another place of the same query', async () => {
    const cursor = (await firstCursor()) ?? ''
    const content = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    const forged = (values: unknown) =>
      Buffer.from(JSON.stringify([content[0], values])).toString('base64url')
    const wrongValues = `null; {}; []; [1]; [1,null]; ["1",1]; [1.5,1]; [1,2,3]; [2147483648,1]; [{},1];
      ["a\\u0000",1]; [[1],1]; [1,"1) DROP TABLE records.\\"order\\""]`
    const values = wrongValues.split(';').map((text) => forged(JSON.parse(text)))
    for (const $after of ['', 'x', '💥', cursor.slice(1), `${cursor}=`, ...values])
      assert.deepEqual(invalidPaths(await search({ ...criteria, $after }), 400), ['$after'])
    const moved = await pageOf({ ...criteria, $after: forged([4, 0x7fffffff]) }, '?limit=1000')
    const whole = await pageOf({ ...criteria, $where: { quantity: { $gt: 4 } } }, '?limit=1000')
    assert.deepEqual(idsOf(moved), idsOf(whole))
  })

  test('what is no cursor is named', async () => {
    for (const [body, path] of [
      [{ $after: 5 }, '$after'],
      [{ $before: {} }, '$before'],
      [{ $after: true }, '$after'],
      [{ $after: 'A'.repeat(20_001) }, '$after'],
      [{ $after: null, $before: null }, '$before'],
    ] as const)
      assert.deepEqual(invalidPaths(await search(body), 400), [path])
    const exported = await service.ask('POST', '/order/export', { body: { $after: null } })
    assert.deepEqual(invalidPaths(exported, 400), ['$after'])
  })

  test('texts that are too long for a cursor, and too many names, are named', async () => {
    const notes = 'n'.repeat(30_000)
    const { id } = await createOrder(service, { notes })
    const { id: other } = await createOrder(service, { notes })
    const long = { $where: { id: [id, other] }, $orderBy: ['notes'] }
    const reply = await search({ ...long, $after: null }, '?limit=1')
    assert.deepEqual(invalidPaths(reply, 400), ['$orderBy'])
    assert.deepEqual(idsOf(await pageOf(long, '?limit=1&page=2')), [other])
    const paths = Array.from({ length: 21 }, (_, depth) => `${'follows.'.repeat(depth)}number`)
    const many = await search({ $orderBy: paths, $after: null })
    assert.deepEqual(invalidPaths(many, 400), ['$orderBy'])
  })
})

describe('Rights hold with cursors', () => {
  test('a cursor of another caller shows only records that one may read', async () => {
    const criteria = { $where: { id: { $lte: clerkOrder.id } } }
    const { next } = await pageOf({ ...criteria, $after: null }, '?limit=1')
    const page = await pageOf({ ...criteria, $after: next }, '?limit=1000', users.clerk)
    assert.deepEqual(idsOf(page), [clerkOrder.id])
  })

  test('the order by a hidden field is a 400, also with a cursor of a caller who sees it', async () => {
    const criteria = { $orderBy: ['margin'] }
    const { next } = await pageOf({ ...criteria, $after: null }, '?limit=1')
    const reply = await search({ ...criteria, $after: next }, '', users.buyer)
    assert.deepEqual(invalidPaths(reply, 400), ['$orderBy[0]'])
  })

  test('a cursor has no value of a linked record that the caller may not read', async () => {
    const secret = await createAs(service, 'supplier', { code: 'secret-code', name: 'N' })
    for (const group of ['linked0', 'linked1']) {
      const { id } = await createOrder(service, { group }, users.clerk)
      const body = { supplier_id: secret.id }
      assert.equal((await service.ask('PATCH', `/order/${id}`, { body })).status, 200)
    }
    const criteria = { $where: { group: { $startsWith: 'linked' } }, $orderBy: ['supplier.code'] }
    const page = await pageOf({ ...criteria, $after: null }, '?limit=1', users.clerk)
    const text = Buffer.from(page.next ?? '', 'base64url').toString()
    assert.deepEqual(
      [page.data.length, text.includes('secret'), text.includes('null')],
      [1, false, true],
    )
  })
})
