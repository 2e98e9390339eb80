/** Items of a source are worked on as they come, a few at the same time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { forEachOf } from '../../../src/notify/for-each-of.ts'

test('at most so many are worked on, and no further item is taken meanwhile', async () => {
  let [taken, done, running, most, ahead] = [0, 0, 0, 0, 0]
  async function* source() {
    for (; taken < 10; taken++) yield taken
  }
  await forEachOf(source(), 2, async () => {
    running++
    most = Math.max(most, running)
    ahead = Math.max(ahead, taken - done)
    await delay(2)
    running--
    done++
  })
  assert.deepEqual([taken, done, running, most, ahead], [10, 10, 0, 2, 1])
})

test('after an error nothing is begun, and what is running ends first', async () => {
  const ended: number[] = []
  let isClosed = false
  async function* source() {
    try {
      for (let item = 1; ; item++) yield item
    } finally {
      isClosed = true
    }
  }
  const done = forEachOf(source(), 2, async (item) => {
    if (item === 2) throw new Error('the second')
    await delay(20)
    ended.push(item)
  })
  await assert.rejects(done, /the second/)
  assert.deepEqual([ended, isClosed], [[1], true])
})

test('an error of the source is thrown when all work has ended', async () => {
  const ended: number[] = []
  async function* source() {
    yield 1
    throw new Error('the source')
  }
  const work = async (item: number) => {
    await delay(20)
    ended.push(item)
  }
  await assert.rejects(forEachOf(source(), 2, work), /the source/)
  assert.deepEqual(ended, [1])
})
