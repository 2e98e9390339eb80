/** Who may export which records and columns. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  emailOf,
  emptyTables,
  insertRecords,
  shareExports,
  userIdOf,
} from '../../support/an-export-project.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await shareExports()
  await emptyTables(service, 'country', 'supplier', 'item', 'note', 'labelled')
  const seller = await userIdOf(service, emailOf('seller'))
  const other = await userIdOf(service, emailOf('auditor'))
  const mine = { _created_by: seller }
  await insertRecords(service, 'country', [{ name: 'Croatia' }])
  await insertRecords(service, 'supplier', [
    { name: 'mine', country_id: 1, rating: 1, ...mine },
    { name: 'theirs', country_id: 1, rating: 2, _created_by: other },
  ])
  await insertRecords(service, 'item', [
    { code: 'created', supplier_id: 1, price: '1', ...mine },
    { code: 'owned', supplier_id: 2, price: '2', _created_by: other, _owned_by: seller },
    { code: 'given away', supplier_id: 2, price: '3', ...mine, _owned_by: other },
    { code: 'other', supplier_id: 1, price: '4', _created_by: other, _owned_by: other },
    { code: 'nobody', supplier_id: 2, price: '5' },
    { code: 'removed', supplier_id: 1, ...mine, _is_deleted: true },
  ])
  await insertRecords(service, 'note', [{ name: 'mine', ...mine }, { name: 'theirs' }])
  await insertRecords(service, 'labelled', [
    { name: 'a', supplier_id: 1 },
    { name: 'b', supplier_id: 2 },
  ])
})

const asRole = (role: Parameters<typeof emailOf>[0], path: string, body: object = {}) =>
  exportOf(service, path, { as: emailOf(role), body })
const rowsAs = async (role: Parameters<typeof emailOf>[0], path: string, body: object = {}) => {
  const { status, text } = await asRole(role, path, body)
  assert.equal(status, 200, text)
  return readCells(text)
}

test('without the export permission an export is a 403 that names the permission', async () => {
  const { status, headers, text } = await asRole('reader', '/item/export')
  assert.equal(status, 403)
  assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
  assert.match(JSON.parse(text).detail, /"export" on "item"/)
})

test('the export permission without read returns no data', async () => {
  const { status, text } = await asRole('blind', '/item/export')
  assert.equal(status, 403)
  assert.match(JSON.parse(text).detail, /"read" on "item"/)
})

test('a request without a token is a 401', async () => {
  const reply = await service.ask('POST', '/item/export', { as: null, body: {} })
  assert.equal(reply.status, 401)
})

test('columns that the role may not read are omitted, and counted in X-Omitted-Columns', async () => {
  const { headers, text } = await asRole('auditor', '/item/export')
  assert.equal(headers['x-omitted-columns'], '2')
  const [header] = readCells(text)
  assert.ok(!header?.includes('price') && !header?.includes('supplier_id'))
  assert.equal(header?.length, 19)
})

test('an association whose entity may not be read is omitted with all paths over it', async () => {
  const { headers, text } = await asRole('auditor', '/labelled/export')
  assert.equal(headers['x-omitted-columns'], '4')
  assert.deepEqual(readCells(text), [
    ['ID', 'name', 'Supplier', 'Supplier no.', 'Country no.', 'Removed', 'Owner'],
    ['1', 'a', 'mine', '1', '1', 'false', null],
    ['2', 'b', 'theirs', '2', '1', 'false', null],
  ])
})

test('a role that may see every column gets no X-Omitted-Columns', async () => {
  const { headers } = await exportOf(service, '/item/export')
  assert.equal(headers['x-omitted-columns'], undefined)
})

test('an export without any visible column is a 403', async () => {
  assert.equal((await asRole('auditor', '/note/export')).status, 403)
})

test('a hidden column counts as unknown: it cannot be selected, searched or ordered by', async () => {
  for (const [path, body] of [
    ['$select[0]', { $select: ['price'] }],
    ['$where.price', { $where: { price: '1' } }],
    ['$where.supplier.name', { $where: { 'supplier.name': 'mine' } }],
    ['$orderBy[0]', { $orderBy: ['price'] }],
  ] as const) {
    const { status, text } = await asRole('auditor', '/item/export', body)
    assert.equal(status, 400)
    const { errors } = JSON.parse(text) as { errors: { path: string }[] }
    assert.deepEqual(
      errors.map((error) => error.path),
      [path],
    )
  }
})

test('the record scope of the role is added to $where: own is what one created or owns', async () => {
  const codes = await rowsAs('seller', '/item/export', { $select: ['code'] })
  assert.deepEqual(codes.slice(1).flat(), ['created', 'owned', 'given away'])
  const where = { $or: [{ code: 'other' }, { code: 'owned' }] }
  const some = await rowsAs('seller', '/item/export', { $select: ['code'], $where: where })
  assert.deepEqual(some.slice(1).flat(), ['owned'])
})

test('the narrower of the permissions read and export applies', async () => {
  const names = await rowsAs('seller', '/note/export')
  assert.deepEqual(names.slice(1), [['mine']])
})

test('pages are made of the records in scope', async () => {
  const pages = await Promise.all(
    [1, 2, 3].map((page) =>
      rowsAs('seller', `/item/export?limit=2&page=${page}`, { $select: ['code'] }),
    ),
  )
  assert.deepEqual(
    pages.map((rows) => rows.slice(1).flat()),
    [['created', 'owned'], ['given away'], []],
  )
})

test('an associated record out of scope appears as null, except for the id of the link', async () => {
  const rows = await rowsAs('seller', '/labelled/export', {
    $select: ['name', 'supplier', 'supplier.name', 'supplier.country.name'],
  })
  assert.deepEqual(rows.slice(1), [
    ['a', '1', 'mine', 'Croatia'],
    ['b', '2', null, null],
  ])
})

test('a condition on an associated record out of scope reveals nothing of it', async () => {
  const rows = await rowsAs('seller', '/labelled/export', {
    $select: ['name'],
    $where: { 'supplier.rating': { $gte: 1 } },
  })
  assert.deepEqual(rows.slice(1), [['a']])
})

test('removed own records are exported only on request', async () => {
  const rows = await rowsAs('seller', '/item/export', {
    $select: ['code'],
    $where: { _is_deleted: true },
  })
  assert.deepEqual(rows.slice(1), [['removed']])
})

test('/api/entities lists the columns that an export has, with header and label', async () => {
  const { exportSettings } = (
    await service.ask('GET', '/api/entities/labelled', { as: emailOf('auditor') })
  ).json()
  assert.deepEqual(exportSettings, {
    useFieldKeyAsHeader: false,
    escapeFormulas: true,
    columnDefs: [
      { field: 'id', headerName: 'ID', format: 'key', label: 'ID' },
      { field: 'name', headerName: 'name', format: 'key', label: 'name' },
      { field: 'supplier.name', headerName: 'Supplier', format: 'key', label: 'Supplier' },
      { field: 'supplier', headerName: 'Supplier no.', format: 'key', label: 'Supplier no.' },
      { field: 'supplier.country', headerName: 'Country no.', format: 'key', label: 'Country no.' },
      { field: '_is_deleted', headerName: 'Removed', format: 'key', label: 'Removed' },
      { field: '_owned_by', headerName: 'Owner', format: 'key', label: 'Owner' },
    ],
  })
  const keyed = (await service.ask('GET', '/api/entities/keyed')).json().exportSettings
  assert.deepEqual(keyed.columnDefs[1], {
    ...{ field: 'supplier.name', headerName: 'supplier.name', format: 'key', label: 'Label' },
  })
})
