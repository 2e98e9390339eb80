/** A short run of the fuzzer: no server errors and no undocumented responses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../support/fuzz/random.ts'
import { createMemory } from './memory.ts'
import { runFuzz } from './run-fuzz.ts'

test('1,000 random requests get responses that the OpenAPI document describes', async (t) => {
  const lines: string[] = []
  const report = await runFuzz({
    ...{ seed: 2026, requests: 1000, minutes: 2, concurrency: 2 },
    note: (line) => lines.push(line),
  })
  t.diagnostic(JSON.stringify({ ...report, findings: report.findings.length }))
  assert.deepEqual(report.findings, [])
  assert.ok(report.requests >= 500, `${report.requests} requests`)
  for (const status of [200, 201, 400, 401, 403, 404])
    assert.ok((report.statuses[status] ?? 0) > 0, `no response has the status ${status}`)
})

test('the same seed gives the same numbers', () => {
  const [one, other] = [createRandom(7), createRandom(7)]
  const [first, second] = [one, other].map((random) =>
    Array.from({ length: 1000 }, () => random.below(1000)),
  )
  assert.deepEqual(first, second)
  assert.ok(new Set(first).size > 500)
})

test('the memory finds values of responses by the name of a parameter', () => {
  const memory = createMemory(['name'])
  memory.learn({ data: [{ id: 7, name: 'x' }] })
  assert.equal(memory.known('entityId', createRandom(1)), 7)
  assert.equal(memory.known('nothing', createRandom(1)), undefined)
})
