/** `$search`: words that occur anywhere in what the caller may see of a record and of what it links to, with and without accents. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  addUsers,
  createAs,
  createOrder,
  invalidPaths,
  projectFiles,
  users,
} from '../../support/a-project.ts'
import { startTestService, writeProject } from '../../support/service.ts'
import { completeSearch } from './complete-search.ts'

const displayed = (file: string) => ({ ...Object(projectFiles[file]), displayField: 'name' })
const service = await startTestService(
  await writeProject({
    ...projectFiles,
    'entities/supplier.json': displayed('entities/supplier.json'),
    'entities/country.json': displayed('entities/country.json'),
    'entities/place.json': {
      ...{ key: 'place', displayField: 'name' },
      fields: [{ key: 'name', type: 'string' }],
    },
  }),
)
after(() => service.stop())
await addUsers(service.database)
const country = await createAs(service, 'country', { code: 'HR', name: 'Croatia' })
const supplier = await createAs(service, 'supplier', {
  ...{ code: 'hidden-code', name: 'Željezara Čačak', country_id: country.id },
})
const ids: Record<string, number> = {}
for (const [name, order, as] of [
  ['steel', { notes: 'Steel sheets\n50%_off', group: 'Metal', supplier_id: supplier.id }],
  ['paper', { notes: 'Paper', contact: 'anna@example.com', urgency: 'high', quantity: 777 }],
  ['big', { serial: '9007199254740993', total: '1234.50', rate: '0.125' }],
  ['secret', { margin: '4321.00', notes: 'margin' }],
  ['own', { notes: 'Steel of the clerk' }, users.clerk],
] as const)
  ids[name] = (await createOrder(service, order, as)).id

const search = (body: object, as?: string) => service.ask('POST', '/order/search', { body, as })
const found = async (body: object, as?: string) => {
  const reply = await search({ $orderBy: ['id'], ...body }, as)
  assert.equal(reply.status, 200, reply.text)
  const data: { id: number }[] = reply.json().data
  return data.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id)).join(' ')
}

const all = 'steel paper big secret own'
const searches: readonly (readonly [words: string, found: string])[] = [
  ['steel', 'steel own'],
  ['STEEL', 'steel own'],
  ['sheet steel', 'steel'],
  ['  steel\t clerk ', 'own'],
  ['steel paper', ''],
  ['50%_off', 'steel'],
  ['50_', ''],
  ['%', 'steel'],
  ['\\', ''],
  ['željezara', 'steel'],
  ['ČAČAK METAL', 'steel'],
  ['zeljezara cacak', 'steel'],
  ['ćaćak', 'steel'],
  ['croatia', ''],
  ['hidden-code', ''],
  ['anna@EXAMPLE', 'paper'],
  ['HIGH', 'paper'],
  ['777', 'paper'],
  ['77', ''],
  ['9007199254740993', 'big'],
  ['1234.5', 'big'],
  ['.125', ''],
  ['0.125 1234.50', 'big'],
  ['99999999999999999999999999', ''],
  ['', all],
  [' \n ', all],
  ["'; DROP TABLE records.order; --", ''],
  // Ten words of a hundred characters are the limit.
  [Array(10).fill('x'.repeat(100)).join(' '), ''],
]
for (const [$search, names] of searches)
  test(`${JSON.stringify($search).slice(0, 40)} finds ${names || 'nothing'}`, async () => {
    assert.equal(await found({ $search }), names)
  })

test('an id is found, and so is the word in a removed record only where removed ones are asked for', async () => {
  assert.match(await found({ $search: `${ids.steel}` }), /steel/)
  const { id } = await createOrder(service, { notes: 'unrepeated' })
  await service.ask('DELETE', `/order/${id}`)
  assert.equal(await found({ $search: 'unrepeated' }), '')
  const removed = await search({ $search: 'unrepeated', $where: { _is_deleted: true } })
  assert.equal(removed.json().data.length, 1)
})

test('words hold beside conditions, in totals, counts, pages and exports', async () => {
  const $search = 'steel'
  assert.equal(await found({ $search, $where: { group: 'Metal' } }), 'steel')
  const body = { $search, $count: true, $aggregate: { max: ['quantity'] }, $after: null }
  const page = await service.ask('POST', '/order/search?limit=1', { body })
  const { total, aggregate, next } = page.json()
  assert.deepEqual([total, aggregate.count], [2, 2])
  assert.equal(await found({ $search, $orderBy: undefined, $after: next }), 'own')
  const other = await search({ $search: 'paper', $after: next })
  assert.deepEqual(invalidPaths(other, 400), ['$after'])
  const asked = { body: { $search, $select: ['id'] } }
  const exported = await service.ask('POST', '/order/export', asked)
  assert.deepEqual(exported.text.trim().split('\r\n').slice(1), [`${ids.steel}`, `${ids.own}`])
})

test('hidden fields and records, and names of links that may not be read, are not searched', async () => {
  assert.equal(await found({ $search: '4321' }), 'secret')
  assert.equal(await found({ $search: '4321' }, users.buyer), '')
  assert.equal(await found({ $search: 'steel' }, users.clerk), 'own')
  await service.ask('PATCH', `/order/${ids.own}`, { body: { supplier_id: supplier.id } })
  assert.equal(await found({ $search: 'čačak' }), 'steel own')
  assert.equal(await found({ $search: 'čačak' }, users.clerk), '')
})

test('a search text that is no search text is a 400', async () => {
  for (const $search of [
    ...[null, 5, ['steel'], { $ilike: 'x' }, 'a\u0000b', '\ud800', 'x'.repeat(101)],
    ...[Array(11).fill('w').join(' '), ' '.repeat(2001)],
  ])
    assert.deepEqual(invalidPaths(await search({ $search }), 400), ['$search'], String($search))
})

describe('accents', async () => {
  const names =
    `Löwe LOWE Lo\u0308we Müller Mueller Muller Straße STRASSE Ærø Aero Đorđević Łódź Čačak
    Nguyễn Œuvre Москва 北京 İzmir Value Valu a.b`.split(/\s+/)
  for (const name of names) await service.ask('POST', '/place', { body: { name } })
  // As a version has written it that kept texts as they were given.
  await service.database.pool.query(`
    UPDATE records.place SET name = normalize(name, NFD)
    WHERE id = (SELECT max(id) FROM records.place WHERE name = normalize('Lo\u0308we', NFC))`)
  const byWord = {
    lowe: 'Löwe LOWE Lo\u0308we',
    löwe: 'Löwe LOWE Lo\u0308we',
    'LO\u0308WE': 'Löwe LOWE Lo\u0308we',
    loewe: 'Löwe Lo\u0308we',
    muller: 'Müller Muller',
    mueller: 'Müller Mueller',
    MÜLLER: 'Müller Mueller Muller',
    strasse: 'Straße STRASSE',
    straße: 'Straße STRASSE',
    aero: 'Ærø Aero',
    oeuvre: 'Œuvre',
    dordevic: 'Đorđević',
    lodz: 'Łódź',
    ćacak: 'Čačak',
    nguyen: 'Nguyễn',
    МОСК: 'Москва',
    京: '北京',
    izmir: 'İzmir',
    // Nothing that has no ü: the e is not left out.
    value: 'Value',
    valü: 'Value Valu',
    'a.b': 'a.b',
    '.': 'a.b',
    '[a-z]': '',
    'a*': '',
  }
  for (const [word, expected] of Object.entries(byWord))
    test(`${word} finds ${expected || 'nothing'}, by both searches`, async () => {
      const list = await service.ask('POST', '/place/search', { body: { $search: word } })
      assert.equal(list.status, 200, list.text)
      const inList: string[] = list.json().data.map(({ name }: { name: string }) => name)
      const query = `entity=place&limit=20&q=${encodeURIComponent(word)}`
      const one = await completeSearch(service, query)
      assert.equal(one.status, 200, one.text)
      const inOne: string[] = one.json().data.map(({ display }: { display: string }) => display)
      const wanted = expected.split(' ').filter(Boolean).toSorted()
      assert.deepEqual([inList.toSorted(), inOne.toSorted()], [wanted, wanted])
    })

  test('words of the longest kind are answered', async () => {
    const $search = Array(10).fill('ae'.repeat(50)).join(' ')
    const { status, text } = await service.ask('POST', '/place/search', { body: { $search } })
    assert.equal(status, 200, text)
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
