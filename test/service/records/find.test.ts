/** `GET /api/search`: any record by a few characters, as far as the caller may read. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addUsers, createAs, createOrder, projectFiles, users } from '../../support/a-project.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { completeSearch } from './complete-search.ts'

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
  const query = `q=${encodeURIComponent(q)}${rest}`
  const reply = await completeSearch(service, query, { ...(as && { as }) })
  assert.equal(reply.status, 200, reply.text)
  return reply.json().data
}
const shown = (list: readonly Found[]) =>
  list.map(({ entity, display, field, match }) => `${entity} ${display}: ${field} ${match}`)

describe('Matches', () => {
  test('names come first, by their beginning, by words, by a part; shorter ones first, then newer', async () => {
    assert.deepEqual(shown(await found('adri')), [
      'supplier Adria clerk: name prefix',
      'supplier Adria Metal: name prefix',
      'supplier Adria 100%_Steel: name prefix',
      'supplier New Adria: name word',
    ])
    assert.deepEqual(shown(await found('ndor')), ['country Andorra: name contained'])
  })

  test('a whole name comes before longer ones, also if it is older than the limit reaches', async () => {
    const add = (code: string, name: string) => createAs(service, 'country', { code, name })
    for (const [code, name] of [
      ...[
        ['BC', 'In-Borea'],
        ['BO', 'borea'],
        ['BP', 'Boreanor'],
        ['BQ', 'Arborea'],
      ],
      ...[
        ['BR', 'Boreans'],
        ['BX', 'Tiborea'],
        ['BY', 'Tiborea'],
      ],
    ] as const)
      await add(code, name)
    assert.deepEqual(shown(await found('Borea')), [
      'country borea: name exact',
      'country Boreans: name prefix',
      'country Boreanor: name prefix',
      'country In-Borea: name word',
      'country Tiborea: name contained',
    ])
    assert.deepEqual(shown(await found('borea', undefined, '&limit=1')), [
      'country borea: name exact',
    ])
  })

  test('a value of another field that is the text comes after names, and keeps its place', async () => {
    const { id } = await createAs(service, 'country', { code: 'QQ', name: 'Elsewhere' })
    assert.deepEqual(shown(await found('QQ', undefined, '&entity=country&limit=1')), [
      'country Elsewhere: code exact',
    ])
    const names = await found('ad', undefined, '&limit=2')
    assert.deepEqual(shown(names).slice(0, 2), [
      'supplier Adria clerk: name prefix',
      'supplier Adria 100%_Steel: name prefix',
    ])
    const codes = shown(await found('AD', undefined, '&limit=2'))
    assert.equal(codes.at(-1), 'country Andorra: code exact')
    await service.ask('DELETE', `/country/${id}`)
  })

  test('digits with a zero before them are no number, and a link is not found by its id', async () => {
    const id = supplierIds[0] ?? 0
    assert.equal((await found(`${id}`)).filter(({ field }) => field === 'id').length > 0, true)
    assert.deepEqual(await found(`0${id}`), [])
    assert.deepEqual(
      (await found(`${id}`)).filter(({ field }) => field.endsWith('_id')),
      [],
    )
  })

  test('titles are found after names, where the role sees them', async () => {
    await createOrder(service, { number: 'PO-4712', group: 'Forklift hire' })
    await createAs(service, 'supplier', { code: 'hirer', name: 'Hire & Sons' })
    assert.deepEqual(shown(await found('HIRE fork')), ['order PO-4712: group contained'])
    assert.deepEqual(shown(await found('hire')), [
      'supplier Hire & Sons: name prefix',
      'order PO-4712: group contained',
    ])
  })

  test('several words, any case, and signs of patterns', async () => {
    assert.deepEqual(shown(await found('METAL adria')), ['supplier Adria Metal: name word'])
    assert.deepEqual(shown(await found('100%_')), ['supplier Adria 100%_Steel: name word'])
    assert.deepEqual(shown(await found('žITO')), ['supplier Žito: name exact'])
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

  test('limit is for each entity, and fields other than the name, the title and unique ones are not searched', async () => {
    assert.deepEqual(shown(await found('adria', undefined, '&limit=1')), [
      'supplier Adria clerk: name prefix',
    ])
    assert.deepEqual((await found('found in notes')).length, 0)
  })

  test('one entity may be asked for', async () => {
    assert.deepEqual(shown(await found('AD', undefined, '&entity=country')), [
      'country Andorra: code exact',
    ])
  })

  test('one that does not exist, or that the caller may not read, is a 404 that tells neither from the other', async () => {
    const answer = async (key: string, as?: string) => {
      const reply = await ask(`q=AD&entity=${key}`, as)
      const { title, detail, code, hint } = reply.json()
      return { status: reply.status, title, detail: detail.replaceAll(key, '…'), code, hint }
    }
    const unknown = await answer('nothing', users.nobody)
    assert.deepEqual([unknown.status, unknown.code], [404, 'entity.unknown'])
    for (const key of ['supplier', 'country', 'suppliers'])
      assert.deepEqual(await answer(key, users.nobody), unknown)
    assert.match((await answer('suppliers')).detail, /did you mean "supplier"/)
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
          permissions: { order: { read: true, hiddenFields: ['number', 'group'] } },
        },
      }),
    )
    try {
      await addUsers(hiding.database)
      const { id } = await createOrder(hiding, { number: 'PO-1', group: 'Forklift' })
      const search = async (q: string, as?: string) =>
        (await completeSearch(hiding, `q=${q}`, { ...(as && { as }) })).json().data
      assert.equal((await search('PO-1')).length, 1)
      assert.equal((await search('forklift')).length, 1)
      assert.deepEqual(await search('PO-1', users.buyer), [])
      assert.deepEqual(await search('forklift', users.buyer), [])
      assert.deepEqual(await search(`${id}`, users.buyer), [
        { entity: 'order', id, display: `${id}`, field: 'id', match: 'exact' },
      ])
    } finally {
      await hiding.stop()
    }
  })
})

test('an entity that does not answer in time is named, and the others are found', async () => {
  const connection = await service.database.pool.connect()
  try {
    await connection.query('BEGIN; LOCK TABLE records.supplier IN ACCESS EXCLUSIVE MODE')
    const reply = await completeSearch(service, 'q=AD', { incomplete: ['supplier'] })
    const { data, incomplete } = reply.json()
    assert.equal(shown(data).at(-1), 'country Andorra: code exact')
    assert.deepEqual(incomplete, ['supplier'])
  } finally {
    await connection.query('ROLLBACK')
    connection.release()
  }
})
