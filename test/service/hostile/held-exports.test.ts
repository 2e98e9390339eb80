/**
 * Exports that are not read, and callers who start many: each caller has half of the slots, and an export that is not
 * read is aborted. `test/long/corpus` has clients of other kinds.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emailOf, fillRandomly, startExportProject } from '../../support/an-export-project.ts'
import { runningExports } from '../../support/export-backends.ts'
import { exportOf, openExport } from '../../support/export-request.ts'
import { until } from '../../support/wait.ts'

const service = await startExportProject({ EXPORTS_AT_ONCE: '4', EXPORT_STALL_SECONDS: '5' })
after(() => service.stop())
// More than the buffers between PostgreSQL and a client hold.
await fillRandomly(service, 20_000)

test('a caller may use half of the export slots, until exports that are not read are aborted', async () => {
  // Both threads are there before the time of a reader begins: a busy machine may take longer to start one.
  const first = Array.from({ length: 2 }, () => exportOf(service, '/measurement/export?limit=1'))
  assert.deepEqual(
    (await Promise.all(first)).map(({ status }) => status),
    [200, 200],
  )
  const held = [
    await openExport(service, '/measurement/export'),
    await openExport(service, '/measurement/export'),
  ]
  assert.deepEqual(
    held.map(({ statusCode }) => statusCode),
    [200, 200],
  )
  const rejected = await exportOf(service, '/measurement/export')
  assert.equal(rejected.status, 503)
  assert.equal(rejected.headers['retry-after'], '5')
  const { code, detail } = JSON.parse(rejected.text)
  assert.equal(code, 'request.saturated')
  assert.match(detail, /You have 2 of 4 exports running/)
  const other = await exportOf(service, '/item/export', { as: emailOf('auditor') })
  assert.equal(other.status, 200)

  await until('no export runs', async () => (await runningExports(service)).length === 0)
  for (const response of held) {
    const aborted = new Promise<Error>((resolve) => response.once('error', resolve))
    response.resume()
    // A reset, so that no client treats what it has as complete.
    assert.match(String(await aborted), /aborted|ECONNRESET/)
    assert.equal(response.complete, false)
  }
  const cut = service.observations.filter(({ kind }) => kind === 'exportCut')
  assert.equal(cut.length, 2)
  const { text } = await service.ask('GET', '/api/metrics', { as: null })
  assert.match(text, /docket_exports_total\{[^}]*outcome="cut"\} 2/)
  const again = await exportOf(service, '/item/export')
  assert.equal(again.status, 200)
})
