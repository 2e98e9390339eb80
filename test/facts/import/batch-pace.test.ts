/** How large the batches of an import are. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from '../../../src/import/batch-pace.ts'

test('batches grow and shrink until each takes about the same short time', async () => {
  let now = 0
  const pace = createPace(() => now)
  const sizes = async (msOfRow: number, most = 5000) => {
    const taken: number[] = []
    for (let batch = 0; batch < 12; batch++)
      await pace(most, async (rows) => {
        taken.push(rows)
        now += rows * msOfRow
      })
    return taken
  }
  assert.deepEqual((await sizes(0.01)).slice(0, 5), [1000, 2000, 4000, 5000, 5000])
  assert.deepEqual((await sizes(0.1)).slice(-3), [2000, 2000, 2000])
  assert.deepEqual((await sizes(100)).at(-1), 1000)
  assert.deepEqual((await sizes(0, 250)).at(-1), 250)
})
