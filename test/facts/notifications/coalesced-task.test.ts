/** A task that runs once for all that triggers it meanwhile, and again after it has failed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCoalescedTask } from '../../../src/inbox/live/coalesced-task.ts'

test('what triggers it while it runs is one more run, and a run that says so is followed by another', async () => {
  const begun = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  let runs = 0
  const task = createCoalescedTask({
    run: async () => {
      runs += 1
      begun.resolve()
      if (runs === 1) await held.promise
      if (runs === 3) done.resolve()
      return runs === 2
    },
    onFailure: (error) => assert.fail(String(error)),
  })
  task.trigger()
  await begun.promise
  task.trigger()
  task.trigger()
  held.resolve()
  await done.promise
  await task.stop()
  assert.equal(runs, 3)
})

test('a run that fails is repeated, its failures are told once, and none begins after the stop', async () => {
  const done = Promise.withResolvers<void>()
  const told: unknown[] = []
  let runs = 0
  const task = createCoalescedTask({
    run: async () => {
      runs += 1
      if (runs < 3) throw new Error(`failure ${runs}`)
      done.resolve()
      return false
    },
    onFailure: (error) => told.push(String(error)),
  })
  task.trigger()
  await done.promise
  await task.stop()
  task.trigger()
  assert.deepEqual([runs, told], [3, ['Error: failure 1']])
})
