/**
 * A long run of the fuzzer: no server errors, no undocumented responses, no growing memory. `npm run fuzz` is the same
 * with a random seed, for any time.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFuzz } from '../../support/fuzz/run-fuzz.ts'

const requests = 100_000

test('random requests get responses that the OpenAPI document describes', async (t) => {
  const report = await runFuzz({
    seed: 2026,
    requests,
    concurrency: 4,
    note: (line) => t.diagnostic(line),
  })
  assert.deepEqual(report.findings, [])
  assert.equal(report.requests, requests)
})
