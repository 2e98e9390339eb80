/** Simultaneous calls share one statement, and no call fails because of another's item. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createBatcher } from '../../../src/database/batcher.ts'
import type { Pool } from '../../../src/database/pool.ts'
import { until } from '../../support/wait.ts'

const database = {} as Pool

/** A `run` that records its items and doubles them once `finish` is called. */
const aRun = () => {
  const runs: (readonly number[])[] = []
  const pending: (() => void)[] = []
  const run = async (items: readonly number[], given: Pool) => {
    assert.equal(given, database)
    runs.push(items)
    await new Promise<void>((resolve) => pending.push(resolve))
    if (items.includes(13)) throw new Error(`No ${items}.`)
    return items.map((item) => item * 2)
  }
  /** Waits until so many runs have begun, and lets all of them finish. */
  const finish = async (begun: number) => {
    await until(`${begun} runs have begun`, () => runs.length >= begun)
    for (const resolve of pending.splice(0)) resolve()
  }
  return { runs, run, finish }
}

test('calls in one turn of the event loop form one run, and calls during a run form the next', async () => {
  const batcher = createBatcher(database)
  const { runs, run, finish } = aRun()
  const first = [1, 2].map((item) => batcher('double', item, run))
  await nextTurn()
  const later = [3, 4, 5].map((item) => batcher('double', item, run))
  await finish(1)
  assert.deepEqual(await Promise.all(first), [2, 4])
  await finish(2)
  assert.deepEqual(await Promise.all(later), [6, 8, 10])
  const last = batcher('double', 6, run)
  await finish(3)
  assert.equal(await last, 12)
  assert.deepEqual(runs, [[1, 2], [3, 4, 5], [6]])
})

test('keys are batched independently, and a run has at most 32 items', async () => {
  const batcher = createBatcher(database)
  const [one, other] = [aRun(), aRun()]
  const items = Array.from({ length: 70 }, (_, index) => 100 + index)
  const answers = items.map((item) => batcher('one', item, one.run))
  const independent = batcher('other', 1, other.run)
  await other.finish(1)
  assert.equal(await independent, 2)
  for (const begun of [1, 2, 3]) await one.finish(begun)
  assert.deepEqual(
    await Promise.all(answers),
    items.map((item) => item * 2),
  )
  assert.deepEqual(
    one.runs.map(({ length }) => length),
    [32, 32, 6],
  )
})

test('when a run of several items fails, each item is run alone', async () => {
  const batcher = createBatcher(database)
  const { runs, run, finish } = aRun()
  const answers = [7, 13, 8].map((item) => batcher('double', item, run))
  const settled = Promise.allSettled(answers)
  await finish(1)
  await finish(4)
  assert.deepEqual(await settled, [
    { status: 'fulfilled', value: 14 },
    { status: 'rejected', reason: new Error('No 13.') },
    { status: 'fulfilled', value: 16 },
  ])
  assert.deepEqual(runs, [[7, 13, 8], [7], [13], [8]])
})
