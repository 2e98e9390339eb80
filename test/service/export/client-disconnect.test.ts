/** A client that disconnects ends the query immediately, whatever PostgreSQL is doing for it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import { fillRandomly, startExportProject } from '../../support/an-export-project.ts'
import { runningExports, untilBuffersFull } from '../../support/export-backends.ts'
import { openExport } from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await startExportProject()
  // By the index of the ids, so that a first record is found before all others are read.
  await service.database.pool.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database()); END $$`,
  )
  await fillRandomly(service, 20_000)
  await service.database.pool.query(
    `UPDATE records.measurement SET filler = repeat(md5(position::text), 600) WHERE position > 3000`,
  )
  await service.database.pool.query('ANALYZE records.measurement')
})
after(() => service.stop())

const countOf = (kind: string) => service.observations.filter((one) => one.kind === kind).length

/** Asserts that the query ends, and that the log and the metric report a disconnect and no error. */
const assertQueryEnds = async (disconnect: () => void): Promise<void> => {
  const [disconnects, aborted, failed] = ['exportLeft', 'exportAborted', 'requestFailed'].map(
    countOf,
  )
  disconnect()
  await until('no export runs', async () => (await runningExports(service)).length === 0)
  await until('the disconnect is logged', () => countOf('exportLeft') === (disconnects ?? 0) + 1)
  assert.deepEqual([countOf('exportAborted'), countOf('requestFailed')], [aborted, failed])
}

// Many slow comparisons with a long text per record: unless it is ended, the query outlasts the test.
const slow = {
  $or: Array.from({ length: 50 }, (_, index) => ({ filler: { $ilike: `%zzz${index}%` } })),
}

const disconnectBeforeResponse = async (path: string, body: object): Promise<void> => {
  const controller = new AbortController()
  const sent = fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await service.tokenOf()}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
    signal: controller.signal,
  })
  const failed = assert.rejects(sent, { name: 'AbortError' })
  await until('the export runs', async () => (await runningExports(service)).length === 1)
  await assertQueryEnds(() => controller.abort())
  await failed
}

test('while PostgreSQL looks for the first record', () =>
  disconnectBeforeResponse('/measurement/export', { $where: slow, $orderBy: ['-filler'] }))

test('while PostgreSQL looks for cells that xlsx cannot contain', () =>
  disconnectBeforeResponse('/measurement/export?format=xlsx', { $where: slow }))

for (const format of exportFormatNames)
  test(`during a long pause between two records (${format})`, async () => {
    const response = await openExport(service, `/measurement/export?format=${format}`, {
      body: { $select: ['position'], $where: { $or: [{ position: { $lte: 3000 } }, slow] } },
    })
    response.on('error', () => undefined).resume()
    assert.equal((await runningExports(service)).length, 1)
    await assertQueryEnds(() => response.destroy())
  })

test('while PostgreSQL waits for a client that does not read', async () => {
  const response = await openExport(service, '/measurement/export')
  response.on('error', () => undefined)
  await untilBuffersFull(service)
  await assertQueryEnds(() => response.destroy())
})

test('at any moment: after a hundred disconnects no connection is missing from the pool', async () => {
  const token = await service.tokenOf()
  const disconnects = countOf('exportLeft')
  for (let turn = 0; turn < 100; turn++) {
    const controller = new AbortController()
    const sent = fetch(`${service.url}/measurement/export`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      signal: controller.signal,
    })
    // It does not matter whether one disconnects in time: some of the hundred do.
    const ended = sent.then((response) => response.text()).catch(() => undefined)
    setTimeout(() => controller.abort(), (turn % 25) / 3)
    await ended
  }
  assert.ok(countOf('exportLeft') > disconnects)
  await until('every connection is back', async () => {
    const { text } = await service.ask('GET', '/api/metrics', { as: null })
    const [all, idle] = ['all', 'idle'].map(
      (state) =>
        new RegExp(
          `^docket_database_connections\\{pool="exports",state="${state}"\\} (\\d+)$`,
          'm',
        ).exec(text)?.[1],
    )
    return all !== undefined && all === idle
  })
})
