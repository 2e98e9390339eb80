/** The data of a template: the record with its links and lists, the actor, the time, with every digit; and nothing that a role may not see. */

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createAs, createOrder, users } from '../../support/a-project.ts'
import { pngOf, uploadFile } from '../../support/uploads.ts'
import { askFor, dataOf, shareDocuments } from './a-document-project.ts'

let order: { id: number; number: string }
let ids: { country: number; supplier: number; product: number; lines: number[] }
const service = await shareDocuments()
before(async () => {
  const country = await createAs(service, 'country', { code: 'HR', name: 'Hrvatska' })
  const supplier = await createAs(service, 'supplier', {
    code: 'S1',
    name: 'Đuro & sinovi "Žito"',
    country_id: country.id,
  })
  const oak = await createAs(service, 'product', { name: 'Oak', supplier_id: supplier.id })
  order = await createOrder(service, {
    supplier_id: supplier.id,
    notes: '#panic("x") *bold* $x$ \\ @a <b> // c "q" 采购',
    total: '12345678901.10',
    rate: '0.000000000000000000001234567890',
    serial: '9007199254740993',
    needed_by: '2028-02-29',
    placed_at: '2026-05-04T08:30:00.123+02:00',
    extra: { b: [1, 2.5, null, { deep: true }] },
  })
  const values = { order_id: order.id, product_id: oak.id }
  const first = { ...values, position: 2, amount: '0.10000000000000000001' }
  const second = { order_id: order.id, position: 1, amount: '12345678901234567890' }
  const lines: number[] = []
  for (const line of [first, second]) lines.push((await createAs(service, 'order_line', line)).id)
  ids = { country: country.id, supplier: supplier.id, product: oak.id, lines }
  const removed = await createAs(service, 'order_line', { ...values, position: 3, amount: '99' })
  await service.ask('DELETE', `/order_line/${removed.id}`)
})

const path = (code: string, id = order.id) => `/order/${id}/documents/${code}`
const printed = async (code: string, id?: number) =>
  (await (await askFor(service, path(code, id))).pdf()).pages.join('\n')

test('the record contains its many-to-one and one-to-many, and those of its entries', async () => {
  const { record } = await dataOf(service, path('all'))
  const supplier = {
    id: ids.supplier,
    name: 'Đuro & sinovi "Žito"',
    country: { id: ids.country, name: 'Hrvatska' },
  }
  assert.partialDeepStrictEqual(record, { id: order.id, number: order.number, supplier })
  assert.equal(record.lines.length, 2)
  assert.partialDeepStrictEqual(record.lines, [
    {
      id: ids.lines[0],
      position: 2,
      product_id: ids.product,
      product: { name: 'Oak', supplier: { id: ids.supplier, code: 'S1' } },
    },
    { id: ids.lines[1], position: 1, product_id: null, product: null },
  ])
  for (const entry of record.lines) assert.equal('order' in entry, false)
})

test('lists and deeper links that the template does not name are not read', async () => {
  const { record } = await dataOf(service, path('plain'))
  assert.equal('lines' in record, false)
  assert.equal(record.supplier.code, 'S1')
  assert.equal('country' in record.supplier, false)
})

test('names in an imported file are read as well', async () => {
  const { record } = await dataOf(service, path('by-import'))
  assert.equal(record.lines.length, 2)
  assert.equal('product' in record.lines[0], false)
})

test('a missing value is null, a list without entries is empty', async () => {
  const { id } = await createOrder(service, { group: null })
  const { record } = await dataOf(service, path('all', id))
  assert.deepEqual(
    [record.group, record.supplier_id, record.supplier, record.follows, record.lines],
    [null, null, null, null, []],
  )
})

test('decimals, large numbers, dates and times keep every digit', async () => {
  const { record } = await dataOf(service, path('all'))
  const { total, rate, serial, needed_by, placed_at, extra, is_urgent } = record
  assert.deepEqual(
    { total, rate, serial, needed_by, placed_at, extra, is_urgent },
    {
      total: '12345678901.10',
      rate: '0.000000000000000000001234567890',
      serial: '9007199254740993',
      needed_by: '2028-02-29',
      placed_at: '2026-05-04T06:30:00.123Z',
      extra: { b: [1, 2.5, null, { deep: true }] },
      is_urgent: false,
    },
  )
  assert.deepEqual(
    record.lines.map(({ amount }: { amount: string }) => amount),
    ['0.10000000000000000001', '12345678901234567890.00000000000000000000'],
  )
})

test('files of the record are printed as pictures, as far as the reader may read their field', async () => {
  const uploads = ['a.png', 'b.txt'].map((name) =>
    uploadFile(service, name, name === 'a.png' ? pngOf() : 'B'),
  )
  const photos = await Promise.all(uploads)
  const { id } = await createAs(service, 'report', { name: 'Damage', photos })
  const printedAs = async (user?: string) =>
    (await (await askFor(service, `/report/${id}/documents/photos`, user)).pdf()).pages.join()
  assert.equal(await printedAs(), 'a.png 9b.txt 0')
  assert.equal(await printedAs(users.clerk), '')
})

test('a number that Typst cannot represent exactly is an error, never a rounded sum', async () => {
  const reply = await askFor(service, path('numbers'))
  assert.equal(reply.status, 422)
})

test('text is printed literally, whatever it means in Typst', async () => {
  assert.equal(await printed('text'), '#panic("x") *bold* $x$ \\ @a <b> // c "q" 采购')
})

test('the actor is the caller, the entity has its name, the time is now', async () => {
  const begun = new Date().toISOString()
  const { actor, entity, generated_at } = await dataOf(service, path('plain'))
  assert.deepEqual([actor.email, actor.full_name], ['admin@example.com', 'Administrator'])
  assert.deepEqual(entity, { key: 'order', name: 'Bestellung' })
  assert.ok(begun <= generated_at && generated_at <= new Date().toISOString(), generated_at)
  const asBuyer = await dataOf(service, path('plain'), users.buyer)
  assert.equal(asBuyer.actor.email, users.buyer)
})

test('labels contain the names of the fields of the entity and of its lists, in the language of documents', async () => {
  const { labels } = await dataOf(service, path('all'))
  assert.deepEqual(Object.keys(labels), ['order', 'order_line'])
  assert.deepEqual([labels.order_line.position, labels.order_line.amount], ['Pos.', 'Amount'])
  assert.deepEqual([labels.order.lines, labels.order._created_at], ['Lines', 'Angelegt am'])
})

test('choices and steps have their names, of the entities that the template names', async () => {
  const { choices } = await dataOf(service, path('choices'))
  assert.deepEqual(choices, {
    order: { urgency: { low: 'Low', normal: 'Normal', high: 'Hoch' } },
    // What has no translation is what the definition says, else the words of its value.
    order_line: { state: { open: 'Open' } },
    product: { unit: { piece: 'Stück', kg: 'kg' }, _step: { draft: 'Entwurf' } },
  })
  assert.deepEqual((await dataOf(service, path('plain'))).choices, {})
  // A buyer sees no urgency and no products.
  const { choices: seen } = await dataOf(service, path('choices'), users.buyer)
  assert.deepEqual(seen, { order: {}, order_line: { state: { open: 'Open' } } })
})

test('10,000 entries are printed, one more is an error that names the limit', async () => {
  const { id } = await createOrder(service)
  const fill = (from: number, to: number) =>
    service.database.pool.query(
      'INSERT INTO records.order_line (order_id, position) SELECT $1, generate_series($2::int, $3)',
      [id, from, to],
    )
  await fill(1, 10_000)
  assert.equal(await printed('count', id), '10000 lines')
  await fill(10_001, 10_001)
  const reply = await askFor(service, path('count', id))
  assert.equal(reply.status, 422)
  const { code, detail } = reply.problem()
  assert.deepEqual(
    [code, detail],
    ['document.invalid', `order ${id} has more than 10000 lines, too many for a document.`],
  )
})

describe('what a role may not see is in no document', () => {
  let order: { id: number; number: string }
  let supplier: number
  let ownSupplier: number
  before(async () => {
    const idOf = async (entity: string, values: object, as?: string): Promise<number> =>
      (await createAs(service, entity, { ...values }, as)).id
    supplier = await idOf('supplier', { code: 'D1', name: 'Drvo' })
    ownSupplier = await idOf('supplier', { code: 'D2', name: 'Own' }, users.clerk)
    order = await createOrder(service, { supplier_id: supplier, margin: '12.50', notes: 'Urgent' })
    const values = { order_id: order.id, cost: '7', supplier_id: ownSupplier }
    await idOf('order_line', { ...values, position: 1, supplier_id: supplier })
    await idOf('order_line', { ...values, position: 2 })
    await idOf('order_line', { ...values, position: 3 }, users.clerk)
    const last = await idOf('order_line', { ...values, position: 4 }, users.clerk)
    // A clerk could not have set it.
    const body = { supplier_id: supplier }
    assert.equal((await service.ask('PATCH', `/order_line/${last}`, { body })).status, 200)
  })

  const path = (code: string) => `/order/${order.id}/documents/${code}`
  const seenBy = (as?: string) => dataOf(service, path('all'), as)

  test('the administrator sees everything', async () => {
    const { record, labels } = await seenBy()
    assert.partialDeepStrictEqual(record, { margin: '12.50', supplier: { name: 'Drvo' } })
    assert.equal(record.created_by.email, 'admin@example.com')
    assert.deepEqual(
      record.lines.map(({ cost }: { cost: string }) => cost),
      ['7', '7', '7', '7'],
    )
    assert.equal(labels.order.margin, 'Margin')
  })

  test('hidden fields are in no part of the data, nor are their labels', async () => {
    const { record, labels } = await seenBy(users.buyer)
    for (const key of ['margin', 'number', '_created_by', 'created_by']) {
      assert.equal(key in record, false, key)
      assert.equal(key in labels.order, false, key)
    }
    assert.equal(record.notes, 'Urgent')
    assert.equal(record.lines.length, 4)
    for (const entry of record.lines) {
      assert.equal('cost' in entry, false)
      assert.equal('name' in entry.supplier, false)
    }
    assert.equal('cost' in labels.order_line, false)
    assert.equal('name' in record.supplier, false)
    assert.equal(record.supplier.code, 'D1')
  })

  test('the file name contains no hidden field', async () => {
    const nameFor = async (as?: string) =>
      (await askFor(service, path('all'), as)).headers.get('content-disposition')
    assert.equal(await nameFor(), `inline; filename="all-${order.number}.pdf"`)
    assert.equal(await nameFor(users.buyer), `inline; filename="all-${order.id}.pdf"`)
  })

  test('entries and links are limited to the records that the role may read', async () => {
    const { record } = await seenBy(users.clerk)
    assert.deepEqual([record.supplier_id, record.supplier], [supplier, null])
    assert.deepEqual(
      record.lines.map(({ position, supplier }: { position: number; supplier: unknown }) => [
        position,
        supplier !== null,
      ]),
      [
        [3, true],
        [4, false],
      ],
    )
    const reply = await askFor(service, path('count'), users.clerk)
    assert.deepEqual((await reply.pdf()).pages, ['2 lines'])
  })

  test('an unreadable list is null, and an unreadable user is a name', async () => {
    const { record, labels } = await seenBy(users.registrar)
    assert.equal(record.lines, null)
    assert.equal('order_line' in labels, false)
    assert.equal(record.supplier.name, 'Drvo')
    assert.deepEqual(record.created_by, { id: 1, full_name: 'Administrator' })
  })

  test('a role that may see no field gets only the id', async () => {
    const { record, labels } = await seenBy(users.nobody)
    assert.deepEqual(record, { id: order.id })
    assert.deepEqual(labels, { order: { id: 'ID' } })
  })

  test('a template that uses a hidden field is an error for a role that may not see it', async () => {
    assert.deepEqual((await (await askFor(service, path('margin'))).pdf()).pages, ['Margin\n12.50'])
    const { status, errors } = (await askFor(service, path('margin'), users.buyer)).problem()
    assert.equal(status, 422)
    assert.deepEqual(errors, [
      { path: 'margin.typ:2:27', message: 'dictionary does not contain key "margin"' },
    ])
  })

  test('users see every field of themselves that their role does not hide', async () => {
    const { actor } = await seenBy(users.buyer)
    const { id, role, role_name, roles, permissions, administration, acting_user, ...self } = (
      await service.ask('GET', '/api/me', { as: users.buyer })
    ).json()
    assert.deepEqual([role, role_name, acting_user], ['buyer', 'buyer', null])
    assert.deepEqual(roles, [{ key: 'buyer', name: 'buyer' }])
    assert.deepEqual([typeof permissions, administration], ['object', []])
    assert.deepEqual(actor, { id, ...self })
    const clerk = (await seenBy(users.clerk)).actor
    assert.deepEqual([clerk.first_name, 'email' in clerk], ['clerk', false])
  })

  test('a document of a record that is their own is for those who read only these', async () => {
    const pathOf = (id: number) => `/supplier/${id}/documents/supplier`
    assert.equal((await askFor(service, pathOf(supplier), users.clerk)).status, 404)
    const { record } = await dataOf(service, pathOf(ownSupplier), users.clerk)
    assert.equal(record.name, 'Own')
  })
})
