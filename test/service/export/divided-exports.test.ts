/** A large export is copied on several connections; nobody sees it in the file. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { runningExports } from '../../support/export-backends.ts'
import { exportOf, openExport, readToEnd } from '../../support/export-request.ts'
import { queryParquet } from '../../support/read-parquet.ts'
import { readArchive } from '../../support/read-xlsx.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'
import { allRecords, clerk, exportSessions, startLargeTable } from './a-large-table.ts'

let service: TestService
before(async () => {
  service = await startLargeTable()
})
after(() => service.stop())
const nothingRuns = () =>
  until('no export is in a transaction', async () => (await exportSessions(service)).length === 0)
afterEach(nothingRuns)

type Asked = { readonly query?: string; readonly body?: unknown; readonly as?: string }

/** Opens an export that is not read before several connections copy for it. */
const openDivided = async ({ query = 'format=csv', ...options }: Asked = {}) => {
  const response = await openExport(service, `/entry/export?${query}`, options)
  await until('several connections copy', async () => (await runningExports(service)).length > 1)
  return response
}

/** A page is one statement. */
const undivided = ({ query = 'format=csv', ...options }: Asked = {}) =>
  exportOf(service, `/entry/export?${query}&limit=1000000000`, options)

for (const format of ['csv', 'ndjson', 'json'])
  test(`the bytes are those of one statement: ${format}`, async () => {
    const query = `format=${format}`
    const [divided, single] = [
      await readToEnd(await openDivided({ query })),
      await undivided({ query }),
    ]
    assert.equal(divided.status, 200)
    assert.ok(divided.bytes.equals(single.bytes))
  })

test('the workbook and the Parquet file have the content of one statement', async () => {
  const sheetOf = async (bytes: Buffer) =>
    (await readArchive(bytes)).get('xl/worksheets/sheet1.xml')
  const xlsx = { query: 'format=xlsx' }
  assert.equal(
    await sheetOf((await readToEnd(await openDivided(xlsx))).bytes),
    await sheetOf((await undivided(xlsx)).bytes),
  )
  const rowsOf = (bytes: Buffer) => queryParquet(bytes, 'SELECT * FROM file')
  const parquet = { query: 'format=parquet' }
  assert.deepEqual(
    await rowsOf((await readToEnd(await openDivided(parquet))).bytes),
    await rowsOf((await undivided(parquet)).bytes),
  )
})

const orders = [
  ['-id'],
  ['code'],
  ['-code'],
  ['amount'],
  ['-amount'],
  ['moment', '-rank'],
  ['-moment'],
]
for (const $orderBy of orders)
  test(`the order is that of one statement: ${$orderBy}`, async () => {
    const body = { $orderBy }
    const [divided, single] = [
      await readToEnd(await openDivided({ body })),
      await undivided({ body }),
    ]
    assert.ok(divided.bytes.equals(single.bytes))
  })

for (const $orderBy of [['kind'], ['rank'], ['depot.name'], ['-depot.name', 'id']])
  test(`an order without an index of many values is one statement: ${$orderBy}`, async () => {
    const body = { $orderBy }
    const response = await openExport(service, '/entry/export', { body })
    assert.equal((await runningExports(service)).length, 1)
    assert.ok((await readToEnd(response)).bytes.equals((await undivided({ body })).bytes))
  })

test('filters and permissions hold in every range', async () => {
  const asked: Asked[] = [
    { body: { $where: { amount: { $gt: 100 } } } },
    { body: { $where: { id: { $gt: 100_000 } } } },
    { body: { $where: { 'depot.name': { $ne: 'Depot 3' } }, $orderBy: ['-code'] } },
    { body: { $where: { _is_deleted: { $in: [true, false] } }, $orderBy: ['code'] } },
    { as: clerk },
    { as: clerk, body: { $orderBy: ['-moment'] } },
  ]
  for (const one of asked) {
    const divided = await exportOf(service, '/entry/export', one)
    assert.equal(divided.status, 200)
    assert.ok(divided.bytes.equals((await undivided(one)).bytes), JSON.stringify(one))
  }
})

test('few records, and a page, are one statement', async () => {
  const few = { $where: { code: { $in: ['c4ca4238a0b923820dcc509a6f75849b'] } } }
  const { text } = await exportOf(service, '/entry/export', { body: few })
  assert.equal(text.split('\r\n').length, 3)
  const response = await openExport(service, `/entry/export?limit=${allRecords}`)
  assert.equal((await runningExports(service)).length, 1)
  await readToEnd(response)
})

test('the manifest counts and digests the rows of all connections', async () => {
  const { bytes, trailers } = await readToEnd(await openDivided({ query: 'manifest=true' }))
  assert.equal(trailers['x-row-count'], String(allRecords))
  const digest = createHash('sha256').update(bytes).digest('base64')
  assert.equal(trailers.digest, `sha-256=${digest}`)
})

test('changes during the export are not in it', async () => {
  const before = await undivided()
  const { pool } = service.database
  const response = await openDivided()
  await pool.query(`UPDATE records.entry SET kind = 'late', amount = 1 WHERE id % 3 = 0`)
  await pool.query('DELETE FROM records.entry WHERE id % 5 = 1')
  await pool.query(
    `INSERT INTO records.entry (id, code) SELECT 2000000000 + n, 'new ' || n FROM generate_series(1, 5000) n`,
  )
  const { bytes } = await readToEnd(response)
  assert.ok(bytes.equals(before.bytes))
})

test('an error on any connection aborts the response', async () => {
  for (const which of ['min', 'max']) {
    const response = await openDivided()
    await service.database.pool.query(
      `SELECT pg_terminate_backend(${which}(pid)) FROM pg_stat_activity
       WHERE datname = current_database() AND state = 'active' AND query LIKE 'COPY (%'`,
    )
    await assert.rejects(readToEnd(response), { code: 'ECONNRESET' })
    assert.equal(response.complete, false)
    await nothingRuns()
  }
})

test('a client that leaves ends the statements on all connections', async () => {
  const response = await openDivided()
  response.on('error', () => undefined)
  response.destroy()
  await nothingRuns()
})

test('exports at once are whole, and have no more connections than the settings say', async () => {
  const whole = await undivided()
  const first = await openDivided()
  const second = await openExport(service, '/entry/export')
  const both = [readToEnd(first), readToEnd(second)]
  for (const { bytes } of await Promise.all(both)) assert.equal(bytes.length, whole.bytes.length)
  await nothingRuns()
  const held = [
    await openExport(service, '/entry/export'),
    await openExport(service, '/entry/export'),
  ]
  await until(
    'both wait for their readers',
    async () => (await runningExports(service)).length >= 2,
  )
  const sessions = await exportSessions(service)
  assert.ok(sessions.length <= 4, JSON.stringify(sessions))
  for (const response of held) response.on('error', () => undefined).destroy()
})
