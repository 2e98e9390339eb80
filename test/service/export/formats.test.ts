/** The response: formats, media types, compression, the file name, and trailers by which a client detects an incomplete export. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
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

// More than one batch of rows.
const many = 4_000
const service = await shareExports()
before(async () => {
  await emptyTables(service, 'item', 'measurement')
  await insertRecords(service, 'item', [
    { code: 'a', count: 1, serial: '9007199254740993', price: '1.5', is_new: true },
    { code: 'quote " and \n', day: '2026-01-31', moment: '2026-05-04T08:30:00Z', extra: '{"a":1}' },
  ])
  await fillMeasurements(service, many, 40)
})

const types: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  parquet: 'application/vnd.apache.parquet',
}

const choices: readonly (readonly [Accept: string | undefined, format: string])[] = [
  [undefined, 'csv'],
  ['', 'csv'],
  ['text/*', 'csv'],
  ['TEXT/CSV; charset=utf-8', 'csv'],
  [types.xlsx, 'xlsx'],
  ['application/*', 'csv'],
  // What clients send by themselves: curl --json and ofetch, HTTPie, axios and Angular.
  ['application/json', 'csv'],
  ['application/json, */*;q=0.5', 'csv'],
  ['application/json, text/plain, */*', 'csv'],
  ['application/json; charset=utf-8', 'csv'],
  ['application/json, application/problem+json', 'csv'],
  ['application/json;q=0.5, application/x-ndjson', 'ndjson'],
  ['application/octet-stream', 'csv'],
  ['text/plain', 'csv'],
  ['application/csv', 'csv'],
  ['application/vnd.ms-excel', 'csv'],
  ['text/csv;q=0, */*', 'xlsx'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'csv'],
  ['text/html, application/json;q=0.5, text/csv;q=0.4', 'csv'],
  ['application/json;q=0, */*;q=0.1', 'csv'],
  ['text/csv;q=0.2, application/x-ndjson;q=0.9', 'ndjson'],
  ['image/png, */*;q=0.1', 'csv'],
  ['application/vnd.apache.parquet;q=0, text/csv;q=0, */*', 'xlsx'],
]
test('Accept selects the format', async () => {
  for (const [Accept, format] of choices) {
    const headers = Accept === undefined ? {} : { Accept }
    const body = { $select: ['id'] }
    const reply = await exportOf(service, '/item/export', { headers, body })
    assert.deepEqual(
      [reply.status, reply.headers['content-type']],
      [200, types[format]],
      `${Accept}`,
    )
  }
})

for (const format of exportFormatNames)
  test(`?format=${format} selects it, whatever Accept says, and gives the file its name`, async () => {
    const path = `/item/export?format=${format}`
    for (const Accept of ['image/png', 'application/json', 'text/csv']) {
      const { status, headers } = await exportOf(service, path, { headers: { Accept } })
      assert.deepEqual([status, headers['content-type']], [200, types[format]])
      assert.match(
        headers['content-disposition'] ?? '',
        new RegExp(`^attachment; filename="Item-\\d{4}-\\d{2}-\\d{2}\\.${format}"$`),
      )
      assert.equal(headers['cache-control'], 'no-store')
    }
  })

test('an Accept that no format fits is a 406 before the first byte', async () => {
  for (const Accept of ['image/png', 'text/csv;q=0', 'application/pdf, text/html;q=0.9']) {
    const reply = await service.ask('POST', '/item/export', { body: {}, headers: { Accept } })
    assert.deepEqual([reply.status, reply.json().code], [406, 'export.not-acceptable'], Accept)
    assert.equal(reply.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  }
})

const values = [
  { id: 1, code: 'a', count: 1, serial: '9007199254740993', price: '1.50', is_new: true },
  { day: '2026-01-31', moment: '2026-05-04T08:30:00.000Z', extra: { a: 1 } },
]
const $select = values.flatMap((one) => Object.keys(one))
const absent = Object.fromEntries($select.map((name) => [name, null]))
const objects = [
  { ...absent, ...values[0] },
  { ...absent, ...values[1], id: 2, code: 'quote " and \n' },
]
const bodyOf = (body: object, format: string) =>
  exportOf(service, `/item/export?format=${format}`, { body })

test('ndjson is one object per line, with the headers as keys; json is one array of the same objects', async () => {
  const lines = (await bodyOf({ $select }, 'ndjson')).text
  assert.ok(lines.endsWith('}\n'))
  const read = lines.trimEnd().split('\n')
  assert.deepEqual(
    read.map((line) => JSON.parse(line)),
    objects,
  )
  assert.deepEqual(JSON.parse((await bodyOf({ $select }, 'json')).text), objects)
})

test('without records json is an empty array, ndjson is empty, xlsx has a header', async () => {
  const body = { $select, $where: { id: 0 } }
  assert.deepEqual(JSON.parse((await bodyOf(body, 'json')).text), [])
  assert.equal((await bodyOf(body, 'ndjson')).text, '')
  const rows = await readXlsx((await bodyOf(body, 'xlsx')).bytes)
  const header = $select.map((name) => (name === 'moment' ? 'moment (UTC)' : name))
  assert.deepEqual(
    rows.map((row) => row.map(({ value }) => value)),
    [header],
  )
})

const decoders = { identity: (bytes: Buffer) => bytes, gzip: gunzipSync, zstd: zstdDecompressSync }
for (const format of exportFormatNames)
  test(`${format} in gzip and zstd is the same file; X-Row-Count is the number of rows, Digest that of the sent bytes`, async () => {
    const path = `/measurement/export?manifest=true&format=${format}`
    let plain: Buffer | undefined
    for (const [encoding, decode] of Object.entries(decoders)) {
      const asked = { headers: { 'Accept-Encoding': encoding } }
      const { status, headers, trailers, bytes } = await exportOf(service, path, asked)
      assert.equal(status, 200)
      assert.equal(headers['content-encoding'], encoding === 'identity' ? undefined : encoding)
      assert.equal(headers.trailer, 'X-Row-Count, Digest')
      const digest = `sha-256=${createHash('sha256').update(bytes).digest('base64')}`
      assert.deepEqual({ ...trailers }, { 'x-row-count': String(many), digest })
      plain ??= bytes
      const file = decode(bytes)
      // Batches of rows are separated by a comma.
      if (format === 'json') assert.equal(JSON.parse(file.toString()).at(-1).position, many)
      // A workbook has the time at which it was made.
      if (format === 'xlsx') assert.deepEqual(await readXlsx(file), await readXlsx(plain))
      else assert.ok(file.equals(plain))
      const isPacked = encoding !== 'identity' && ['csv', 'ndjson', 'json'].includes(format)
      assert.ok(!isPacked || bytes.length < plain.length / 2)
    }
  })

test('X-Row-Count is that of the page, and 0 without rows', async () => {
  for (const [query, body, count] of [
    ['&limit=7&page=3', {}, '7'],
    ['', { $where: { position: 0 } }, '0'],
  ] as const) {
    const path = `/measurement/export?manifest=true${query}`
    assert.equal((await exportOf(service, path, { body })).trailers['x-row-count'], count)
  }
})

test('without manifest=true there are no trailers and none are announced', async () => {
  for (const query of ['', '?manifest=false']) {
    const { headers, trailers } = await exportOf(service, `/measurement/export${query}`)
    assert.deepEqual([headers.trailer, { ...trailers }], [undefined, {}])
  }
})

test('an HTTP/1.0 client, which cannot detect an aborted response, is rejected with a next step', async () => {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  const head = `Authorization: Bearer ${await service.tokenOf()}\r\n\r\n`
  socket.write(`POST /measurement/export?manifest=true&limit=2 HTTP/1.0\r\n${head}`)
  const answer = await text(socket)
  assert.match(answer, /^HTTP\/1\.1 426 /)
  assert.match(answer, /\r\nupgrade: HTTP\/1\.1\r\n/i)
  assert.match(answer, /"code":"export\.http-too-old".*proxy_http_version 1\.1;/)
  assert.equal((await service.ask('GET', '/api/me')).status, 200)
})

test('Accept-Encoding selects the encoding', async () => {
  for (const [asked, answered] of [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, br', 'gzip'],
    ['zstd;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['identity', undefined],
    ['br', undefined],
  ] as const) {
    const options = { headers: { 'Accept-Encoding': asked } }
    const { headers } = await exportOf(service, '/item/export', options)
    assert.equal(headers['content-encoding'], answered, asked)
    assert.equal(headers.vary, 'Accept, Accept-Encoding')
  }
})
