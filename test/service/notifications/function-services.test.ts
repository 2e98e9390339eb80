/** Services for functions of a project: records, exports and documents, with all permissions. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { extractText } from 'unpdf'
import type { OfferedServices } from '../../../src/functions/function-context.ts'
import { createFunctionServices } from '../../../src/notify/function-calls.ts'
import { afterwards, opened } from '../../support/afterwards.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { createFunctions, subject } from '../../support/functions/some-functions.ts'
import { readXlsx } from '../../support/read-xlsx.ts'
import { startTestService } from '../../support/service.ts'
import { uploadFile } from '../../support/uploads.ts'
import { until } from '../../support/wait.ts'

const files = {
  ...entityFile('supplier', [{ key: 'name', type: 'string', required: true }]),
  'entities/order.json': {
    key: 'order',
    fields: [
      { key: 'number', type: 'string' },
      { key: 'total', type: 'decimal', precision: 30, scale: 2 },
      { key: 'serial', type: 'bigint' },
      { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
      { key: 'scan', type: 'file' },
    ],
    exportSettings: {
      columnDefs: [
        { field: 'number', headerName: 'Number' },
        { field: 'total', headerName: 'Total' },
        { field: 'supplier.name', headerName: 'Supplier' },
      ],
    },
  },
}

let services: OfferedServices
const service = opened(() => startTestService(files))
before(async () => {
  await service.ask('POST', '/supplier', { body: { name: 'Müller, "Stahl"' } })
  const totals = ['12345678901234567890.10', '0.00', '5.50']
  for (const [index, total] of totals.entries()) {
    const body = { number: `PO-${index + 1}`, total, supplier_id: 1, serial: '9007199254740993' }
    await service.ask('POST', '/order', { body })
  }
  await service.ask('DELETE', '/order/2')
  services = createFunctionServices(service.runtime.documentsOn(service.database.pool))
})

const neverAborted = new AbortController().signal
/** The text of an export. */
const exported = async (entityKey: string, criteria: object = {}, format?: string) => {
  const chunks = services.exportEntity({ entityKey, criteria, format }, neverAborted)
  return Buffer.concat(await Array.fromAsync(chunks)).toString()
}

const [head, first, third] = [
  'Number,Total,Supplier\r\n',
  'PO-1,12345678901234567890.10,"Müller, ""Stahl"""\r\n',
  'PO-3,5.50,"Müller, ""Stahl"""\r\n',
]

test('found records are complete, with exact numbers as text, without removed records, or have selected fields', async () => {
  const find = async (criteria: object) => JSON.parse(await services.findRecords('order', criteria))
  const exact = { serial: '9007199254740993', supplier_id: 1 }
  const found = await find({ $orderBy: ['-number'] })
  assert.equal(found.length, 2)
  assert.partialDeepStrictEqual(found, [
    { id: 3, number: 'PO-3', total: '5.50', ...exact },
    { id: 1, number: 'PO-1', total: '12345678901234567890.10', ...exact },
  ])
  const selected = await find({
    $where: { 'supplier.name': { $startsWith: 'Müller' }, total: { $lt: '10' } },
    $select: ['number', 'supplier.name'],
  })
  assert.deepEqual(selected, [{ number: 'PO-3', supplier: { name: 'Müller, "Stahl"' } }])
})

test('an export has the columns of its settings, or its own criteria and format', async () => {
  assert.equal(await exported('order'), `${head}${first}${third}`)
  const criteria = { $where: { supplier: 1 }, $orderBy: ['-id'], $select: ['id'] }
  assert.equal(await exported('order', criteria, 'ndjson'), '{"id":3}\n{"id":1}\n')
})

test('what does not exist is refused with a suggestion', async () => {
  for (const [call, message] of [
    [exported('order', {}, 'csvv'), /there is no export format "csvv"; did you mean "csv"\?/],
    [exported('odrer'), /There is no entity "odrer"; did you mean "order"\?/],
    [services.findRecords('odrer', {}), /There is no entity "odrer"; did you mean "order"\?/],
    [services.renderDocument('offer', 'order', 1), /There is no printable document "offer"/],
  ] as const)
    await assert.rejects(call, message)
})

test('a printable document of a record is rendered', async () => {
  const template_source = '#json("data.json").record.supplier.name'
  await service.ask('POST', '/printable_document', {
    body: { code: 'slip', name: 'Slip', entity_key: 'order', template_source },
  })
  const pdf = await services.renderDocument('slip', 'order', 1)
  const { text } = await extractText(pdf, { mergePages: true })
  assert.equal(text, 'Müller, "Stahl"')
})

test('more than 10,000 found records are refused', async () => {
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

test('a built-in function makes a document of one record, and a similar name is suggested for an unknown one', async () => {
  const functions = await createFunctions({}, { services })
  afterwards(() => functions.remove())
  const { message } = await functions.errorOf('native/record-jsn')
  assert.match(message, /did you mean "native\/record-json"\?/)
  const about = { ...subject, entityKey: 'order', entityId: 3 }
  const make = async (name: string, filename: string, mimetype: string) => {
    const [document, ...others] = await functions.makeDocuments(`native/${name}`, about)
    assert.deepEqual(others, [])
    assert.deepEqual([document?.filename, document?.mimetype], [filename, mimetype])
    return Buffer.from(document?.data ?? assert.fail())
  }
  const csv = await make('entity-export', 'order-3.csv', 'text/csv; charset=utf-8')
  assert.equal(String(csv), `${head}${third}`)
  // The record that the function was called with.
  const json = await make('record-json', 'order-3.json', 'application/json')
  assert.deepEqual(JSON.parse(String(json)), subject.record)
  const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  const sheet = await readXlsx(await make('entity-export-xlsx', 'order-3.xlsx', xlsx))
  const text = JSON.stringify(sheet)
  assert.ok(text.includes('PO-3') && !text.includes('PO-1'), text)
})

test('the bytes of a file are read by its id in the record', async () => {
  const { scan } = (
    await service.ask('PATCH', '/order/1', {
      body: { scan: await uploadFile(service, 'scan.txt', 'Scanned') },
    })
  ).json(200)
  const read = async (entityId: number) => {
    const file = { entityKey: 'order', entityId, fileId: scan.id }
    return Buffer.concat(await Array.fromAsync(services.readFile(file))).toString()
  }
  assert.equal(await read(1), 'Scanned')
  await assert.rejects(read(3), {
    message: `There is no file ${scan.id} of order 3 that you may read.`,
  })
})
