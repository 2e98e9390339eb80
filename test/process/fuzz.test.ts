/** A short run of the fuzzer: no server errors and no undocumented responses. `test/long/fuzz` has the long one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFuzz } from '../support/fuzz/run-fuzz.ts'

test('random requests get responses that the OpenAPI document describes', async () => {
  const report = await runFuzz({
    seed: 2027,
    requests: 300,
    concurrency: 2,
    note: () => undefined,
  })
  assert.deepEqual(report.findings, [])
  assert.equal(report.requests, 300)
  for (const status of [200, 201, 400, 401, 403, 404])
    assert.ok((report.statuses[status] ?? 0) > 0, `no response has the status ${status}`)
})
