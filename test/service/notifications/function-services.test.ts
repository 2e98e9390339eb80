/** Services for functions of a project: records, exports and documents, with all permissions. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { extractText } from 'unpdf'
import type { OfferedServices } from '../../../src/functions/function-services.ts'
import { createFunctionServices } from '../../../src/notifications/jobs/function-services.ts'
import {
  answering,
  createFunctions,
  subject,
  type TestFunctions,
} from '../../support/functions/some-functions.ts'
import { readXlsx } from '../../support/read-xlsx.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const supplier = { key: 'supplier', fields: [{ key: 'name', type: 'string', required: true }] }
const order = {
  key: 'order',
  fields: [
    { key: 'number', type: 'string' },
    { key: 'total', type: 'decimal', precision: 30, scale: 2 },
    { key: 'serial', type: 'bigint' },
    { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
  ],
  exportSettings: {
    columnDefs: [
      { field: 'number', headerName: 'Number' },
      { field: 'total', headerName: 'Total' },
      { field: 'supplier.name', headerName: 'Supplier' },
    ],
  },
}

let service: TestService
let services: OfferedServices
let functions: TestFunctions
before(async () => {
  const files = { 'entities/order.json': order, 'entities/supplier.json': supplier }
  service = await startTestService(await writeProject(files))
  await service.ask('POST', '/supplier', { body: { name: 'Müller, "Stahl"' } })
  const totals = ['12345678901234567890.10', '0.00', '5.50']
  for (const [index, total] of totals.entries())
    await service.ask('POST', '/order', {
      body: { number: `PO-${index + 1}`, total, supplier_id: 1, serial: '9007199254740993' },
    })
  await service.ask('DELETE', '/order/2')
  services = createFunctionServices(service.runtime.documentsOn(service.database.pool))
  const returnCall = (call: string) => answering(`return await (context.services.${call})`)
  functions = await createFunctions(
    {
      'document-functions/find.mjs': answering(
        "return JSON.stringify(await context.services.records.find('order', context.record))",
      ),
      'document-functions/export.mjs': returnCall("entityExport.export('order')"),
      'document-functions/ndjson.mjs': returnCall(
        "entityExport.export('order', { $where: { supplier: 1 }, $orderBy: ['-id'], $select: ['id'] }, { format: 'ndjson' })",
      ),
      'document-functions/no-format.mjs': returnCall(
        "entityExport.export('order', {}, { format: 'csvv' })",
      ),
      'document-functions/no-entity.mjs': returnCall("entityExport.export('odrer')"),
      'document-functions/no-field.mjs': returnCall(
        "entityExport.export('order', { $where: { nmber: 1 }, $selct: [] })",
      ),
      'document-functions/render.mjs': returnCall("documents.render('offer', 'order', 1)"),
    },
    { services },
  )
})
after(async () => {
  await functions.remove()
  await service.stop()
})

const find = async (criteria: object) =>
  JSON.parse(await functions.textOf('find', { ...subject, record: { ...criteria } }))

test('records.find returns complete records with exact numbers as text, without removed records', async () => {
  const found = await find({ $orderBy: ['-number'] })
  assert.deepEqual(
    found.map(({ id, number, total, serial, supplier_id }: Record<string, unknown>) => [
      id,
      number,
      total,
      serial,
      supplier_id,
    ]),
    [
      [3, 'PO-3', '5.50', '9007199254740993', 1],
      [1, 'PO-1', '12345678901234567890.10', '9007199254740993', 1],
    ],
  )
})

test('records.find accepts conditions over associations and selects fields', async () => {
  const found = await find({
    $where: { 'supplier.name': { $startsWith: 'Müller' }, total: { $lt: '10' } },
    $select: ['number', 'supplier.name'],
  })
  assert.deepEqual(found, [{ number: 'PO-3', supplier: { name: 'Müller, "Stahl"' } }])
})

test('an export has the columns of its settings and equals the export over HTTP', async () => {
  const { text } = await service.ask('POST', '/order/export')
  assert.equal(
    text,
    'Number,Total,Supplier\r\nPO-1,12345678901234567890.10,"Müller, ""Stahl"""\r\nPO-3,5.50,"Müller, ""Stahl"""\r\n',
  )
  assert.equal(await functions.textOf('export'), text)
})

test('an export applies its criteria and its format', async () => {
  assert.equal(await functions.textOf('ndjson'), '{"id":3}\n{"id":1}\n')
})

for (const [name, message] of [
  [
    'no-format',
    /threw "services\.entityExport\.export: there is no export format "csvv"; did you mean "csv"\?"/,
  ],
  ['no-entity', /There is no entity "odrer"; did you mean "order"\?/],
  ['no-field', /\$selct: is not a key of query criteria; did you mean "\$select"\?/],
  ['render', /services\.documents\.render: There is no printable document "offer"/],
] as const)
  test(`an invalid call (${name}) throws a message in the function`, async () => {
    assert.match((await functions.errorOf(name)).message, message)
  })

test('a function can render a printable document of a record', async () => {
  const template_source = '#json("data.json").record.supplier.name'
  await service.ask('POST', '/printable_document', {
    body: { code: 'slip', name: 'Slip', entity_key: 'order', template_source },
  })
  const pdf = await services.renderDocument('slip', 'order', 1)
  const { text } = await extractText(pdf, { mergePages: true })
  assert.equal(text, 'Müller, "Stahl"')
})

test('records.find rejects more than 10,000 records', async () => {
  await service.database.pool.query(
    `INSERT INTO records.supplier (name, _created_by, _updated_by) SELECT 'many ' || n, 1, 1 FROM generate_series(1, 10000) n`,
  )
  await assert.rejects(services.findRecords('supplier', {}), {
    message: 'more than 10000 records of supplier match; narrow $where, or export them',
  })
  const found = JSON.parse(await services.findRecords('supplier', { $where: { id: { $gt: 1 } } }))
  assert.equal(found.length, 10_000)
})

test('a cancelled export releases its connection', async () => {
  const cancelled = new AbortController()
  const request = { entityKey: 'supplier', criteria: {}, format: undefined }
  const chunks = services.exportEntity(request, cancelled.signal)[Symbol.asyncIterator]()
  assert.equal((await chunks.next()).done, false)
  cancelled.abort()
  await assert.rejects(async () => {
    for (;;) if ((await chunks.next()).done) throw new Error('the export has ended')
  })
  const { pool } = service.database
  await until('every connection is released', () => pool.totalCount === pool.idleCount)
})

const subjectOrder = { ...subject, entityKey: 'order', entityId: 3 }

test('native/entity-export is the export of one record by its exportSettings', async () => {
  const [document, ...others] = await functions.makeDocuments('native/entity-export', subjectOrder)
  assert.deepEqual(others, [])
  assert.equal(document?.filename, 'order-3.csv')
  assert.equal(document.mimetype, 'text/csv; charset=utf-8')
  assert.equal(String(document.data), 'Number,Total,Supplier\r\nPO-3,5.50,"Müller, ""Stahl"""\r\n')
})

test('native/entity-export-xlsx is the same export as a spreadsheet', async () => {
  const [document] = await functions.makeDocuments('native/entity-export-xlsx', subjectOrder)
  assert.equal(document?.filename, 'order-3.xlsx')
  const rows = JSON.stringify(await readXlsx(Buffer.from(document.data)))
  assert.match(rows, /PO-3/)
  assert.doesNotMatch(rows, /PO-1/)
})

test('native/record-json is the record that the function was called with', async () => {
  const [document] = await functions.makeDocuments('native/record-json', subjectOrder)
  assert.equal(document?.filename, 'order-3.json')
  assert.equal(document.mimetype, 'application/json')
  assert.deepEqual(JSON.parse(String(document.data)), subject.record)
})

test('a built-in function has the same errors as other functions', async () => {
  await assert.rejects(
    functions.makeDocuments('native/entity-export', { ...subjectOrder, entityKey: 'odrer' }),
    {
      name: 'FunctionError',
      reason: 'threw',
      message: /^The document function "native\/entity-export" threw "There is no entity "odrer"/,
    },
  )
  assert.match(
    (await functions.errorOf('native/record-jsn')).message,
    /did you mean "native\/record-json"\?/,
  )
})
