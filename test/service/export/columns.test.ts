/** The columns of an export: exportSettings, $select, the kind of field, and names in place of the keys of choices and steps. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { invalidPaths } from '../../support/a-project.ts'
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
import { writeProject } from '../../support/service.ts'

const service = await shareExports()
const seller = await userIdOf(service, emailOf('seller'))
const _updated_at = '2026-05-04T08:30:00.007Z'
before(async () => {
  await emptyTables(service, 'continent', 'country', 'supplier', 'labelled', 'keyed')
  await emptyTables(service, 'ticket', 'ticket_line', 'machine', 'visit')
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
    { name: 'all', supplier_id: 1, _created_by: seller, _owned_by: seller, _updated_at },
    { name: 'two', supplier_id: 2, _updated_at },
    { name: 'one', supplier_id: 3, _updated_at },
    { name: 'none', _updated_at },
  ])
  await insertRecords(service, 'keyed', [{ name: 'k', supplier_id: 1 }])
  const { ask } = service
  for (const urgency of ['low', 'high', 'sum', null])
    await ask('POST', '/ticket', { body: { urgency } })
  await ask('POST', '/ticket/1/proceedToStep', { body: { action: 'end' } })
  await insertRecords(service, 'machine', [{ code: 'BA-1' }, { code: '0017', _is_deleted: true }])
  await insertRecords(service, 'visit', [
    { machine_id: 1, inspector_id: seller },
    { machine_id: 2, supplier_id: 1 },
  ])
  for (const ticket_id of [1, 2, null]) await ask('POST', '/ticket_line', { body: { ticket_id } })
})

const tableOf = async (path: string, body?: unknown) =>
  readCells((await exportOf(service, path, { body })).text)

test('without exportSettings every field is exported: id, the fields in order, the system fields', async () => {
  const [header] = await tableOf('/item/export')
  const decimals = 'price,rate,fee,weight,total,pieces,huge,load,share'
  const fields = `code,note,mail,site,count,serial,${decimals},is_new,day,moment,kind,extra`
  const system = '_is_deleted,_created_by,_updated_by,_created_at,_updated_at,_owned_by'
  assert.equal(header?.join(), `id,${fields},supplier_id,parent_id,${system}`)
})

test('the header is headerName, or the field without it; the key with useFieldKeyAsHeader', async () => {
  const [header] = await tableOf('/labelled/export')
  const labels = 'ID,name,Supplier,Country,Continent,Supplier no.,Country no.,Removed'
  assert.equal(header?.join(), `${labels},Created by,Changed,Owner`)
  assert.deepEqual(await tableOf('/keyed/export'), [
    ['name', 'supplier.name'],
    ['k', 'Acme'],
  ])
})

test('a column may be a system field, or a path over links: its value at every depth, null after a null link, and the id where it ends on the link', async () => {
  const [, ...rows] = await tableOf('/labelled/export')
  const owned = ['false', emailOf('seller'), _updated_at, String(seller)]
  const nobody = ['false', null, _updated_at, null]
  assert.deepEqual(rows, [
    ['1', 'all', 'Acme', 'Croatia', 'Europe', '1', '1', ...owned],
    ['2', 'two', 'Bolt', 'Atlantis', null, '2', '2', ...nobody],
    ['3', 'one', 'Core', null, null, '3', null, ...nobody],
    ['4', 'none', null, null, null, null, null, ...nobody],
  ])
})

test('$select selects the columns of one export; configured ones keep their header', async () => {
  const $select = ['_updated_at', 'supplier.country.continent', 'supplier.name']
  assert.deepEqual(await tableOf('/labelled/export', { $select, $where: { name: 'all' } }), [
    ['Changed', 'supplier.country.continent', 'Supplier'],
    [_updated_at, '1', 'Acme'],
  ])
})

test('$select of an unknown or a one-to-many field is a 400 that lists every place', async () => {
  const body = { $select: ['code', 'cod', 'parts', 'parent.parts.code'] }
  const reply = await service.ask('POST', '/item/export', { body })
  assert.deepEqual(invalidPaths(reply, 400), ['$select[1]', '$select[2]', '$select[3]'])
})

test('one-to-many and unknown fields in columnDefs make the definition invalid', async () => {
  const fields = ['parts', 'parts.code', 'parent.parts', 'supplier.nam', 'code.name']
  const columnDefs = ['id', ...fields].map((field) => ({ field }))
  const item = { ...Object(exportProject['entities/item.json']), exportSettings: { columnDefs } }
  const directory = await writeProject({ ...exportProject, 'entities/item.json': item })
  const { code, err } = await callDocket(['start', '--project', directory])
  assert.equal(code, 1)
  for (const [index, field] of fields.entries()) {
    const place = `exportSettings\\.columnDefs\\[${index + 1}\\]\\.field`
    assert.match(err, new RegExp(`entities/item\\.json:\\d+:\\d+ ${place} \\S.*`, 'm'), field)
  }
})

test('a column has names only where its format asks for them; a choice without one reads as words, a step as its key', async () => {
  assert.deepEqual(await tableOf('/ticket/export'), [
    ['urgency', 'Urgency', 'Step', 'Step key'],
    ['low', 'Low', 'done', 'done'],
    ['high', 'High, "very"', 'A draft', 'draft'],
    ['sum', "'=A1'", 'A draft', 'draft'],
    [null, null, 'A draft', 'draft'],
  ])
})

test('names of linked records are those of their entity, also in JSON', async () => {
  const { text } = await exportOf(service, '/ticket_line/export?format=json')
  assert.deepEqual(JSON.parse(text), [
    { Urgency: 'Low', Step: 'done' },
    { Urgency: 'High, "very"', Step: 'A draft' },
    { Urgency: null, Step: null },
  ])
})

test('a column that is selected keeps the format of the definition, which entities name', async () => {
  const body = { $select: ['id', 'ticket.urgency'], $where: { id: 2 } }
  const [, row] = await tableOf('/ticket_line/export', body)
  assert.deepEqual(row, ['2', 'High, "very"'])
  const { exportSettings } = (await service.ask('GET', '/api/entities/ticket')).json()
  const formats = exportSettings.columnDefs.map(({ format }: { format: string }) => format)
  assert.deepEqual(formats, ['key', 'name', 'name', 'key'])
})

test('with names=true every column has names, and the label of its field where it has no other', async () => {
  const $select = ['ticket.urgency', 'ticket', '_created_by.email']
  const body = { $select, $where: { id: 2 } }
  assert.deepEqual(await tableOf('/ticket_line/export?names=true', body), [
    ['Urgency', 'Ticket', 'Created by › E-mail'],
    ['High, "very"', '2', 'admin@example.com'],
  ])
  assert.deepEqual((await tableOf('/ticket/export?names=true')).slice(0, 3), [
    ['Urgency', 'Urgency', 'Step', 'Step key'],
    ['Low', 'Low', 'done', 'done'],
    ['High, "very"', 'High, "very"', 'A draft', 'A draft'],
  ])
})

test('with names=true a link is what its record is called: alone where that identifies it, else besides its id', async () => {
  const body = { $select: ['machine_id', 'inspector', 'supplier', '_created_by'] }
  assert.deepEqual(await tableOf('/visit/export?names=true', body), [
    [
      'Machine › Code',
      'Inspector',
      'Inspector › Full name',
      'Supplier',
      'Created by',
      'Created by › Full name',
    ],
    ['BA-1', String(seller), 'seller Example', null, null, null],
    ['0017', null, null, '1', null, null],
  ])
  const [plain] = await tableOf('/visit/export', body)
  assert.deepEqual(plain, body.$select)
  const $select = ['machine', 'machine.code', 'inspector.full_name', 'inspector']
  const [both] = await tableOf('/visit/export?names=true', { $select })
  assert.deepEqual(both, ['Machine', 'Machine › Code', 'Inspector › Full name', 'Inspector'])
})

test('a link is its id to a caller who may not read every record behind it, whatever a column of its text would have', async () => {
  const body = { $select: ['machine', 'inspector'], $where: { id: 1 } }
  const { text } = await exportOf(service, '/visit/export?names=true', {
    body,
    as: emailOf('seller'),
  })
  assert.deepEqual(readCells(text), [
    ['Machine', 'Inspector', 'Inspector › Full name'],
    ['1', String(seller), 'seller Example'],
  ])
})
