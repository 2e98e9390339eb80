/** 50 writers of lines and parcels against the action that locks these, a thousand times; `npm test` has a few rounds of it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startLocking, writeWhileSubmitted } from '../../support/records/a-locking-project.ts'

const service = await startLocking()
after(() => service.stop())

test('no submitted order has another total than it was submitted with', async () => {
  for (let round = 0; round < 1000; round++) {
    const { late, submitted, total } = await writeWhileSubmitted(service, 50)
    assert.deepEqual([late, total], [0, submitted], `round ${round}`)
  }
})
