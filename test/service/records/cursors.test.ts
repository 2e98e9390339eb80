/** Pages of a search by cursor: every record once in any order, and in both directions. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createOrder, invalidPaths } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { idsOf, type Page, searchOf, startOrders } from './a-cursor-search.ts'

let service: TestService
let search: ReturnType<typeof searchOf>['search']
let pageOf: ReturnType<typeof searchOf>['pageOf']
before(async () => {
  ;({ service } = await startOrders())
  ;({ search, pageOf } = searchOf(service))
})

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
})

describe('A cursor and a page lead to a page that far from the cursor', () => {
  for (const $orderBy of orders)
    test(`order ${$orderBy.join() || 'by id'}`, async () => {
      const criteria = { ...($orderBy.length > 0 && { $orderBy }), $select: ['id'] }
      const all = idsOf(await pageOf(criteria, '?limit=1000'))
      const { next } = await pageOf({ ...criteria, $after: null }, '?limit=4')
      const { previous } = await pageOf({ ...criteria, $before: null }, '?limit=4')
      for (const page of [1, 2, 3, 5]) {
        const at = `?limit=4&page=${page}`
        const after = await pageOf({ ...criteria, $after: next }, at)
        assert.deepEqual(idsOf(after), all.slice(4 * page, 4 * page + 4))
        const before = await pageOf({ ...criteria, $before: previous }, at)
        assert.deepEqual(idsOf(before), all.slice(-4 * page - 4, -4 * page))
        const back = await pageOf({ ...criteria, $before: after.previous }, '?limit=4')
        assert.deepEqual(idsOf(back), all.slice(4 * page - 4, 4 * page))
      }
      const beyond = await pageOf({ ...criteria, $after: next }, '?limit=4&page=99')
      assert.deepEqual(beyond, { data: [], next: null, previous: null })
    })
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
