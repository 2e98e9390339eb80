/** Finding records: list, sort, page, search with criteria and total, include, and pages by cursor. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  createAs,
  createOrder,
  invalidPaths,
  startProject,
  users,
} from '../../support/a-project.ts'
import type { Reply } from '../../support/service.ts'

const service = await startProject()
after(() => service.stop())
const { ask } = service
const country = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
const adria = { code: 'A', name: 'Adria', country_id: country.id }
const supplierIds: number[] = [
  (await createAs(service, 'supplier', adria)).id,
  (await createAs(service, 'supplier', { code: 'B', name: 'Brač' })).id,
]
/** Five orders with quantities 1 to 5; the first two have suppliers, and only the first supplier has a country. */
const orders: { id: number; number: string }[] = []
for (let quantity = 1; quantity <= 5; quantity++) {
  const values = { quantity, group: quantity % 2 === 0 ? 'even' : 'odd', notes: 'found' }
  const supplier_id = supplierIds[quantity - 1] ?? null
  orders.push(await createOrder(service, { ...values, supplier_id }))
}

const quantitiesOf = (reply: Reply): number[] => {
  assert.equal(reply.status, 200, reply.text)
  return reply.json().data.map(({ quantity }: { quantity: number }) => quantity)
}
const listed = async (query: string) => quantitiesOf(await ask('GET', `/order?${query}`))
const searched = (body: object, query = '', as?: string) =>
  ask('POST', `/order/search${query}`, { body, as })

type Page = {
  data: { id: number }[]
  next: string | null
  previous: string | null
  total?: number
  totalIsExact?: boolean
}
const pageOf = async (body: object, query = '', as?: string): Promise<Page> =>
  (await searched(body, query, as)).json(200)
const idsOf = ({ data }: Page): readonly number[] => data.map(({ id }) => id)

describe('List: "GET /:entityKey?limit&page&sort=-_created_at,number"', () => {
  const sorts: readonly [string, number[]][] = [
    ['', [1, 2, 3, 4, 5]],
    ['sort=quantity', [1, 2, 3, 4, 5]],
    ['sort=group,-quantity', [4, 2, 5, 3, 1]],
    ['sort=-_created_at,number', [5, 4, 3, 2, 1]],
    ['sort=-supplier.code', [3, 4, 5, 2, 1]],
    ['sort=group', [2, 4, 1, 3, 5]],
    ['sort=quantity&limit=2', [1, 2]],
    ['sort=quantity&limit=2&page=3', [5]],
    ['limit=1000&page=1000000000', []],
  ]
  for (const [query, quantities] of sorts)
    test(`?${query} returns ${quantities}`, async () => {
      assert.deepEqual(await listed(query), quantities)
    })

  test('pages: "default 20", and the response has no total', async () => {
    for (let index = 0; index < 21; index++)
      await createAs(service, 'supplier', { code: `page-${index}` })
    const reply = await ask('GET', '/supplier')
    assert.equal(reply.json().data.length, 20)
    assert.deepEqual(Object.keys(reply.json()), ['data'])
    assert.equal((await ask('GET', '/supplier?page=2')).json().data.length, 3)
  })
})

describe('Search: "total only with $count: true"', () => {
  test('the total counts all matching records on any page', async () => {
    const body = { $where: { notes: 'found' }, $orderBy: ['-quantity'], $count: true }
    const reply = await searched(body, '?limit=2&page=3')
    assert.deepEqual([quantitiesOf(reply), reply.json().total], [[1], 5])
    assert.deepEqual(Object.keys((await searched({ $count: false })).json()), ['data'])
  })

  // Each operator is in `query/operators`.
  test('conditions hold for columns, links and paths', async () => {
    for (const [$where, quantities] of [
      [{ supplier: null, quantity: { $lt: 5 } }, [3, 4]],
      [{ 'supplier.country.code': null, notes: 'found' }, [2, 3, 4, 5]],
      [{ $or: [{ quantity: 1 }, { $not: { group: 'odd' } }] }, [1, 2, 4]],
    ] as const)
      assert.deepEqual(quantitiesOf(await searched({ $where, $orderBy: ['id'] })), quantities)
  })

  test('"an empty body means all records"', async () => {
    const all = await ask('POST', '/order/search')
    assert.deepEqual(quantitiesOf(all), [1, 2, 3, 4, 5])
    assert.equal((await searched({})).text, all.text)
  })

  test('$select returns the named fields, nested by association', async () => {
    const $select = ['supplier.country.name', 'number', 'supplier.name', 'supplier']
    const { data } = (await searched({ $where: { quantity: [1, 2, 3] }, $select })).json()
    const suppliers = [
      { name: 'Adria', country: { name: 'Croatia' } },
      { name: 'Brač', country: null },
      null,
    ]
    const expected = suppliers.map((supplier, index) => ({
      number: orders[index]?.number,
      supplier_id: supplierIds[index] ?? null,
      supplier,
    }))
    assert.deepEqual(data, expected)
  })
})

describe('Read: "?include=supplier,supplier.country expands many-to-one"', () => {
  test('an include of two levels adds objects and keeps the ids', async () => {
    const path = `/order/${orders[0]?.id}`
    const plain = (await ask('GET', path)).json()
    const { supplier, ...rest } = (await ask('GET', `${path}?include=supplier.country`)).json()
    assert.deepEqual(rest, plain)
    assert.equal(supplier.country_id, supplier.country.id)
    assert.deepEqual([supplier.name, supplier.country.code], ['Adria', 'HR'])
    const both = await ask('GET', `${path}?include=supplier,supplier.country`)
    assert.deepEqual(both.json().supplier, supplier)
  })

  test('lists and searches expand links too; an empty link is null', async () => {
    for (const reply of [
      await ask('GET', '/order?include=supplier.country&sort=quantity'),
      await searched({ $orderBy: ['quantity'] }, '?include=supplier.country'),
    ]) {
      const rows: { supplier: { country: unknown } | null }[] = reply.json().data
      const shown = rows.map(({ supplier }) =>
        supplier === null ? 'none' : supplier.country === null ? 'no country' : 'both',
      )
      assert.deepEqual(shown, ['both', 'no country', 'none', 'none', 'none'])
    }
  })

  test('include returns the users of the audit columns as created_by, updated_by and owned_by', async () => {
    const path = `/order/${orders[0]?.id}?include=_created_by,_updated_by.security_role,_owned_by`
    const record = (await ask('GET', path)).json()
    assert.equal(record.created_by.id, record._created_by)
    assert.equal(record.updated_by.security_role.key, 'administrator')
    assert.equal(record.owned_by.email, 'admin@example.com')
  })

  test('an expanded record never returns 304, because its tag does not cover the linked records', async () => {
    const headers = { 'If-None-Match': '"1"' }
    const path = `/order/${orders[0]?.id}`
    assert.equal((await ask('GET', path, { headers })).status, 304)
    assert.equal((await ask('GET', `${path}?include=supplier`, { headers })).status, 200)
  })

  test('what is no link is a 400', async () => {
    for (const include of ['number', 'lines', 'suplier', 'supplier.name', 'supplier..country', '*'])
      assert.deepEqual(invalidPaths(await ask('GET', `/order?include=${include}`), 400), [
        'include',
      ])
  })
})

describe('Pages by cursor: every record once in any order and both directions', () => {
  let clerkOrder = 0
  // 24 orders with values of every type, many of them alike or none; the last one is of the clerk.
  before(async () => {
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
    clerkOrder = (await createOrder(service, { quantity: 3 }, users.clerk)).id
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

  const walks: readonly (readonly [order: string, ...limits: number[]])[] = [
    ['', 3, 29, 50],
    ['-quantity group', 3],
    ['-serial rate', 4],
    ['is_urgent -urgency -rate', 5],
    ['-needed_by -placed_at', 6],
    ['-supplier.country.code supplier.name needed_by', 3],
  ]
  const orderedBy = (order: string) => (order === '' ? {} : { $orderBy: order.split(' ') })

  for (const [order, ...limits] of walks) {
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
  }
  for (const order of ['', '-quantity group', '-supplier.country.code supplier.name needed_by'])
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
      const third = await pageOf({ ...criteria, $after: null }, '?limit=4&page=3')
      assert.deepEqual(idsOf(third), all.slice(8, 12))
      const lastButOne = await pageOf({ ...criteria, $before: null }, '?limit=4&page=2')
      assert.deepEqual(idsOf(lastButOne), all.slice(-8, -4))
      const beyond = await pageOf({ ...criteria, $after: next }, '?limit=4&page=99')
      assert.deepEqual(beyond, { data: [], next: null, previous: null })
    })

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
      assert.deepEqual(invalidPaths(await searched({ $count }), 400), ['$count'])
  })

  describe('a cursor is for one query', () => {
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
        assert.deepEqual(invalidPaths(await searched(body), 400), ['$after'])
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
        assert.deepEqual(invalidPaths(await searched({ ...criteria, $after }), 400), ['$after'])
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
        assert.deepEqual(invalidPaths(await searched(body), 400), [path])
      const exported = await service.ask('POST', '/order/export', { body: { $after: null } })
      assert.deepEqual(invalidPaths(exported, 400), ['$after'])
    })

    test('texts that are too long for a cursor, and too many names, are named', async () => {
      const notes = 'n'.repeat(30_000)
      const { id } = await createOrder(service, { notes })
      const { id: other } = await createOrder(service, { notes })
      const long = { $where: { id: [id, other] }, $orderBy: ['notes'] }
      const reply = await searched({ ...long, $after: null }, '?limit=1')
      assert.deepEqual(invalidPaths(reply, 400), ['$orderBy'])
      assert.deepEqual(idsOf(await pageOf(long, '?limit=1&page=2')), [other])
      const paths = Array.from({ length: 21 }, (_, depth) => `${'follows.'.repeat(depth)}number`)
      const many = await searched({ $orderBy: paths, $after: null })
      assert.deepEqual(invalidPaths(many, 400), ['$orderBy'])
    })
  })

  describe('with rights', () => {
    test('a cursor of another caller shows only records that one may read', async () => {
      const criteria = { $where: { id: { $lte: clerkOrder } } }
      const { next } = await pageOf({ ...criteria, $after: null }, '?limit=1')
      const page = await pageOf({ ...criteria, $after: next }, '?limit=1000', users.clerk)
      assert.deepEqual(idsOf(page), [clerkOrder])
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
})
