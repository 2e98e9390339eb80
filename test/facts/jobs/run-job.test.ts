/** A process runs a job once, also when it gets it again because its result could not be stored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobHelpers } from 'graphile-worker'
import { taskOf } from '../../../src/jobs/run-job.ts'
import type { Observation } from '../../../src/observations.ts'

const createTask = () => {
  const begun: PromiseWithResolvers<void>[] = []
  const observed: Observation[] = []
  const state = {
    observe: (observation: Observation) => void observed.push(observation),
    signal: new AbortController().signal,
    running: new Map<string, Promise<void>>(),
    done: new Set<string>(),
  }
  const handler = {
    name: 'test.run',
    run: () => {
      const run = Promise.withResolvers<void>()
      begun.push(run)
      return run.promise
    },
  }
  const task = taskOf(handler, state)
  const receive = async (id: string, attempts: number) => {
    const job = { id, attempts, max_attempts: 25 }
    await task('{}', { job } as unknown as JobHelpers)
  }
  return { begun, observed, state, receive }
}

test('a job that is received again while it runs, or after it has ended, is run once', async () => {
  const { begun, observed, state, receive } = createTask()
  const received = [receive('1', 1), receive('1', 2)]
  begun[0]?.resolve()
  await Promise.all(received)
  const again = receive('1', 3)
  begun[1]?.resolve()
  await again
  assert.equal(begun.length, 1)
  assert.deepEqual(new Set(observed.map(({ kind }) => kind)), new Set(['jobDone']))
  assert.deepEqual([observed.length, state.running.size], [3, 0])
})

test('a job that failed is run again', async () => {
  const { begun, receive } = createTask()
  const failing = receive('1', 1)
  begun[0]?.reject(new Error('no'))
  await assert.rejects(failing, /no/)
  const again = receive('1', 2)
  begun[1]?.resolve()
  await again
  assert.equal(begun.length, 2)
})

test('only the 1,000 latest ended jobs are remembered', async () => {
  const { begun, state, receive } = createTask()
  for (let id = 0; id < 1_500; id++) {
    const job = receive(String(id), 1)
    begun.at(-1)?.resolve()
    await job
  }
  assert.equal(state.done.size, 1_000)
  assert.ok(!state.done.has('0') && state.done.has('1499'))
})
