/** "A client that goes away ends the query at once", whatever PostgreSQL is doing for it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exportFormatNames } from '../../src/export/export-formats.ts'
import { fillRandomly, startExportProject } from '../support/an-export-project.ts'
import { runningExports, untilBuffersFull } from '../support/export-backends.ts'
import { openExport } from '../support/export-request.ts'
import type { TestService } from '../support/service.ts'
import { until } from '../support/wait.ts'

let service: TestService
before(async () => {
  service = await startExportProject()
  // By the index of the ids, so that a first record comes before all others are looked at.
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

const toldOf = (kind: string) => service.observations.filter((one) => one.kind === kind).length

/** The query ends, and the log and the metric call it a leave and no error. */
const untilLeft = async (leave: () => void): Promise<void> => {
  const [left, aborted, failed] = ['exportLeft', 'exportAborted', 'requestFailed'].map(toldOf)
  leave()
  await until('no export runs', async () => (await runningExports(service)).length === 0)
  await until('the leave is told', () => toldOf('exportLeft') === (left ?? 0) + 1)
  assert.deepEqual([toldOf('exportAborted'), toldOf('requestFailed')], [aborted, failed])
}

// Many slow comparisons with a long text per record: unless it is ended, the query outlasts the test.
const slow = {
  $or: Array.from({ length: 50 }, (_, index) => ({ filler: { $ilike: `%zzz${index}%` } })),
}

const leaveBeforeAnswer = async (path: string, body: object): Promise<void> => {
  const leaving = new AbortController()
  const asked = fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await service.tokenOf()}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify(body),
    signal: leaving.signal,
  })
  const failed = assert.rejects(asked, { name: 'AbortError' })
  await until('the export runs', async () => (await runningExports(service)).length === 1)
  await untilLeft(() => leaving.abort())
  await failed
}

test('while it looks for the first record', () =>
  leaveBeforeAnswer('/measurement/export', { $where: slow, $orderBy: ['-filler'] }))

test('while it looks for cells that xlsx cannot hold', () =>
  leaveBeforeAnswer('/measurement/export?format=xlsx', { $where: slow }))

for (const format of exportFormatNames)
  test(`in a long silence between two records (${format})`, async () => {
    const response = await openExport(service, `/measurement/export?format=${format}`, {
      body: { $select: ['position'], $where: { $or: [{ position: { $lte: 3000 } }, slow] } },
    })
    response.on('error', () => undefined).resume()
    assert.equal((await runningExports(service)).length, 1)
    await untilLeft(() => response.destroy())
  })

test('while it waits for a client that does not read', async () => {
  const response = await openExport(service, '/measurement/export')
  response.on('error', () => undefined)
  await untilBuffersFull(service)
  await untilLeft(() => response.destroy())
})

test('at any moment: after a hundred leaves no connection is missing from the pool', async () => {
  const token = await service.tokenOf()
  const left = toldOf('exportLeft')
  for (let turn = 0; turn < 100; turn++) {
    const leaving = new AbortController()
    const asked = fetch(`${service.url}/measurement/export`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      signal: leaving.signal,
    })
    // Whether it left in time does not matter: some of the hundred do, at every moment there is.
    const ended = asked.then((response) => response.text()).catch(() => undefined)
    setTimeout(() => leaving.abort(), (turn % 25) / 3)
    await ended
  }
  assert.ok(toldOf('exportLeft') > left)
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
