/** A large export is copied on several connections; nobody sees it in the file. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, afterEach, before, test } from 'node:test'
import { runningExports } from '../../support/export-backends.ts'
import { exportOf, openExport, readToEnd } from '../../support/export-request.ts'
import {
  type Asked,
  clerk,
  exportSessions,
  exportsOf,
  startLargeTable,
} from '../../support/exports/a-large-table.ts'
import { until } from '../../support/wait.ts'

const records = 20_000
const service = await startLargeTable(records)
const { openDivided, undivided, nothingRuns } = exportsOf(service)
after(() => service.stop())
afterEach(() => nothingRuns())

/** As one statement, until records are changed. */
let whole: Buffer
before(async () => {
  whole = (await undivided()).bytes
})

test('the manifest counts and digests the rows of all connections, whose bytes are those of one statement', async () => {
  const { bytes, trailers } = await readToEnd(await openDivided({ query: 'manifest=true' }))
  assert.ok(bytes.equals(whole))
  assert.equal(trailers['x-row-count'], String(records))
  const digest = createHash('sha256').update(bytes).digest('base64')
  assert.equal(trailers.digest, `sha-256=${digest}`)
})

const asked: readonly Asked[] = [
  { query: 'format=json' },
  { body: { $orderBy: ['-amount'], $where: { id: { $gt: 1_000 } } } },
  { as: clerk, body: { $orderBy: ['-code'] } },
]
test('formats, orders, filters and permissions hold in every range', async () => {
  for (const one of asked) {
    // The records of the clerk may fit into the buffers: then nobody sees how many connections copied them.
    const response = await (one.as ? openExport(service, '/entry/export', one) : openDivided(one))
    const divided = await readToEnd(response)
    assert.equal(divided.status, 200)
    assert.ok(divided.bytes.equals((await undivided(one)).bytes), JSON.stringify(one))
    await nothingRuns()
  }
})

test('few records, a page, and an order without an index of many values are one statement', async () => {
  const few = { $where: { code: { $in: ['c4ca4238a0b923820dcc509a6f75849b'] } } }
  const { text } = await exportOf(service, '/entry/export', { body: few })
  assert.equal(text.split('\r\n').length, 3)
  for (const [query, body] of [
    [`?limit=${records}`, {}],
    ['', { $orderBy: ['kind'] }],
    ['', { $orderBy: ['-depot.name', 'id'] }],
  ] as const) {
    const response = await openExport(service, `/entry/export${query}`, { body })
    assert.equal((await runningExports(service)).length, 1)
    response.on('error', () => undefined).destroy()
    await nothingRuns()
  }
})

test('exports at once are whole, and have no more connections than the settings say', async () => {
  const first = await openDivided()
  const second = await openExport(service, '/entry/export')
  const both = [readToEnd(first), readToEnd(second)]
  for (const { bytes } of await Promise.all(both)) assert.ok(bytes.equals(whole))
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

test('changes during the export are not in it', async () => {
  const { pool } = service.database
  const response = await openDivided()
  await pool.query(`UPDATE records.entry SET kind = 'late', amount = 1 WHERE id % 3 = 0`)
  await pool.query('DELETE FROM records.entry WHERE id % 25 = 1')
  await pool.query(
    `INSERT INTO records.entry (id, code) SELECT 2000000000 + n, 'new ' || n FROM generate_series(1, 5000) n`,
  )
  const { bytes } = await readToEnd(response)
  assert.ok(bytes.equals(whole))
})

// Many comparisons with each note: a range is not copied before the test has ended its connection.
const slow = {
  $where: {
    $or: [
      ...Array.from({ length: 50 }, (_, index) => ({ note: { $ilike: `%zzz${index}%` } })),
      { id: { $gt: 0 } },
    ],
  },
}

test('an error on any connection aborts the response', async () => {
  for (const which of ['min', 'max']) {
    const response = await openDivided({ body: slow })
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
