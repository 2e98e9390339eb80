/** Pages of a search by cursor: every record once in any order, in both directions, and only with rights. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAs, createOrder, invalidPaths, startProject, users } from '../support/a-project.ts'
import type { Reply, TestService } from '../support/service.ts'

type Page = {
  data: { id: number }[]
  next: string | null
  previous: string | null
  total?: number
  totalIsExact?: boolean
}

let service: TestService
let clerkOrder: { id: number }
before(async () => {
  service = await startProject()
  const country = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
  const names = [null, 'Adria', 'Brač', 'Adria']
  const suppliers = []
  for (const [index, name] of names.entries())
    suppliers.push(
      await createAs(service, 'supplier', {
        ...{ code: `S${index}`, name },
        country_id: index === 1 ? country.id : null,
      }),
    )
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
  clerkOrder = await createOrder(service, { quantity: 3 }, users.clerk)
})
after(() => service.stop())

const search = (body: object, query = '', as?: string): Promise<Reply> =>
  service.ask('POST', `/order/search${query}`, { body, ...(as && { as }) })

const pageOf = async (body: object, query = '', as?: string): Promise<Page> => {
  const reply = await search(body, query, as)
  assert.equal(reply.status, 200, reply.text)
  return reply.json()
}
const idsOf = ({ data }: Page) => data.map(({ id }) => id)

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

const orders: readonly string[][] = [
  [],
  ['-id'],
  ['number'],
  ['quantity'],
  ['-quantity', 'group'],
  ['group', '-total'],
  ['-serial', 'rate'],
  ['is_urgent', '-urgency', '-rate'],
  ['-needed_by', '-placed_at'],
  ['placed_at'],
  ['supplier', '-group'],
  ['-supplier', 'quantity', 'id'],
  ['supplier.name', '-quantity'],
  ['-supplier.country.code', 'supplier.name', 'needed_by'],
]

describe('A walk by cursors gives every record once, in the order of the search', () => {
  for (const $orderBy of orders)
    for (const limit of [1, 4, 24, 50])
      test(`order ${$orderBy.join() || 'by id'}, ${limit} a page`, async () => {
        const criteria = {
          ...($orderBy.length > 0 && { $orderBy }),
          $select: ['id', 'supplier.name'],
        }
        const { data } = await pageOf(criteria, '?limit=1000')
        const all = data.map(({ id }) => id)
        const forward = await walk(criteria, '$after', limit)
        assert.deepEqual(forward.flatMap(idsOf), all)
        const backward = await walk(criteria, '$before', limit)
        assert.deepEqual(backward.toReversed().flatMap(idsOf), all)
        assert.deepEqual([forward[0]?.previous, backward[0]?.next], [null, null])
        const [first, second] = forward
        if (!first || !second) return
        const back = await pageOf({ ...criteria, $before: second.previous }, `?limit=${limit}`)
        assert.deepEqual(back, first)
      })
})

test('conditions hold on every page, also over paths, with total and included records', async () => {
  const criteria = {
    $where: { $or: [{ 'supplier.name': 'Adria' }, { quantity: { $gt: 2 } }] },
    $orderBy: ['-supplier.name'],
  }
  const all = idsOf(await pageOf(criteria, '?limit=1000'))
  const pages = await walk(criteria, '$after', 3)
  assert.deepEqual(pages.flatMap(idsOf), all)
  const next = pages[0]?.next
  const page = await pageOf({ ...criteria, $after: next, $count: true }, '?include=supplier')
  assert.equal(page.total, all.length)
  assert.deepEqual(idsOf(page), all.slice(3, 23))
})

test('a search may jump to a page and go on from there by cursor', async () => {
  const all = idsOf(await pageOf({}, '?limit=1000'))
  const third = await pageOf({ $after: null }, '?limit=5&page=3')
  assert.deepEqual(idsOf(third), all.slice(10, 15))
  assert.deepEqual(idsOf(await pageOf({ $after: third.next }, '?limit=5')), all.slice(15, 20))
  assert.deepEqual(idsOf(await pageOf({ $before: third.previous }, '?limit=5')), all.slice(5, 10))
  const fromEnd = await pageOf({ $before: null }, '?limit=5&page=2')
  assert.deepEqual(idsOf(fromEnd), all.slice(-10, -5))
  const refused = await search({ $after: third.next }, '?limit=5&page=2')
  assert.deepEqual(invalidPaths(refused, 400), ['page'])
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
    const bad = [
      '',
      'x',
      '💥',
      cursor.slice(1),
      `${cursor}=`,
      ...[
        null,
        {},
        [],
        [1],
        [1, null],
        ['1', 1],
        [1.5, 1],
        [1, 2, 3],
        [2147483648, 1],
        [{}, 1],
      ].map(forged),
      ...[
        ['a\u0000', 1],
        [[1], 1],
        [1, '1); DROP TABLE records."order"'],
      ].map(forged),
    ]
    for (const $after of bad)
      assert.deepEqual(invalidPaths(await search({ ...criteria, $after }), 400), ['$after'])
    const moved = await pageOf({ ...criteria, $after: forged([4, 0x7fffffff]) }, '?limit=1000')
    const whole = await pageOf({ ...criteria, $where: { quantity: { $gt: 4 } } }, '?limit=1000')
    assert.deepEqual(idsOf(moved), idsOf(whole))
  })

  test('what is no cursor is named', async () => {
    const bodies: readonly [object, string][] = [
      [{ $after: 5 }, '$after'],
      [{ $before: {} }, '$before'],
      [{ $after: true }, '$after'],
      [{ $after: 'A'.repeat(20_001) }, '$after'],
      [{ $after: null, $before: null }, '$before'],
    ]
    for (const [body, path] of bodies)
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
    const { next } = await pageOf({ $after: null }, '?limit=1')
    const page = await pageOf({ $after: next }, '?limit=1000', users.clerk)
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
    const group = 'linked'
    for (let index = 0; index < 2; index++) {
      const order = await createOrder(service, { group: `${group}${index}` }, users.clerk)
      const body = { supplier_id: secret.id }
      assert.equal((await service.ask('PATCH', `/order/${order.id}`, { body })).status, 200)
    }
    const criteria = { $where: { group: { $startsWith: group } }, $orderBy: ['supplier.code'] }
    const page = await pageOf({ ...criteria, $after: null }, '?limit=1', users.clerk)
    const text = Buffer.from(page.next ?? '', 'base64url').toString()
    assert.deepEqual(
      [page.data.length, text.includes('secret'), text.includes('null')],
      [1, false, true],
    )
  })
})

describe('$count with a limit', () => {
  const counted = async ($count: unknown) => {
    const { total, totalIsExact } = await pageOf({ $count, $where: { id: { $lte: 10 } } })
    return [total, totalIsExact]
  }
  test('the count stops at the limit and says whether it is exact', async () => {
    assert.deepEqual(await counted(3), [3, false])
    assert.deepEqual(await counted(10), [10, true])
    assert.deepEqual(await counted(10_001), [10, true])
    assert.deepEqual(await counted(true), [10, undefined])
    assert.deepEqual(await counted(false), [undefined, undefined])
  })
  for (const $count of [0, -1, 1.5, 1_000_000_001, '10', null, [1]])
    test(`${JSON.stringify($count)} is a 400`, async () => {
      assert.deepEqual(invalidPaths(await search({ $count }), 400), ['$count'])
    })
})
