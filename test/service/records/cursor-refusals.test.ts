/** What cursors refuse, and that they give nobody more than they may read. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createAs, createOrder, invalidPaths, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { idsOf, searchOf, startOrders } from './a-cursor-search.ts'

let service: TestService
let search: ReturnType<typeof searchOf>['search']
let pageOf: ReturnType<typeof searchOf>['pageOf']
let clerkOrder: { id: number }
before(async () => {
  ;({ service, clerkOrder } = await startOrders())
  ;({ search, pageOf } = searchOf(service))
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
