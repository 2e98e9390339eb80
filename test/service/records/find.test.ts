/** `GET /api/search`: any record by a few characters, as far as the caller may read; which come first, and which are found by a link. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  addOwnUser,
  addUsers,
  createAs,
  createOrder,
  invalidPaths,
  projectFiles,
  users,
} from '../../support/a-project.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { completeSearch } from './complete-search.ts'

type Found = {
  entity: string
  id: number
  display: string
  field: string
  match: string
  linked?: string
}

const link = (key: string, entity: string) => ({ key, type: 'manyToOne', entity })
const number = { key: 'number', type: 'string', unique: true }
const displayed = (file: string) => ({ ...Object(projectFiles[file]), displayField: 'name' })
const role = (key: string, permissions: object) => ({
  [`roles/${key}.json`]: { key, permissions },
})
const service = await startTestService(
  await writeProject({
    ...projectFiles,
    'entities/supplier.json': displayed('entities/supplier.json'),
    'entities/country.json': displayed('entities/country.json'),
    // Entities that link to each other: the keys are in the reverse order of what people mean.
    'entities/a_parcel.json': {
      ...{ key: 'a_parcel', name: 'Parcel', displayField: 'number' },
      fields: [number, link('order', 'b_order')],
    },
    'entities/b_order.json': {
      ...{ key: 'b_order', name: 'Order', displayField: 'number' },
      fields: [number, link('buyer', 'c_buyer'), link('payer', 'c_buyer')],
    },
    'entities/c_buyer.json': {
      ...{ key: 'c_buyer', name: 'Buyer', displayField: 'name', ownership: true },
      fields: [{ key: 'name', type: 'string' }],
    },
    ...role('hider', { order: { read: true, hiddenFields: ['number', 'group'] } }),
    ...role('packer', {
      a_parcel: { read: true },
      b_order: { read: true, hiddenFields: ['buyer'] },
      c_buyer: { read: true },
    }),
    ...role('seller', { b_order: { read: true }, c_buyer: { read: 'own' } }),
  }),
)
after(() => service.stop())
await addUsers(service.database)
const create = (entity: string, body: object, as?: string) =>
  createAs(service, entity, { ...body }, as)
const addCountry = (code: string, name: string) => create('country', { code, name })

await addCountry('AD', 'Andorra')
const supplierIds: number[] = []
for (const [index, name] of [
  ...['New Adria', 'Adria Metal', 'Adria 100%_Steel', null, 'Žito'],
].entries())
  supplierIds.push((await create('supplier', { code: `code ${index}`, name })).id)
const clerkSupplier = await create('supplier', { code: 'AD', name: 'Adria clerk' }, users.clerk)
await createOrder(service, { number: 'PO-4711', notes: 'Adria', margin: '9.00' })
for (const name of ['Süßmann GmbH', 'Other']) await create('c_buyer', { name })
await create('b_order', { number: 'PO-01209', buyer_id: 1, payer_id: 1 })
await create('b_order', { number: 'PO-01210', buyer_id: 2, payer_id: 1 })
await create('a_parcel', { number: 'GR-01209', order_id: 2 })
await create('a_parcel', { number: 'GR-01300', order_id: 1 })
await create('a_parcel', { number: 'PO-01209-1', order_id: 1 })

const ask = (query: string, as?: string) => service.ask('GET', `/api/search?${query}`, { as })
const found = async (q: string, as?: string, rest = ''): Promise<Found[]> => {
  const reply = await completeSearch(service, `q=${encodeURIComponent(q)}${rest}`, as)
  assert.equal(reply.status, 200, reply.text)
  return reply.json().data
}
const shown = async (q: string, rest = '', as?: string) =>
  (await found(q, as, rest)).map((one) => `${one.entity} ${one.display}: ${one.field} ${one.match}`)

test('names come first, by their beginning, by words, by a part; shorter ones first, then newer; in any case, without patterns', async () => {
  for (const [q, ...expected] of [
    [
      ...['adri', 'supplier Adria clerk: name prefix', 'supplier Adria Metal: name prefix'],
      ...['supplier Adria 100%_Steel: name prefix', 'supplier New Adria: name word'],
    ],
    ['ndor', 'country Andorra: name contained'],
    ['METAL adria', 'supplier Adria Metal: name word'],
    ['100%_', 'supplier Adria 100%_Steel: name word'],
    ['žITO', 'supplier Žito: name exact'],
    ['%%%'],
    // Neither notes nor other fields are searched.
    ['found in notes'],
    ['PO-4711', 'order PO-4711: number exact'],
    ['code  3', `supplier ${supplierIds[3]}: code exact`],
  ] as const)
    assert.deepEqual(await shown(q), expected, q)
})

test('limit is for each entity, one entity may be asked for, and a value of another field that is the text comes after names', async () => {
  assert.deepEqual(await shown('adria', '&limit=1'), ['supplier Adria clerk: name prefix'])
  assert.deepEqual(await shown('AD', '&entity=country'), ['country Andorra: code exact'])
  const { id } = await addCountry('QQ', 'Elsewhere')
  const byCode = await shown('QQ', '&entity=country&limit=1')
  assert.deepEqual(byCode, ['country Elsewhere: code exact'])
  assert.deepEqual((await shown('ad', '&limit=2')).slice(0, 2), [
    ...['supplier Adria clerk: name prefix', 'supplier Adria 100%_Steel: name prefix'],
  ])
  assert.equal((await shown('AD', '&limit=2')).at(-1), 'country Andorra: code exact')
  await service.ask('DELETE', `/country/${id}`)
})

test('a whole name comes before longer ones, also if it is older than the limit reaches', async () => {
  for (const [code, name] of Object.entries({
    ...{ BC: 'In-Borea', BO: 'borea', BP: 'Boreanor', BQ: 'Arborea' },
    ...{ BR: 'Boreans', BX: 'Tiborea', BY: 'Tiborea' },
  }))
    await addCountry(code, name)
  assert.deepEqual(await shown('Borea'), [
    ...['country borea: name exact', 'country Boreans: name prefix'],
    ...['country Boreanor: name prefix', 'country In-Borea: name word'],
    'country Tiborea: name contained',
  ])
  assert.deepEqual(await shown('borea', '&limit=1'), ['country borea: name exact'])
})

test('titles are found after names, where the role sees them', async () => {
  await createOrder(service, { number: 'PO-4712', group: 'Forklift hire' })
  await create('supplier', { code: 'hirer', name: 'Hire & Sons' })
  const title = 'order PO-4712: group contained'
  assert.deepEqual(await shown('HIRE fork'), [title])
  // A part of the number and a part of the title, in any order.
  for (const words of ['4712 fork', 'fork 4712']) assert.deepEqual(await shown(words), [title])
  assert.deepEqual(await shown('4712 spoon'), [])
  assert.deepEqual(await shown('hire'), ['supplier Hire & Sons: name prefix', title])
})

test('an id finds that record of each entity, not with a zero before it, and no link to it', async () => {
  const [first = 0, , , id = 0] = supplierIds
  const exact = (await found(`${id}`)).filter(({ match }) => match === 'exact')
  const supplier = { entity: 'supplier', id, display: `${id}`, field: 'id', match: 'exact' }
  const ofSupplier = exact.find(({ entity }) => entity === 'supplier')
  assert.deepEqual(ofSupplier, supplier)
  const fields = (await found(`${first}`)).map(({ field }) => field)
  assert.ok(fields.includes('id'))
  assert.ok(!fields.some((field) => field.endsWith('_id')))
  assert.deepEqual(await found(`00${first}`), [])
})

test('an entity that does not exist, or that the caller may not read, is a 404 that tells neither from the other', async () => {
  const answer = async (key: string) => {
    const reply = await ask(`q=AD&entity=${key}`, users.nobody)
    const { title, detail, code, hint } = reply.json()
    return { status: reply.status, title, detail: detail.replaceAll(key, '…'), code, hint }
  }
  const unknown = await answer('nothing')
  assert.deepEqual([unknown.status, unknown.code], [404, 'entity.unknown'])
  for (const key of ['supplier', 'country', 'suppliers'])
    assert.deepEqual(await answer(key), unknown)
  const { detail } = (await ask('q=AD&entity=suppliers')).json()
  assert.match(detail, /did you mean "supplier"/)
})

test('removed records and an empty text find nothing', async () => {
  const { id } = await create('supplier', { code: 'gone', name: 'Vanished' })
  assert.equal((await found('vanished')).length, 1)
  await service.ask('DELETE', `/supplier/${id}`)
  assert.deepEqual([await found('vanished'), await found('gone'), await found(' ')], [[], [], []])
  assert.deepEqual((await ask('')).json(), { data: [], incomplete: [] })
})

test('what it does not understand is a 400 that names the parameter', async () => {
  for (const [query, path] of [
    [`q=${'x'.repeat(101)}`, 'q'],
    [`q=${'a+'.repeat(11)}`, 'q'],
    ['q=a%00b', 'q'],
    ['q=a&limit=0', 'limit'],
    ['q=a&limit=21', 'limit'],
    ['q=a&entities=order', 'entities'],
  ] as const)
    assert.deepEqual(invalidPaths(await ask(query), 400), [path], query)
})

test('only readable entities and records are searched, and a hidden name or unique field is neither searched nor shown', async () => {
  const ofClerk = await found('adria', users.clerk)
  assert.deepEqual(
    ofClerk.map(({ id }) => id),
    [clerkSupplier.id],
  )
  assert.deepEqual(await found('adria', users.registrar), [])
  assert.deepEqual(await found('adria', users.nobody), [])
  const hider = await addOwnUser(service, 'hider')
  const { id } = await createOrder(service, { number: 'PO-81', group: 'Crane' })
  for (const q of ['PO-81', 'crane']) {
    assert.equal((await found(q)).length, 1, q)
    assert.deepEqual(await found(q, hider), [], q)
  }
  assert.deepEqual(await found(`${id}`, hider), [
    { entity: 'order', id, display: `${id}`, field: 'id', match: 'exact' },
  ])
})

test('what others link to comes first, longer names later; a record whose first readable link has the name is last', async () => {
  const packer = await addOwnUser(service, 'packer')
  const seller = await addOwnUser(service, 'seller')
  const bySearch = [
    [
      ...['01209', undefined, 'PO-01209 word', 'GR-01209 word', 'PO-01209-1 word'],
      'GR-01300 linked PO-01209',
    ],
    ['PO-01209', undefined, 'PO-01209 exact', 'PO-01209-1 prefix', 'GR-01300 linked PO-01209'],
    ['sussm', undefined, 'Süßmann GmbH prefix', 'PO-01209 linked Süßmann GmbH'],
    ['ssmann', undefined, 'Süßmann GmbH contained'],
    [
      ...['sussm', packer, 'Süßmann GmbH prefix'],
      ...['PO-01210 linked Süßmann GmbH', 'PO-01209 linked Süßmann GmbH'],
    ],
    ['sussm', seller],
  ] as const
  for (const [q, as, ...expected] of bySearch) {
    const data = await found(q, as)
    assert.deepEqual(
      data.map(({ display, match, linked }) => `${display} ${match}${linked ? ` ${linked}` : ''}`),
      expected,
      q,
    )
  }
})

test('an entity that does not answer in time is named, and the others are found', async () => {
  const connection = await service.database.pool.connect()
  try {
    await connection.query('BEGIN; LOCK TABLE records.supplier IN ACCESS EXCLUSIVE MODE')
    const reply = await completeSearch(service, 'q=AD', undefined, ['supplier'])
    const { data, incomplete } = reply.json()
    assert.equal(data.at(-1).display, 'Andorra')
    assert.deepEqual(incomplete, ['supplier'])
  } finally {
    await connection.query('ROLLBACK')
    connection.release()
  }
})
