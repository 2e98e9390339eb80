/**
 * Searches by words: `$search` finds those that occur anywhere in what the caller may see of a record and of what it links to,
 * `GET /api/search` any record by a few characters of its name. Both with and without accents.
 */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  addOwnUser,
  addUsers,
  createAs,
  createOrder,
  invalidPaths,
  projectFiles,
  users,
} from '../../support/a-project.ts'
import { connectionOf } from '../../support/database.ts'
import { link, roleFile } from '../../support/definitions/files.ts'
import { startTestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const named = (key: string, ...links: object[]) => ({
  key,
  displayField: 'name',
  fields: [{ key: 'name', type: 'string', unique: key !== 'place' }, ...links],
})
const displayed = (file: string) => ({ ...Object(projectFiles[file]), displayField: 'name' })
const service = await startTestService({
  ...projectFiles,
  'entities/supplier.json': displayed('entities/supplier.json'),
  'entities/country.json': displayed('entities/country.json'),
  'entities/place.json': named('place'),
  // Entities that link to each other: the keys are in the reverse order of what people mean.
  'entities/a_parcel.json': named('a_parcel', link('order', 'b_order')),
  'entities/b_order.json': named('b_order', link('buyer', 'c_buyer'), link('payer', 'c_buyer')),
  'entities/c_buyer.json': { ...named('c_buyer'), ownership: true },
  ...roleFile('hider', { order: { read: true, hiddenFields: ['number', 'group'] } }),
  ...roleFile('packer', {
    a_parcel: { read: true },
    b_order: { read: true, hiddenFields: ['buyer'] },
    c_buyer: { read: true },
  }),
  ...roleFile('seller', { b_order: { read: true }, c_buyer: { read: 'own' } }),
})
after(() => service.stop())
await addUsers(service.database)
const create = (entity: string, body: object, as?: string) =>
  createAs(service, entity, { ...body }, as)
const addCountry = (code: string, name: string) => create('country', { code, name })

/** An answer of `GET /api/search`. */
const ask = (query: string, as?: string) => service.ask('GET', `/api/search?${query}`, { as })
/**
 * That of a search of every entity but the `incomplete` ones to the end. On a busy machine a search may exceed its time limit,
 * which is part of the product.
 */
const askToTheEnd = (query: string, as?: string, incomplete: readonly string[] = []) =>
  until(`/api/search?${query} searches every entity to the end`, async () => {
    const reply = await ask(query, as)
    assert.equal(reply.status, 200, reply.text)
    return reply.json().incomplete.every((key: string) => incomplete.includes(key)) && reply.json()
  })

describe('words of a search', async () => {
  const country = await addCountry('HR', 'Croatia')
  const supplier = await create('supplier', {
    code: 'hidden-code',
    name: 'Željezara Čačak',
    country_id: country.id,
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
    const data: { id: number }[] = (await search({ $orderBy: ['id'], ...body }, as)).json(200).data
    return data.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id)).join(' ')
  }

  const searches: readonly (readonly [words: string, found: string])[] = [
    ['STEEL', 'steel own'],
    ['  steel\t clerk ', 'own'],
    ['steel paper', ''],
    ['50%_off', 'steel'],
    ['50_', ''],
    ['\\', ''],
    ['ČAČAK METAL', 'steel'],
    ['zeljezara cacak', 'steel'],
    // Of a linked record that is the name alone.
    ['croatia', ''],
    ['hidden-code', ''],
    ['anna@EXAMPLE', 'paper'],
    ['HIGH', 'paper'],
    ['777', 'paper'],
    ['77', ''],
    ['9007199254740993', 'big'],
    ['.125', ''],
    ['0.125 1234.5', 'big'],
    ['99999999999999999999999999', ''],
    [' \n ', 'steel paper big secret own'],
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

  test('hold together with conditions, in totals, counts, pages and exports', async () => {
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

  test('are not searched for in hidden fields and records, and names of links that may not be read', async () => {
    assert.equal(await found({ $search: '4321' }), 'secret')
    assert.equal(await found({ $search: '4321' }, users.buyer), '')
    assert.equal(await found({ $search: 'steel' }, users.clerk), 'own')
    await service.ask('PATCH', `/order/${ids.own}`, { body: { supplier_id: supplier.id } })
    assert.equal(await found({ $search: 'čačak' }), 'steel own')
    assert.equal(await found({ $search: 'čačak' }, users.clerk), '')
  })

  test('that are no search text are a 400', async () => {
    for (const $search of [
      ...[null, 5, ['steel'], { $ilike: 'x' }, 'a\u0000b', '\ud800', 'x'.repeat(101)],
      ...[Array(11).fill('w').join(' '), ' '.repeat(2001)],
    ])
      assert.deepEqual(invalidPaths(await search({ $search }), 400), ['$search'], String($search))
  })

  test('that take longer than 5 seconds are a 503 that says so', async () => {
    const { pool } = service.database
    await pool.query(`ALTER TABLE records."order" RENAME TO order_rows;
      CREATE VIEW records."order" AS SELECT * FROM records.order_rows WHERE pg_sleep(6) IS NOT NULL`)
    try {
      const reply = await search({ $search: 'steel' })
      assert.deepEqual([reply.status, reply.json().code], [503, 'request.too-slow'])
    } finally {
      await pool.query(
        `DROP VIEW records."order"; ALTER TABLE records.order_rows RENAME TO "order"`,
      )
    }
  })
})

describe('accents', async () => {
  const names = `Löwe LOWE Lo\u0308we Müller Mueller Muller Straße STRASSE Ærø Aero Đorđević Łódź
    Nguyễn Œuvre Москва 北京 İzmir Value Valu a.b`.split(/\s+/)
  for (const name of names) await service.ask('POST', '/place', { body: { name } })
  // As a version has written it that kept texts as they were given.
  await service.database.pool.query(`
    UPDATE records.place SET name = normalize(name, NFD)
    WHERE id = (SELECT max(id) FROM records.place WHERE name = normalize('Lo\u0308we', NFC))`)
  const byWord = {
    lowe: 'Löwe LOWE Lo\u0308we',
    'LO\u0308WE': 'Löwe LOWE Lo\u0308we',
    loewe: 'Löwe Lo\u0308we',
    mueller: 'Müller Mueller',
    MÜLLER: 'Müller Mueller Muller',
    strasse: 'Straße STRASSE',
    straße: 'Straße STRASSE',
    aero: 'Ærø Aero',
    oeuvre: 'Œuvre',
    dordevic: 'Đorđević',
    lodz: 'Łódź',
    nguyen: 'Nguyễn',
    МОСК: 'Москва',
    京: '北京',
    izmir: 'İzmir',
    // Nothing that has no ü: the e is not left out.
    value: 'Value',
    valü: 'Value Valu',
    '.': 'a.b',
    'a*': '',
  }
  for (const [word, expected] of Object.entries(byWord))
    test(`${word} finds ${expected || 'nothing'}, by both searches`, async () => {
      const list = await service.ask('POST', '/place/search', { body: { $search: word } })
      const inList: string[] = list.json(200).data.map(({ name }: { name: string }) => name)
      const one = await askToTheEnd(`entity=place&limit=20&q=${encodeURIComponent(word)}`)
      const inOne: string[] = one.data.map(({ display }: { display: string }) => display)
      const wanted = expected.split(' ').filter(Boolean).toSorted()
      assert.deepEqual([inList.toSorted(), inOne.toSorted()], [wanted, wanted])
    })

  test('words of the longest kind are answered', async () => {
    const $search = Array(10).fill('ae'.repeat(50)).join(' ')
    const { status, text } = await service.ask('POST', '/place/search', { body: { $search } })
    assert.equal(status, 200, text)
  })
})

describe('any record', async () => {
  type Found = Record<'entity' | 'display' | 'field' | 'match', string> & {
    id: number
    linked?: string
  }
  await addCountry('AD', 'Andorra')
  const supplierIds: number[] = []
  for (const [index, name] of [
    ...['New Adria', 'Adria Metal', 'Adria 100%_Steel', null, 'Žito'],
  ].entries())
    supplierIds.push((await create('supplier', { code: `code ${index}`, name })).id)
  const ofClerk = await create('supplier', { code: 'AD', name: 'Adria clerk' }, users.clerk)
  for (const name of ['Süßmann GmbH', 'Other']) await create('c_buyer', { name })
  await create('b_order', { name: 'PO-01209', buyer_id: 1, payer_id: 1 })
  await create('b_order', { name: 'PO-01210', buyer_id: 2, payer_id: 1 })
  await create('a_parcel', { name: 'GR-01209', order_id: 2 })
  await create('a_parcel', { name: 'GR-01300', order_id: 1 })
  await create('a_parcel', { name: 'PO-01209-1', order_id: 1 })

  const found = async (q: string, as?: string, rest = ''): Promise<Found[]> =>
    (await askToTheEnd(`q=${encodeURIComponent(q)}${rest}`, as)).data
  const shown = async (q: string, rest = '') =>
    (await found(q, undefined, rest)).map(
      (one) => `${one.entity} ${one.display}: ${one.field} ${one.match}`,
    )

  test('is found by the beginning of its name, by words, by a part; shorter ones first, then newer; in any case, without patterns', async () => {
    await createOrder(service, { number: 'PO-4711', notes: 'Adria' })
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
      ['PO-4711', 'order PO-4711: number exact'],
      ['code  3', `supplier ${supplierIds[3]}: code exact`],
    ] as const)
      assert.deepEqual(await shown(q), expected, q)
  })

  test('is one of a few of each entity, or of one entity; a value of another field that is the text comes after names', async () => {
    assert.deepEqual(await shown('adria', '&limit=1'), ['supplier Adria clerk: name prefix'])
    assert.deepEqual(await shown('AD', '&entity=country'), ['country Andorra: code exact'])
    assert.deepEqual((await shown('ad', '&limit=2')).slice(0, 2), [
      ...['supplier Adria clerk: name prefix', 'supplier Adria 100%_Steel: name prefix'],
    ])
    assert.equal((await shown('AD', '&limit=2')).at(-1), 'country Andorra: code exact')
  })

  test('comes before longer ones by its whole name, also if it is older than the limit reaches', async () => {
    for (const [code, name] of Object.entries({
      BC: 'In-Borea',
      BZ: 'borea',
      BP: 'Boreanor',
      BQ: 'Arborea',
      BO: 'Elsewhere',
      BR: 'Boreans',
      BX: 'Tiborea',
      BY: 'Tiborea',
    }))
      await addCountry(code, name)
    assert.deepEqual(await shown('Borea'), [
      ...['country borea: name exact', 'country Boreans: name prefix'],
      ...['country Boreanor: name prefix', 'country In-Borea: name word'],
      'country Tiborea: name contained',
    ])
    assert.deepEqual(await shown('borea', '&limit=1'), ['country borea: name exact'])
    // A code that is the text has a place among more names than the limit.
    assert.deepEqual(await shown('BO', '&entity=country&limit=2'), [
      ...['country Boreans: name prefix', 'country Elsewhere: code exact'],
    ])
  })

  test('is found by its title after names', async () => {
    await createOrder(service, { number: 'PO-4712', group: 'Forklift hire' })
    await create('supplier', { code: 'hirer', name: 'Hire & Sons' })
    const title = 'order PO-4712: group contained'
    // A part of the number and a part of the title, in any order.
    for (const words of ['HIRE fork', '4712 fork', 'fork 4712'])
      assert.deepEqual(await shown(words), [title])
    assert.deepEqual(await shown('4712 spoon'), [])
    assert.deepEqual(await shown('hire'), ['supplier Hire & Sons: name prefix', title])
  })

  test('is found by its id, not with a zero before it, and not by a link to it', async () => {
    const [first = 0, , , id = 0] = supplierIds
    const supplier = { entity: 'supplier', id, display: `${id}`, field: 'id', match: 'exact' }
    const exact = (await found(`${id}`)).filter(({ match }) => match === 'exact')
    assert.deepEqual(
      exact.find(({ entity }) => entity === 'supplier'),
      supplier,
    )
    const fields = (await found(`${first}`)).map(({ field }) => field)
    assert.ok(fields.includes('id'))
    assert.ok(!fields.some((field) => field.endsWith('_id')))
    assert.deepEqual(await found(`00${first}`), [])
  })

  test('is not found if it was removed, or by no text', async () => {
    const { id } = await create('supplier', { code: 'gone', name: 'Vanished' })
    assert.equal((await found('vanished')).length, 1)
    await service.ask('DELETE', `/supplier/${id}`)
    assert.deepEqual([await found('vanished'), await found('gone'), await found(' ')], [[], [], []])
    assert.deepEqual((await ask('')).json(), { data: [], incomplete: [] })
    assert.deepEqual(invalidPaths(await ask(`q=${'a+'.repeat(11)}`), 400), ['q'])
  })

  test('of an entity that does not exist, or that the caller may not read, is a 404 that tells neither from the other', async () => {
    const answer = async (key: string) => {
      const reply = await ask(`q=AD&entity=${key}`, users.nobody)
      const { title, detail, code, hint } = reply.json()
      return { status: reply.status, title, detail: detail.replaceAll(key, '…'), code, hint }
    }
    const unknown = await answer('nothing')
    assert.deepEqual([unknown.status, unknown.code], [404, 'entity.unknown'])
    for (const key of ['supplier', 'suppliers']) assert.deepEqual(await answer(key), unknown)
    const { detail } = (await ask('q=AD&entity=suppliers')).json()
    assert.match(detail, /did you mean "supplier"/)
  })

  test('is searched where the caller may read it, by names and unique fields that are not hidden', async () => {
    const byClerk = await found('adria', users.clerk)
    assert.deepEqual(
      byClerk.map(({ id }) => id),
      [ofClerk.id],
    )
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

  test('that others link to comes first, longer names later; one whose first readable link has the name is last', async () => {
    const packer = await addOwnUser(service, 'packer')
    const seller = await addOwnUser(service, 'seller')
    for (const [q, as, ...expected] of [
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
    ] as const)
      assert.deepEqual(
        (await found(q, as)).map(({ display, match, linked = '' }) =>
          `${display} ${match} ${linked}`.trim(),
        ),
        expected,
        q,
      )
  })

  test('of an entity that does not answer in time is missing, and the entity is named', async () => {
    const connection = await connectionOf(service.database.pool)
    await connection.query('BEGIN; LOCK TABLE records.supplier IN ACCESS EXCLUSIVE MODE')
    const { data, incomplete } = await askToTheEnd('q=AD', undefined, ['supplier'])
    assert.equal(data.at(-1).display, 'Andorra')
    assert.deepEqual(incomplete, ['supplier'])
  })
})
