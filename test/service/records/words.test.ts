/** `$search`: words that occur anywhere in what the caller may see of a record and of what it links to. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  addUsers,
  createAs,
  createOrder,
  invalidPaths,
  projectFiles,
  users,
} from '../../support/a-project.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

let service: TestService
const ids: Record<string, number> = {}
const supplierFile = projectFiles['entities/supplier.json']
before(async () => {
  service = await startTestService(
    await writeProject({
      ...projectFiles,
      'entities/supplier.json': { ...Object(supplierFile), displayField: 'name' },
      'entities/country.json': {
        ...Object(projectFiles['entities/country.json']),
        displayField: 'name',
      },
    }),
  )
  await addUsers(service.database)
  const country = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
  const supplier = await createAs(service, 'supplier', {
    ...{ code: 'hidden-code', name: 'Željezara Čačak' },
    country_id: country.id,
  })
  const orders: Record<string, Record<string, unknown>> = {
    steel: { notes: 'Steel sheets\n50%_off', group: 'Metal', supplier_id: supplier.id },
    paper: { notes: 'Paper', contact: 'anna@example.com', urgency: 'high', quantity: 777 },
    big: { serial: '9007199254740993', total: '1234.50', rate: '0.125' },
    secret: { margin: '4321.00', notes: 'margin' },
  }
  for (const [name, order] of Object.entries(orders))
    ids[name] = (await createOrder(service, order)).id
  ids.own = (await createOrder(service, { notes: 'Steel of the clerk' }, users.clerk)).id
})
after(() => service.stop())

const search = (body: object, as?: string) =>
  service.ask('POST', '/order/search', { body, ...(as && { as }) })
const found = async (body: object, as?: string): Promise<string[]> => {
  const reply = await search({ $orderBy: ['id'], ...body }, as)
  assert.equal(reply.status, 200, reply.text)
  return reply
    .json()
    .data.map(({ id }: { id: number }) => Object.keys(ids).find((name) => ids[name] === id))
}

describe('Words', () => {
  const all = ['steel', 'paper', 'big', 'secret', 'own']
  const searches: readonly [string, string[]][] = [
    ['steel', ['steel', 'own']],
    ['STEEL', ['steel', 'own']],
    ['sheet steel', ['steel']],
    ['  steel\t clerk ', ['own']],
    ['steel paper', []],
    ['50%_off', ['steel']],
    ['50_', []],
    ['%', ['steel']],
    ['\\', []],
    ['željezara', ['steel']],
    ['ČAČAK METAL', ['steel']],
    ['zeljezara cacak', ['steel']],
    ['ćaćak', ['steel']],
    ['croatia', []],
    ['hidden-code', []],
    ['anna@EXAMPLE', ['paper']],
    ['HIGH', ['paper']],
    ['777', ['paper']],
    ['77', []],
    ['9007199254740993', ['big']],
    ['1234.5', ['big']],
    ['.125', []],
    ['0.125 1234.50', ['big']],
    ['99999999999999999999999999', []],
    ['', all],
    [' \n ', all],
    ["'; DROP TABLE records.order; --", []],
  ]
  for (const [$search, names] of searches)
    test(`${JSON.stringify($search)} finds ${names.join() || 'nothing'}`, async () => {
      assert.deepEqual(await found({ $search }), names)
    })

  test('an id is found, and so is the word in a removed record only where removed ones are asked for', async () => {
    assert.ok((await found({ $search: `${ids.steel}` })).includes('steel'))
    const { id } = await createOrder(service, { notes: 'unrepeated' })
    await service.ask('DELETE', `/order/${id}`)
    assert.deepEqual(await found({ $search: 'unrepeated' }), [])
    const removed = await search({ $search: 'unrepeated', $where: { _is_deleted: true } })
    assert.equal(removed.json().data.length, 1)
  })

  test('words hold beside conditions, in totals, counts, pages and exports', async () => {
    const $search = 'steel'
    assert.deepEqual(await found({ $search, $where: { group: 'Metal' } }), ['steel'])
    const body = { $search, $count: true, $aggregate: { max: ['quantity'] }, $after: null }
    const page = await service.ask('POST', '/order/search?limit=1', { body })
    const { total, aggregate, next } = page.json()
    assert.deepEqual([total, aggregate.count], [2, 2])
    assert.deepEqual(await found({ $search, $orderBy: undefined, $after: next }), ['own'])
    assert.deepEqual(invalidPaths(await search({ $search: 'paper', $after: next }), 400), [
      '$after',
    ])
    const exported = await service.ask('POST', '/order/export', {
      body: { $search, $select: ['id'] },
    })
    assert.deepEqual(exported.text.trim().split('\r\n').slice(1), [`${ids.steel}`, `${ids.own}`])
  })
})

describe('Rights of words', () => {
  test('hidden fields and records, and names of links that may not be read, are not searched', async () => {
    assert.deepEqual(await found({ $search: '4321' }), ['secret'])
    assert.deepEqual(await found({ $search: '4321' }, users.buyer), [])
    assert.deepEqual(await found({ $search: 'steel' }, users.clerk), ['own'])
    await service.ask('PATCH', `/order/${ids.own}`, {
      body: { supplier_id: (await service.ask('GET', '/supplier')).json().data[0].id },
    })
    assert.deepEqual(await found({ $search: 'čačak' }), ['steel', 'own'])
    assert.deepEqual(await found({ $search: 'čačak' }, users.clerk), [])
  })
})

describe('A search text that is no search text is a 400', () => {
  const texts: readonly unknown[] = [
    null,
    5,
    ['steel'],
    { $ilike: 'x' },
    'a\u0000b',
    '\ud800',
    'x'.repeat(101),
    Array(11).fill('w').join(' '),
    ' '.repeat(2001),
  ]
  for (const $search of texts)
    test(JSON.stringify($search).slice(0, 40), async () => {
      assert.deepEqual(invalidPaths(await search({ $search }), 400), ['$search'])
    })
  test('the limits themselves are accepted', async () => {
    assert.deepEqual(await found({ $search: Array(10).fill('x'.repeat(100)).join(' ') }), [])
  })
})

test('a search that takes longer than 5 seconds is a 503 that says so', async () => {
  const { pool } = service.database
  await pool.query(`ALTER TABLE records."order" RENAME TO order_rows;
    CREATE VIEW records."order" AS SELECT * FROM records.order_rows WHERE pg_sleep(6) IS NOT NULL`)
  try {
    const reply = await search({ $search: 'steel' })
    assert.deepEqual([reply.status, reply.json().code], [503, 'request.too-slow'])
  } finally {
    await pool.query(`DROP VIEW records."order"; ALTER TABLE records.order_rows RENAME TO "order"`)
  }
})
