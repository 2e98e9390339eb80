/** `?manifest=true`: trailers by which a client detects an incomplete or changed export. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import { emptyTables, fillMeasurements, shareExports } from '../../support/an-export-project.ts'
import { exportOf } from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'

const rows = 1_500
let service: TestService
before(async () => {
  service = await shareExports()
  await emptyTables(service, 'measurement')
  await fillMeasurements(service, rows, 100)
})

const digestOf = (bytes: Buffer) => `sha-256=${createHash('sha256').update(bytes).digest('base64')}`

for (const format of exportFormatNames)
  test(`${format}: X-Row-Count is the number of rows, Digest that of the sent bytes, however encoded`, async () => {
    for (const encoding of ['identity', 'gzip', 'zstd']) {
      const { status, headers, trailers, bytes } = await exportOf(
        service,
        `/measurement/export?manifest=true&format=${format}`,
        { headers: { 'Accept-Encoding': encoding } },
      )
      assert.equal(status, 200)
      assert.equal(headers.trailer, 'X-Row-Count, Digest')
      assert.deepEqual({ ...trailers }, { 'x-row-count': String(rows), digest: digestOf(bytes) })
    }
  })

test('X-Row-Count is that of the page, and 0 without rows', async () => {
  const countOf = async (query: string, body: object) =>
    (await exportOf(service, `/measurement/export?manifest=true${query}`, { body })).trailers[
      'x-row-count'
    ]
  assert.equal(await countOf('&limit=7&page=3', {}), '7')
  assert.equal(await countOf('', { $where: { position: 0 } }), '0')
})

test('without manifest=true there are no trailers and none are announced', async () => {
  for (const query of ['', '?manifest=false']) {
    const { headers, trailers } = await exportOf(service, `/measurement/export${query}`)
    assert.equal(headers.trailer, undefined)
    assert.deepEqual({ ...trailers }, {})
  }
})

test('an HTTP/1.0 client, which cannot detect an aborted response, is rejected with a next step', async () => {
  const token = await service.tokenOf()
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.write(
    `POST /measurement/export?manifest=true&limit=2 HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  )
  const answer = await text(socket)
  assert.match(answer, /^HTTP\/1\.1 426 /)
  assert.match(answer, /\r\nupgrade: HTTP\/1\.1\r\n/i)
  assert.match(answer, /"code":"export\.http-too-old".*proxy_http_version 1\.1;/)
  assert.equal((await service.ask('GET', '/api/me')).status, 200)
})
