/** Results of jobs and deliveries are recorded when the database is back; those that it rejects are given up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServerAway } from '../../../src/database/database-errors.ts'
import { recordResult } from '../../../src/jobs/work-queue.ts'

const away = new ServerAway('It is away.')
const rejected = new Error('It is rejected.')

/** Writes that fail with these errors one after the other, then succeed. */
const failingWith = (...errors: readonly Error[]) => {
  const left = [...errors]
  const told: unknown[] = []
  let writes = 0
  const write = async () => {
    writes += 1
    const error = left.shift()
    if (error) throw error
  }
  const start = (cut = new AbortController().signal) =>
    recordResult(write, cut, (error) => told.push(error))
  return { start, told, writes: () => writes }
}

test('a write is repeated while the database is unavailable, and the first failure alone is told', async () => {
  const { start, told, writes } = failingWith(away, away, rejected, away)
  await start()
  assert.deepEqual([writes(), told], [5, [away]])
})

test('a write that is rejected five times is given up', async () => {
  const { start, writes } = failingWith(...Array(6).fill(rejected))
  await assert.rejects(start(), rejected)
  assert.equal(writes(), 5)
})

test('no write follows the end of the process', async () => {
  const { start, writes } = failingWith(away, away)
  await assert.rejects(start(AbortSignal.abort()), away)
  assert.equal(writes(), 1)
})
