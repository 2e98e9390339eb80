/** Errors during an export: no client takes an incomplete file for a complete one, and the service continues. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, afterEach, before, test } from 'node:test'
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import { fillRandomly, startExportProject } from '../../support/an-export-project.ts'
import { runningExports, terminateExport, untilBuffersFull } from '../../support/export-backends.ts'
import { exportOf, openExport, readToEnd } from '../../support/export-request.ts'
import type { TestService } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

let service: TestService
before(async () => {
  service = await startExportProject()
  // More than all buffers can hold, in every encoding.
  await fillRandomly(service, 30_000)
})
after(() => service.stop())
afterEach(async () => {
  const { status, text } = await exportOf(service, '/measurement/export?limit=1', {
    body: { $select: ['position'] },
  })
  assert.deepEqual([status, text], [200, 'position\r\n1\r\n'])
  // The response ends before the transaction of its query.
  await until('no export runs', async () => (await runningExports(service)).length === 0)
})

const aborts = () => service.observations.filter(({ kind }) => kind === 'exportAborted')

const countOf = async (outcome: string, format: string): Promise<number> => {
  const { text } = await service.ask('GET', '/api/metrics', { as: null })
  const labels = `entity="measurement",format="${format}",outcome="${outcome}"`
  return Number(
    new RegExp(`^docket_exports_total\\{${labels}\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0,
  )
}

/** Reads a little at a time, so that the buffers run empty one after the other. */
const readSlowly = async (response: IncomingMessage): Promise<void> => {
  for await (const _chunk of response) await new Promise((resolve) => setImmediate(resolve))
}

for (const format of exportFormatNames)
  for (const encoding of ['identity', 'gzip', 'zstd'])
    test(`an error after the first byte aborts the connection: ${format}, ${encoding}`, async () => {
      const [aborted, counted] = [aborts().length, await countOf('aborted', format)]
      const response = await openExport(service, `/measurement/export?format=${format}`, {
        headers: { 'Accept-Encoding': encoding },
      })
      assert.equal(response.statusCode, 200)
      await untilBuffersFull(service)
      await terminateExport(service)
      await assert.rejects(readSlowly(response), { code: 'ECONNRESET' })
      assert.equal(response.complete, false)
      await until('the abort is logged', () => aborts().length === aborted + 1)
      const abort = aborts().at(-1)
      assert.ok(abort?.kind === 'exportAborted')
      assert.deepEqual([abort.entity, abort.format], ['measurement', format])
      assert.match(String(abort.error), /terminat/)
      assert.equal(await countOf('aborted', format), counted + 1)
    })

test('an aborted export has no trailers', async () => {
  const response = await openExport(service, '/measurement/export?manifest=true')
  await untilBuffersFull(service)
  await terminateExport(service)
  await assert.rejects(readToEnd(response))
  assert.deepEqual({ ...response.trailers }, {})
})

test('an error before the first byte is an ordinary error response', async () => {
  const blocker = await service.database.pool.connect()
  try {
    await blocker.query('BEGIN; LOCK TABLE records.measurement IN ACCESS EXCLUSIVE MODE')
    const asked = exportOf(service, '/measurement/export')
    await until('the export waits', async () => (await runningExports(service)).length === 1)
    await terminateExport(service)
    const { status, headers, text } = await asked
    assert.equal(status, 503)
    assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8')
    assert.equal(headers['retry-after'], '2')
    assert.equal(headers['content-disposition'], undefined)
    assert.equal(JSON.parse(text).code, 'database.unavailable')
  } finally {
    await blocker.query('ROLLBACK')
    blocker.release()
  }
})
