/** Finding records: list, sort, page, search with criteria and total, and include. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createAs, createOrder, invalidPaths, startProject } from '../../support/a-project.ts'
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
const searched = (body: object, query = '') => ask('POST', `/order/search${query}`, { body })

describe('List: "GET /:entityKey?limit&page&sort=-_created_at,number"', () => {
  const sorts: readonly [string, number[]][] = [
    ['', [1, 2, 3, 4, 5]],
    ['sort=quantity', [1, 2, 3, 4, 5]],
    ['sort=-quantity', [5, 4, 3, 2, 1]],
    ['sort=group,-quantity', [4, 2, 5, 3, 1]],
    ['sort=-group,quantity', [1, 3, 5, 2, 4]],
    ['sort=-_created_at,number', [5, 4, 3, 2, 1]],
    ['sort=-id', [5, 4, 3, 2, 1]],
    ['sort=supplier.code', [1, 2, 3, 4, 5]],
    ['sort=group', [2, 4, 1, 3, 5]],
    ['sort=quantity&limit=2', [1, 2]],
    ['sort=quantity&limit=2&page=2', [3, 4]],
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

describe('Paging: "Values below 1, fractions and non-numbers are a 400; at most 1,000"', () => {
  for (const name of ['limit', 'page'])
    test(`${name} is checked by list and search`, async () => {
      for (const value of ['0', '-1', '1e9', 'abc', '1.5', '10000000000', ' 1', '1;DROP']) {
        const query = `?${name}=${encodeURIComponent(value)}`
        assert.deepEqual(invalidPaths(await ask('GET', `/order${query}`), 400), [name], value)
        assert.deepEqual(invalidPaths(await searched({}, query), 400), [name], value)
      }
    })

  test('limit=1000 is accepted, limit=1001 is not', async () => {
    assert.equal((await ask('GET', '/order?limit=1000')).status, 200)
    assert.deepEqual(invalidPaths(await ask('GET', '/order?limit=1001'), 400), ['limit'])
  })
})

describe('Search: "total only with $count: true"', () => {
  test('the total counts all matching records on any page', async () => {
    const body = { $where: { notes: 'found' }, $orderBy: ['-quantity'], $count: true }
    const reply = await searched(body, '?limit=2&page=3')
    assert.deepEqual([quantitiesOf(reply), reply.json().total], [[1], 5])
    assert.deepEqual(Object.keys((await searched({ $count: false })).json()), ['data'])
  })

  const wheres: readonly [object, number[]][] = [
    [{ quantity: 3 }, [3]],
    [{ quantity: [1, 5, null] }, [1, 5]],
    [{ quantity: { $gt: 1, $lte: 3 } }, [2, 3]],
    [{ supplier: null, quantity: { $lt: 5 } }, [3, 4]],
    [{ 'supplier.country.code': 'HR' }, [1]],
    [{ 'supplier.country.code': null, notes: 'found' }, [2, 3, 4, 5]],
    [{ $or: [{ quantity: 1 }, { $not: { group: 'odd' } }] }, [1, 2, 4]],
    [{ 'supplier.name': { $ilike: 'br%' } }, [2]],
  ]
  for (const [$where, quantities] of wheres)
    test(`${JSON.stringify($where)} returns ${quantities}`, async () => {
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
      ...{ number: orders[index]?.number, supplier_id: supplierIds[index] ?? null, supplier },
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
