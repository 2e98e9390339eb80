/** Hidden data of a role appears in no document: fields, links, lists, labels, file names. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createAs, createOrder, users } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import { askFor, dataOf, shareDocuments } from './a-document-project.ts'

let service: TestService
let order: { id: number; number: string }
let supplier: number
let ownSupplier: number
before(async () => {
  service = await shareDocuments()
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
  assert.equal(labels.order.margin, 'margin')
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
  const { id, role, role_name, permissions, administration, acting_user, ...self } = (
    await service.ask('GET', '/api/me', { as: users.buyer })
  ).json()
  assert.deepEqual([role, role_name, acting_user], ['buyer', 'buyer', null])
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
