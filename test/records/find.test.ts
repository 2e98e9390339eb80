/** `GET /api/search`: any record by a few characters, as far as the caller may read. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  addUsers,
  createAs,
  createOrder,
  invalidPaths,
  projectFiles,
  users,
} from '../support/a-project.ts'
import { startTestService, type TestService, writeProject } from '../support/service.ts'

type Found = { entity: string; id: number; display: string; field: string; match: string }

let service: TestService
const supplierIds: number[] = []
let clerkSupplier: { id: number }
before(async () => {
  service = await startTestService(
    await writeProject({
      ...projectFiles,
      'entities/supplier.json': {
        ...Object(projectFiles['entities/supplier.json']),
        displayField: 'name',
      },
      'entities/country.json': {
        ...Object(projectFiles['entities/country.json']),
        displayField: 'name',
      },
    }),
  )
  await addUsers(service.database)
  await createAs(service, 'country', { code: 'AD', name: 'Andorra' })
  for (const name of ['New Adria', 'Adria Metal', 'Adria 100%_Steel', null, 'Žito'])
    supplierIds.push(
      (await createAs(service, 'supplier', { code: `code ${supplierIds.length}`, name })).id,
    )
  clerkSupplier = await createAs(
    service,
    'supplier',
    { code: 'AD', name: 'Adria clerk' },
    users.clerk,
  )
  await createOrder(service, { number: 'PO-4711', notes: 'Adria', margin: '9.00' })
})
after(() => service.stop())

const ask = (query: string, as?: string) =>
  service.ask('GET', `/api/search?${query}`, as ? { as } : {})
const found = async (q: string, as?: string, rest = ''): Promise<Found[]> => {
  const reply = await ask(`q=${encodeURIComponent(q)}${rest}`, as)
  assert.equal(reply.status, 200, reply.text)
  const { data, incomplete } = reply.json()
  assert.deepEqual(incomplete, [])
  return data
}
const shown = (list: readonly Found[]) =>
  list.map(({ entity, display, field, match }) => `${entity} ${display}: ${field} ${match}`)

describe('Matches', () => {
  test('exact values come first, then beginnings, then words; newest first', async () => {
    assert.deepEqual(shown(await found('adri')), [
      'supplier Adria clerk: name prefix',
      'supplier Adria 100%_Steel: name prefix',
      'supplier Adria Metal: name prefix',
      'supplier New Adria: name contained',
    ])
    assert.deepEqual(shown(await found('AD')).slice(0, 2), [
      'country Andorra: code exact',
      'supplier Adria clerk: code exact',
    ])
  })

  test('several words, any case, and signs of patterns', async () => {
    assert.deepEqual(shown(await found('METAL adria')), ['supplier Adria Metal: name contained'])
    assert.deepEqual(shown(await found('100%_')), ['supplier Adria 100%_Steel: name contained'])
    assert.deepEqual(shown(await found('žITO')), ['supplier Žito: name prefix'])
    assert.deepEqual(await found('%'.repeat(3)), [])
  })

  test('an id finds that record of each entity, a unique value its record', async () => {
    const id = supplierIds[3] ?? 0
    const ofId = (await found(`${id}`)).filter(({ match }) => match === 'exact')
    const supplier = { entity: 'supplier', id, display: `${id}`, field: 'id', match: 'exact' }
    assert.deepEqual(
      ofId.find(({ entity }) => entity === 'supplier'),
      supplier,
    )
    assert.deepEqual(shown(await found('PO-4711')), ['order PO-4711: number exact'])
    assert.deepEqual(shown(await found('code  3')), [`supplier ${id}: code exact`])
  })

  test('limit is for each entity, and fields other than the name and unique ones are not searched', async () => {
    assert.deepEqual(shown(await found('adria', undefined, '&limit=1')), [
      'supplier Adria clerk: name prefix',
    ])
    assert.deepEqual((await found('found in notes')).length, 0)
  })

  test('removed records and an empty text find nothing', async () => {
    const { id } = await createAs(service, 'supplier', { code: 'gone', name: 'Vanished' })
    assert.equal((await found('vanished')).length, 1)
    await service.ask('DELETE', `/supplier/${id}`)
    assert.deepEqual([await found('vanished'), await found('gone'), await found(' ')], [[], [], []])
    assert.deepEqual((await ask('')).json(), { data: [], incomplete: [] })
  })
})

describe('Rights', () => {
  test('only readable entities and records are searched', async () => {
    assert.deepEqual(
      (await found('adria', users.clerk)).map(({ id }) => id),
      [clerkSupplier.id],
    )
    assert.deepEqual(await found('adria', users.registrar), [])
    assert.deepEqual(await found('adria', users.nobody), [])
  })

  test('a hidden display field or unique field is neither searched nor shown', async () => {
    const hiding = await startTestService(
      await writeProject({
        ...projectFiles,
        'roles/buyer.json': {
          key: 'buyer',
          permissions: { order: { read: true, hiddenFields: ['number'] } },
        },
      }),
    )
    try {
      await addUsers(hiding.database)
      const { id } = await createOrder(hiding, { number: 'PO-1' })
      const search = async (q: string, as?: string) =>
        (await hiding.ask('GET', `/api/search?q=${q}`, as ? { as } : {})).json().data
      assert.equal((await search('PO-1')).length, 1)
      assert.deepEqual(await search('PO-1', users.buyer), [])
      assert.deepEqual(await search(`${id}`, users.buyer), [
        { entity: 'order', id, display: `${id}`, field: 'id', match: 'exact' },
      ])
    } finally {
      await hiding.stop()
    }
  })

  test('without a token it is a 401', async () => {
    const response = await fetch(`${service.url}/api/search?q=adria`)
    assert.equal(response.status, 401)
  })
})

test('an entity that does not answer in time is named, and the others are found', async () => {
  const connection = await service.database.pool.connect()
  try {
    await connection.query('BEGIN; LOCK TABLE records.supplier IN ACCESS EXCLUSIVE MODE')
    const { data, incomplete } = (await ask('q=AD')).json()
    assert.deepEqual(shown(data).slice(0, 1), ['country Andorra: code exact'])
    assert.deepEqual(incomplete, ['supplier'])
  } finally {
    await connection.query('ROLLBACK')
    connection.release()
  }
})

describe('Bad parameters', () => {
  const queries: readonly [string, string][] = [
    [`q=${'x'.repeat(101)}`, 'q'],
    [`q=${'a+'.repeat(11)}`, 'q'],
    ['q=a%00b', 'q'],
    ['q=a&limit=0', 'limit'],
    ['q=a&limit=21', 'limit'],
    ['q=a&entity=order', 'entity'],
  ]
  for (const [query, path] of queries)
    test(query.slice(0, 40), async () => {
      assert.deepEqual(invalidPaths(await ask(query), 400), [path])
    })
})
