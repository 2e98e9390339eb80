/** The response: formats, media types, compression, the file name. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import {
  emptyTables,
  fillMeasurements,
  insertRecords,
  shareExports,
} from '../../support/an-export-project.ts'
import { exportOf } from '../../support/export-request.ts'
import { readXlsx } from '../../support/read-xlsx.ts'
import type { TestService } from '../../support/service.ts'

// More than one batch of rows.
const many = 4_000
let service: TestService
before(async () => {
  service = await shareExports()
  await emptyTables(service, 'item', 'measurement')
  await insertRecords(service, 'item', [
    { code: 'a', count: 1, serial: '9007199254740993', price: '1.5', is_new: true },
    { code: 'quote " and \n', day: '2026-01-31', moment: '2026-05-04T08:30:00Z', extra: '{"a":1}' },
  ])
  await fillMeasurements(service, many, 40)
})

const csv = 'text/csv; charset=utf-8'
const ndjson = 'application/x-ndjson; charset=utf-8'
const json = 'application/json; charset=utf-8'
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const parquet = 'application/vnd.apache.parquet'

const choices: readonly [accept: string | undefined, query: string, type: string][] = [
  [undefined, '', csv],
  ['*/*', '', csv],
  ['text/*', '', csv],
  ['text/csv', '', csv],
  ['TEXT/CSV; charset=utf-8', '', csv],
  ['application/json', '', json],
  ['application/x-ndjson', '', ndjson],
  [xlsx, '', xlsx],
  ['application/*', '', csv],
  // What axios and Angular send by default.
  ['application/json, text/plain, */*', '', csv],
  ['application/json, text/csv', '', csv],
  ['application/json, */*;q=0.8', '', json],
  ['application/octet-stream', '', csv],
  ['text/plain', '', csv],
  ['application/csv', '', csv],
  ['application/vnd.ms-excel', '', csv],
  ['', '', csv],
  ['text/csv;q=0, */*', '', xlsx],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', '', csv],
  ['text/html, application/json;q=0.5, text/csv;q=0.4', '', json],
  ['application/json;q=0, */*;q=0.1', '', csv],
  ['text/csv;q=0.2, application/x-ndjson;q=0.9', '', ndjson],
  ['image/png, */*;q=0.1', '', csv],
  ['application/json', '?format=csv', csv],
  ['image/png', '?format=ndjson', ndjson],
  [undefined, '?format=json', json],
  [undefined, '?format=xlsx', xlsx],
  [undefined, '?format=parquet', parquet],
  [parquet, '', parquet],
  ['application/vnd.apache.parquet, application/json;q=0.5', '', parquet],
  ['application/vnd.apache.parquet;q=0, text/csv;q=0, */*', '', xlsx],
  ['text/csv', '?format=xlsx', xlsx],
]
for (const [accept, query, type] of choices)
  test(`Accept or ?format= selects the format: ${accept ?? 'no Accept'} and ${query || 'no format'} give ${type}`, async () => {
    const { status, headers } = await exportOf(service, `/item/export${query}`, {
      headers: accept === undefined ? {} : { Accept: accept },
    })
    assert.equal(status, 200)
    assert.equal(headers['content-type'], type)
  })

for (const accept of ['image/png', 'text/csv;q=0', 'application/pdf, text/html;q=0.9'])
  test(`Accept: ${accept} alone is a 406 before the first byte`, async () => {
    const reply = await service.ask('POST', '/item/export', {
      body: {},
      headers: { Accept: accept },
    })
    assert.equal(reply.status, 406)
    assert.equal(reply.headers.get('content-type'), 'application/problem+json; charset=utf-8')
    assert.equal((reply.json() as { code: string }).code, 'export.not-acceptable')
  })

test('an unknown ?format is a 400 that names the parameter and its values', async () => {
  const reply = await service.ask('POST', '/item/export?format=cvs', { body: {} })
  assert.equal(reply.status, 400)
  const { errors } = reply.json() as { errors: { path: string; message: string }[] }
  assert.equal(errors[0]?.path, 'format')
  assert.match(errors[0]?.message ?? '', /csv, xlsx, ndjson, json, parquet.*did you mean "csv"/)
})

const $select = ['id', 'code', 'count', 'serial', 'price', 'is_new', 'day', 'moment', 'extra']
const objects = [
  {
    id: 1,
    code: 'a',
    count: 1,
    serial: '9007199254740993',
    price: '1.50',
    is_new: true,
    day: null,
    moment: null,
    extra: null,
  },
  {
    id: 2,
    code: 'quote " and \n',
    count: null,
    serial: null,
    price: null,
    is_new: null,
    day: '2026-01-31',
    moment: '2026-05-04T08:30:00.000Z',
    extra: { a: 1 },
  },
]

test('ndjson is one object per line, with the headers as keys', async () => {
  const { text } = await exportOf(service, '/item/export?format=ndjson', { body: { $select } })
  assert.ok(text.endsWith('}\n'))
  assert.deepEqual(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    objects,
  )
})

test('json is one array of the same objects', async () => {
  const { text } = await exportOf(service, '/item/export?format=json', { body: { $select } })
  assert.deepEqual(JSON.parse(text), objects)
})

test('without records json is an empty array, ndjson is empty, xlsx has a header', async () => {
  const body = { $select, $where: { id: 0 } }
  const [array, lines, book] = await Promise.all(
    ['json', 'ndjson', 'xlsx'].map((format) =>
      exportOf(service, `/item/export?format=${format}`, { body }),
    ),
  )
  assert.deepEqual(JSON.parse(array?.text ?? ''), [])
  assert.equal(lines?.text, '')
  const rows = await readXlsx(book?.bytes ?? Buffer.alloc(0))
  assert.deepEqual(
    rows.map((row) => row.map(({ value }) => value)),
    [$select.map((name) => (name === 'moment' ? 'moment (UTC)' : name))],
  )
})

test('many rows are one valid array: batches are separated by a comma', async () => {
  const { text } = await exportOf(service, '/measurement/export?format=json')
  const positions = (JSON.parse(text) as { position: number }[]).map(({ position }) => position)
  assert.deepEqual(
    positions,
    Array.from({ length: many }, (_, index) => index + 1),
  )
})

const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync } as const
for (const format of ['csv', 'ndjson', 'json'])
  test(`${format} in gzip and zstd on request decodes to the same bytes, and is smaller`, async () => {
    const path = `/measurement/export?format=${format}`
    const plain = await exportOf(service, path)
    assert.equal(plain.headers['content-encoding'], undefined)
    for (const [name, decode] of Object.entries(decoders)) {
      const packed = await exportOf(service, path, { headers: { 'Accept-Encoding': name } })
      assert.equal(packed.headers['content-encoding'], name)
      assert.deepEqual(decode(packed.bytes), plain.bytes)
      assert.ok(packed.bytes.length < plain.bytes.length / 2)
    }
  })

const encodings: readonly [asked: string, answered: string | undefined][] = [
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip;q=1.0, br', 'gzip'],
  ['zstd;q=0, gzip', 'gzip'],
  ['gzip;q=0', undefined],
  ['identity', undefined],
  ['br', undefined],
]
for (const [asked, answered] of encodings)
  test(`Accept-Encoding: ${asked} gets ${answered ?? 'no encoding'}`, async () => {
    const { headers } = await exportOf(service, '/item/export', {
      headers: { 'Accept-Encoding': asked },
    })
    assert.equal(headers['content-encoding'], answered)
    assert.equal(headers.vary, 'Accept, Accept-Encoding')
  })

for (const format of exportFormatNames)
  test(`Content-Disposition contains a file name: ${format}`, async () => {
    const { headers } = await exportOf(service, `/item/export?format=${format}`)
    assert.match(
      headers['content-disposition'] ?? '',
      new RegExp(`^attachment; filename="item-\\d{4}-\\d{2}-\\d{2}\\.${format}"$`),
    )
    assert.equal(headers['cache-control'], 'no-store')
  })

test('an unknown entity is a 404, another method a 405', async () => {
  assert.equal((await service.ask('POST', '/itm/export', { body: {} })).status, 404)
  assert.equal((await service.ask('DELETE', '/item/export')).status, 405)
})

test('a trailing slash is accepted', async () => {
  assert.equal((await exportOf(service, '/item/export/')).status, 200)
})
