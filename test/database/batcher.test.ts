/** What is asked at the same time is asked in one statement, and nobody fails by what others asked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createBatcher } from '../../src/database/batcher.ts'
import type { Pool } from '../../src/database/pool.ts'
import { until } from '../support/wait.ts'

const database = {} as Pool

/** A run that doubles numbers when it is told to, and notes what it was asked. */
const aRun = () => {
  const runs: (readonly number[])[] = []
  const goes: (() => void)[] = []
  const run = async (items: readonly number[], given: Pool) => {
    assert.equal(given, database)
    runs.push(items)
    await new Promise<void>((resolve) => goes.push(resolve))
    if (items.includes(13)) throw new Error(`No ${items}.`)
    return items.map((item) => item * 2)
  }
  /** Waits until so many runs have begun, and lets all of them end. */
  const go = async (begun: number) => {
    await until(`${begun} runs have begun`, () => runs.length >= begun)
    for (const end of goes.splice(0)) end()
  }
  return { runs, run, go }
}

test('calls of one turn are one run, those that come meanwhile the next', async () => {
  const batcher = createBatcher(database)
  const { runs, run, go } = aRun()
  const first = [1, 2].map((item) => batcher('double', item, run))
  await turn()
  const later = [3, 4, 5].map((item) => batcher('double', item, run))
  await go(1)
  assert.deepEqual(await Promise.all(first), [2, 4])
  await go(2)
  assert.deepEqual(await Promise.all(later), [6, 8, 10])
  const last = batcher('double', 6, run)
  await go(3)
  assert.equal(await last, 12)
  assert.deepEqual(runs, [[1, 2], [3, 4, 5], [6]])
})

test('other keys do not wait, and a run has at most 32 items', async () => {
  const batcher = createBatcher(database)
  const [one, other] = [aRun(), aRun()]
  const items = Array.from({ length: 70 }, (_, index) => 100 + index)
  const answers = items.map((item) => batcher('one', item, one.run))
  const free = batcher('other', 1, other.run)
  await other.go(1)
  assert.equal(await free, 2)
  for (const begun of [1, 2, 3]) await one.go(begun)
  assert.deepEqual(
    await Promise.all(answers),
    items.map((item) => item * 2),
  )
  assert.deepEqual(
    one.runs.map(({ length }) => length),
    [32, 32, 6],
  )
})

test('where a run of several fails, each is run alone', async () => {
  const batcher = createBatcher(database)
  const { runs, run, go } = aRun()
  const answers = [7, 13, 8].map((item) => batcher('double', item, run))
  const settled = Promise.allSettled(answers)
  await go(1)
  await go(4)
  assert.deepEqual(await settled, [
    { status: 'fulfilled', value: 14 },
    { status: 'rejected', reason: new Error('No 13.') },
    { status: 'fulfilled', value: 16 },
  ])
  assert.deepEqual(runs, [[7, 13, 8], [7], [13], [8]])
})

test('an answer that is still to come holds up no next run', async () => {
  const batcher = createBatcher(database)
  const slow = Promise.withResolvers<string>()
  const run = async (items: readonly string[]) =>
    items.map((item) => (item === 'slow' ? slow.promise : item))
  const first = batcher('say', 'slow', run)
  assert.equal(await batcher('say', 'quick', run), 'quick')
  slow.reject(new Error('late'))
  await assert.rejects(first, /late/)
})

test('what takes a large part of a run shares it with less, and 1 is run alone', async () => {
  const batcher = createBatcher(database)
  const runs: (readonly string[])[] = []
  const run = async (items: readonly string[]) => {
    runs.push(items)
    return items
  }
  const sizes = { a: 0.5, b: 0.5, c: 0.01, d: 1, e: 0.9, f: 0.2, g: 7 }
  await Promise.all(Object.entries(sizes).map(([item, size]) => batcher('any', item, run, size)))
  assert.deepEqual(runs, [['a', 'b'], ['c'], ['d'], ['e'], ['f'], ['g']])
})
