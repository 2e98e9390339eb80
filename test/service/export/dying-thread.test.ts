/** An export whose thread dies, as a client, the log and the metrics see it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { fillRandomly, startExportProject } from '../../support/an-export-project.ts'
import { runningExports, untilBuffersFull } from '../../support/export-backends.ts'
import { exportOf, openExport, readToEnd } from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const workers: Worker[] = []
process.on('worker', (worker) => workers.push(worker))

let service: TestService
before(async () => {
  service = await startExportProject()
  await fillRandomly(service, 20_000)
})
after(() => service.stop())

const killThread = () => workers.at(-1)?.terminate()

const untilNoneRuns = () =>
  until('no export runs', async () => (await runningExports(service)).length === 0)

const assertWorks = async () => {
  const { status, text } = await exportOf(service, '/measurement/export?limit=1', {
    body: { $select: ['position'] },
  })
  assert.deepEqual([status, text], [200, 'position\r\n1\r\n'])
}

test('after the first byte the connection is aborted, this is logged, and the next export works', async () => {
  const response = await openExport(service, '/measurement/export')
  assert.equal(response.statusCode, 200)
  await untilBuffersFull(service)
  await killThread()
  await assert.rejects(readToEnd(response), { code: 'ECONNRESET' })
  const abort = service.observations.find(({ kind }) => kind === 'exportAborted')
  assert.ok(abort?.kind === 'exportAborted')
  assert.match(String(abort.error), /The thread "export" ended/)
  await untilNoneRuns()
  await assertWorks()
})

test('before the first byte the response is an error of the service', async () => {
  const blocker = await service.database.pool.connect()
  try {
    await blocker.query('BEGIN; LOCK TABLE records.measurement IN ACCESS EXCLUSIVE MODE')
    const asked = exportOf(service, '/measurement/export')
    await until('the export waits', async () => (await runningExports(service)).length === 1)
    await killThread()
    const { status, headers, text } = await asked
    assert.equal(status, 500)
    assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
    assert.equal(JSON.parse(text).code, 'request.failed')
    await untilNoneRuns()
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
  await assertWorks()
})
