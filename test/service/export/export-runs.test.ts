/** How exports ended, for clients that see no trailers. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { removeEndedRows } from '../../../src/database/old-rows.ts'
import {
  emailOf,
  emptyTables,
  exportProject,
  fillMeasurements,
  fillRandomly,
  insertRecords,
  shareExports,
} from '../../support/an-export-project.ts'
import { terminateExport, untilBuffersFull } from '../../support/export-backends.ts'
import { exportOf, openExport, readToEnd } from '../../support/export-request.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const service = await shareExports()
before(async () => {
  await emptyTables(service, 'measurement')
  await fillMeasurements(service, 5_000, 100)
})

const runOf = (id: unknown, as?: string, from: Pick<TestService, 'ask'> = service) =>
  from.ask('GET', `/api/exports/${String(id)}`, { as })

/** The run once it no longer runs: its end is written after the last byte. */
const endOf = async (id: unknown) => {
  let run: Awaited<ReturnType<typeof runOf>> | undefined
  await until('the end of the export is written', async () => {
    run = await runOf(id)
    return run.status === 200 && run.json().state !== 'running'
  })
  return run?.json()
}
const digestOf = (bytes: Buffer) => `sha-256=${createHash('sha256').update(bytes).digest('base64')}`

test('rows, bytes and digest are those of the file, also when it was compressed; without manifest=true there is no digest', async () => {
  for (const encoding of ['identity', 'gzip']) {
    const { headers, bytes } = await exportOf(service, '/measurement/export?manifest=true', {
      headers: { 'Accept-Encoding': encoding },
    })
    const run = await endOf(headers['x-request-id'])
    const file = encoding === 'gzip' ? gunzipSync(bytes) : bytes
    const { begun_at, updated_at, ...rest } = run
    assert.deepEqual(rest, {
      request_id: headers['x-request-id'],
      entity_key: 'measurement',
      format: 'csv',
      state: 'ended',
      rows: 5000,
      bytes: bytes.length,
      digest: digestOf(file),
    })
    assert.ok(begun_at <= updated_at)
  }
  const { headers } = await exportOf(service, '/measurement/export?format=ndjson')
  const { state, digest, format } = await endOf(headers['x-request-id'])
  assert.deepEqual([state, digest, format], ['ended', null, 'ndjson'])
})

test('only the caller who requested an export can ask for it', async () => {
  await insertRecords(service, 'item', [{ code: 'a' }])
  const { headers } = await exportOf(service, '/item/export', { as: emailOf('auditor') })
  const id = headers['x-request-id']
  await until(
    'its end is written',
    async () => (await runOf(id, emailOf('auditor'))).status === 200,
  )
  for (const as of [undefined, emailOf('reader')]) {
    const reply = await runOf(id, as)
    assert.deepEqual([reply.status, reply.json().code], [404, 'export.unknown'])
  }
  for (const other of ['none', '%00', 'a%20b', 'x'.repeat(129), "1'--"])
    assert.equal((await runOf(other)).status, 404, other)
})

test('an export that was rejected before its first byte is not listed', async () => {
  const reply = await exportOf(service, '/measurement/export', {
    body: { $where: { nothing: 1 } },
    headers: { 'X-Request-Id': 'rejected' },
  })
  assert.equal(reply.status, 400)
  assert.equal((await runOf('rejected')).status, 404)
})

test('another process shows an export that runs, and that its client has left', async () => {
  const shared = { ...service.database, drop: async () => undefined }
  const other = await startTestService(exportProject, {}, shared)
  await fillRandomly(service, 30_000)
  const response = await openExport(service, '/measurement/export', {
    headers: { 'X-Request-Id': 'left' },
  })
  const state = async () => (await runOf('left', undefined, other)).json().state
  await until('it is listed as running', async () => (await state()) === 'running')
  response.destroy()
  await until('it is listed as cancelled', async () => (await state()) === 'cancelled')
  await other.stop()
})

test('an export that breaks has failed, and so has one whose process was killed', async () => {
  const response = await openExport(service, '/measurement/export', {
    headers: { 'X-Request-Id': 'broken' },
  })
  await untilBuffersFull(service)
  await terminateExport(service)
  await assert.rejects(readToEnd(response))
  assert.equal((await endOf('broken')).state, 'failed')
  await service.database.pool.query(
    `UPDATE docket.export_run SET state = 'running', updated_at = now() - interval '31 seconds'
     WHERE request_id = 'broken'`,
  )
  assert.equal((await runOf('broken')).json().state, 'failed')
})

test('an export is forgotten an hour after its end', async () => {
  const { headers } = await exportOf(service, '/measurement/export')
  const id = headers['x-request-id']
  await endOf(id)
  await removeEndedRows(service.database.pool)
  assert.equal((await runOf(id)).status, 200)
  await service.database.pool.query(
    `UPDATE docket.export_run SET updated_at = now() - interval '61 minutes'`,
  )
  await removeEndedRows(service.database.pool)
  assert.equal((await runOf(id)).status, 404)
})
