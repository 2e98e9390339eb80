/** A short run of the fuzzer: no server errors and no undocumented responses. `test/long/fuzz` has the long one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemory } from '../support/fuzz/memory.ts'
import { createRandom } from '../support/fuzz/random.ts'
import { runFuzz } from '../support/fuzz/run-fuzz.ts'

test('random requests get responses that the OpenAPI document describes', async () => {
  const report = await runFuzz({
    ...{ seed: 2026, requests: 300, concurrency: 2 },
    note: () => undefined,
  })
  assert.deepEqual(report.findings, [])
  assert.equal(report.requests, 300)
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
