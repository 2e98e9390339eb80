/** The columns of an export: exportSettings, $select and the kind of field. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { before, test } from 'node:test'
import {
  emailOf,
  emptyTables,
  exportProject,
  insertRecords,
  shareExports,
  userIdOf,
} from '../../support/an-export-project.ts'
import { callDocket } from '../../support/call-docket.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import { type TestService, writeProject } from '../../support/service.ts'

let service: TestService
let seller: number
const changed = '2026-05-04T08:30:00.007Z'
before(async () => {
  service = await shareExports()
  await emptyTables(service, 'continent', 'country', 'supplier', 'labelled', 'keyed')
  seller = await userIdOf(service, emailOf('seller'))
  await insertRecords(service, 'continent', [{ name: 'Europe' }])
  await insertRecords(service, 'country', [
    { name: 'Croatia', continent_id: 1 },
    { name: 'Atlantis' },
  ])
  await insertRecords(service, 'supplier', [
    { name: 'Acme', country_id: 1 },
    { name: 'Bolt', country_id: 2 },
    { name: 'Core' },
  ])
  await insertRecords(service, 'labelled', [
    { name: 'all', supplier_id: 1, _created_by: seller, _owned_by: seller, _updated_at: changed },
    { name: 'two', supplier_id: 2, _updated_at: changed },
    { name: 'one', supplier_id: 3, _updated_at: changed },
    { name: 'none', _updated_at: changed },
  ])
  await insertRecords(service, 'keyed', [{ name: 'k', supplier_id: 1 }])
})

const tableOf = async (path: string, body?: unknown) =>
  readCells((await exportOf(service, path, { body })).text)

test('without exportSettings every field is exported: id, the fields in order, the system fields', async () => {
  const [header] = await tableOf('/item/export')
  const fields = 'code,note,mail,count,serial,price,rate,is_new,day,moment,kind,extra'
  const system = '_is_deleted,_created_by,_updated_by,_created_at,_updated_at,_owned_by'
  assert.equal(header?.join(), `id,${fields},supplier_id,parent_id,${system}`)
})

test('the header is headerName when useFieldKeyAsHeader is false, or the field without headerName', async () => {
  const [header] = await tableOf('/labelled/export')
  assert.equal(
    header?.join(),
    'ID,name,Supplier,Country,Continent,Supplier no.,Country no.,Removed,Created by,Changed,Owner',
  )
})

test('the header is the field key when useFieldKeyAsHeader is true, whatever headerName is', async () => {
  assert.deepEqual(await tableOf('/keyed/export'), [
    ['name', 'supplier.name'],
    ['k', 'Acme'],
  ])
})

test('a path over many-to-one fields returns its value at depth 1, 2 and 3, and null after a null link', async () => {
  const rows = await tableOf('/labelled/export')
  assert.deepEqual(
    rows.slice(1).map((row) => row.slice(1, 5)),
    [
      ['all', 'Acme', 'Croatia', 'Europe'],
      ['two', 'Bolt', 'Atlantis', null],
      ['one', 'Core', null, null],
      ['none', null, null, null],
    ],
  )
})

test('a path that ends on the association returns its id at every depth', async () => {
  const rows = await tableOf('/labelled/export')
  assert.deepEqual(
    rows.slice(1).map((row) => row.slice(5, 7)),
    [
      ['1', '1'],
      ['2', '2'],
      ['3', null],
      [null, null],
    ],
  )
})

test('columnDefs may name system fields such as id and _updated_at', async () => {
  const [, first, second] = await tableOf('/labelled/export')
  assert.equal(first?.[0], '1')
  assert.deepEqual(first?.slice(7), ['false', emailOf('seller'), changed, String(seller)])
  assert.deepEqual(second?.slice(7), ['false', null, changed, null])
})

test('$select selects the columns of one export; configured ones keep their header', async () => {
  const rows = await tableOf('/labelled/export', {
    $select: ['_updated_at', 'supplier.country.continent', 'supplier.name'],
    $where: { name: 'all' },
  })
  assert.deepEqual(rows, [
    ['Changed', 'supplier.country.continent', 'Supplier'],
    [changed, '1', 'Acme'],
  ])
})

test('$select of an unknown or a one-to-many field is a 400 that lists every place', async () => {
  const reply = await service.ask('POST', '/item/export', {
    body: { $select: ['code', 'cod', 'parts', 'parent.parts.code'] },
  })
  assert.equal(reply.status, 400)
  const { errors } = reply.json() as { errors: { path: string }[] }
  assert.deepEqual(
    errors.map(({ path }) => path),
    ['$select[1]', '$select[2]', '$select[3]'],
  )
})

test('one-to-many and unknown fields in columnDefs make the definition invalid', async () => {
  const fields = ['parts', 'parts.code', 'parent.parts', 'supplier.nam', 'code.name']
  const directory = await writeProject({
    ...exportProject,
    'entities/item.json': {
      ...(exportProject['entities/item.json'] as object),
      exportSettings: { columnDefs: [{ field: 'id' }, ...fields.map((field) => ({ field }))] },
    },
  })
  const { code, err } = await callDocket(['start', '--project', directory])
  assert.equal(code, 1)
  for (const [index, field] of fields.entries()) {
    const place = `exportSettings\\.columnDefs\\[${index + 1}\\]\\.field`
    assert.match(err, new RegExp(`entities/item\\.json:\\d+:\\d+ ${place} \\S.*`, 'm'), field)
  }
  await rm(directory, { recursive: true })
})
