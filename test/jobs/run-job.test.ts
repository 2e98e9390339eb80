/** A job that comes again, because its end could not be written down, is run once by a process. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobHelpers } from 'graphile-worker'
import { taskOf } from '../../src/jobs/run-job.ts'
import type { Observation } from '../../src/observations.ts'

const open = () => {
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
  const come = async (id: string, attempts: number) => {
    const job = { id, attempts, max_attempts: 25 }
    await task('{}', { job } as unknown as JobHelpers)
  }
  return { begun, observed, state, come }
}

test('one that ended before it came again is not run again', async () => {
  const { begun, observed, state, come } = open()
  const first = come('1', 1)
  begun[0]?.resolve()
  await first
  await come('1', 2)
  assert.equal(begun.length, 1)
  assert.deepEqual(
    observed.map(({ kind }) => kind),
    ['jobDone', 'jobDone'],
  )
  assert.equal(state.running.size, 0)
})

test('one that comes again while it runs is run once', async () => {
  const { begun, state, come } = open()
  const first = come('1', 1)
  const second = come('1', 2)
  begun[0]?.resolve()
  await Promise.all([first, second])
  assert.equal(begun.length, 1)
  assert.equal(state.running.size, 0)
})

test('one that failed is run again', async () => {
  const { begun, come } = open()
  const failing = come('1', 1)
  begun[0]?.reject(new Error('no'))
  await assert.rejects(failing, /no/)
  const again = come('1', 2)
  begun[1]?.resolve()
  await again
  assert.equal(begun.length, 2)
})

test('only the latest that have ended are remembered', async () => {
  const { begun, state, come } = open()
  for (let id = 0; id < 1_500; id++) {
    const job = come(String(id), 1)
    begun.at(-1)?.resolve()
    await job
  }
  assert.equal(state.done.size, 1_000)
  assert.ok(!state.done.has('0') && state.done.has('1499'))
})
