/** The worker thread is replaced when it ends by itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Observation } from '../../../src/observations.ts'
import { keepRunning, type RunningThread } from '../../../src/runtime/start-worker-thread.ts'
import { until } from '../../support/wait.ts'

const open = () => {
  const threads: PromiseWithResolvers<unknown>[] = []
  const stopped: number[] = []
  const observed: Observation[] = []
  const run = (): RunningThread => {
    const ended = Promise.withResolvers<unknown>()
    const number = threads.push(ended)
    const stop = async () => {
      stopped.push(number)
      ended.resolve(undefined)
      return number
    }
    return { started: Promise.resolve(), ended: ended.promise, stop }
  }
  return { threads, stopped, observed, run, observe: (one: Observation) => void observed.push(one) }
}

test('a thread that ends is reported and replaced, and stopping stops the new one', async () => {
  const { threads, stopped, observed, run, observe } = open()
  const worker = await keepRunning(run, observe)
  threads[0]?.resolve(new Error('out of memory'))
  await until('another one runs', () => threads.length === 2)
  assert.equal(await worker.stop(), 2)
  assert.deepEqual([stopped, observed.map(({ kind }) => kind)], [[2], ['workerInterrupted']])
})

test('after a stop it is not replaced', async () => {
  const { threads, run, observe } = open()
  const worker = await keepRunning(run, observe)
  assert.equal(await worker.stop(), 1)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.equal(threads.length, 1)
})

test('an error that prevents the first start is thrown', async () => {
  const refused = async () => {
    throw new Error('no project')
  }
  const thread = { ended: Promise.resolve(), stop: async () => 0 }
  const run = (): RunningThread => ({ ...thread, started: refused() })
  await assert.rejects(
    keepRunning(run, () => undefined),
    /no project/,
  )
})
