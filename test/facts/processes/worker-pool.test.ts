/** The pool of worker processes: which tasks wait, which run next, and what they fail with. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { PoolWorker } from '../../../src/processes/pool-worker.ts'
import { programBeside } from '../../../src/processes/service-thread.ts'
import type { WorkerFailure } from '../../../src/processes/worker-messages.ts'
import { WorkerPool } from '../../../src/processes/worker-pool.ts'

type Limits = {
  readonly maxWaiting?: number
  readonly maxWaitingPerCaller?: number
  readonly timeoutMs?: number
  readonly maxBytes?: number
}

class TaskError extends Error {
  readonly failure: WorkerFailure
  constructor(failure: WorkerFailure) {
    super(failure.reason)
    this.failure = failure
  }
}

const mebibyte = 1_048_576
const opened: WorkerPool<string, string, never, string>[] = []
after(() => Promise.all(opened.map((pool) => pool.close())))

const open = ({ timeoutMs = 60_000, maxBytes = 512 * mebibyte, ...limits }: Limits = {}) => {
  const pool = new WorkerPool<string, string, never, string>({
    maxWorkers: 1,
    maxWaiting: 10,
    ...limits,
    startWorker: () =>
      new PoolWorker({
        process: {
          threadUrl: programBeside(import.meta.url, 'an-echo-thread').href,
          resourceLimits: {},
          memory: { counts: 'resident', maxBytes },
          environment: {},
        },
        timeoutMs,
        toRequest: (task) => task,
      }),
    toError: (failure) => new TaskError(failure),
  })
  opened.push(pool)
  return pool
}

const failureOf = async (result: Promise<string>): Promise<WorkerFailure> => {
  const error = await result.catch((reason: unknown) => reason)
  assert.ok(error instanceof TaskError, `It failed with ${error}.`)
  return error.failure
}

test('callers take turns, and the tasks of one caller run in order', async () => {
  const pool = open()
  const done: string[] = []
  const run = async (task: string, callerKey?: string) => {
    done.push(await pool.run(task, { callerKey }))
  }
  await Promise.all([
    ...['a1', 'a2', 'a3', 'a4'].map((task) => run(task, 'a')),
    ...['b1', 'b2'].map((task) => run(task, 'b')),
    run('job'),
  ])
  assert.deepEqual(done, ['a1', 'a2', 'b1', 'job', 'a3', 'b2', 'a4'])
})

test('tasks beyond the waiting limits fail immediately: the limit per caller, and the limit in total', async () => {
  const pool = open({ maxWaiting: 3, maxWaitingPerCaller: 1 })
  const running = failureOf(pool.run('never'))
  const waiting = [pool.run('1', { callerKey: 'a' }), pool.run('2'), pool.run('3')].map(failureOf)
  assert.deepEqual(await failureOf(pool.run('4', { callerKey: 'a' })), {
    reason: 'saturated',
    count: 1,
    isOfCaller: true,
  })
  assert.deepEqual(await failureOf(pool.run('5', { callerKey: 'b' })), {
    reason: 'saturated',
    count: 3,
    isOfCaller: false,
  })
  await pool.close()
  for (const end of [running, ...waiting, failureOf(pool.run('6'))])
    assert.deepEqual(await end, { reason: 'stopped' })
})

test('a signal removes a waiting task, and not a running one', async () => {
  const pool = open()
  const left = new AbortController()
  const first = pool.run('first', { signal: left.signal })
  const second = pool.run('second', { signal: left.signal })
  left.abort(new Error('left'))
  await assert.rejects(second, { message: 'left' })
  assert.equal(await first, 'first')
  await assert.rejects(pool.run('third', { signal: left.signal }), { message: 'left' })
  assert.equal(await pool.run('fourth'), 'fourth')
})

for (const [what, task, limits, failure] of [
  ['takes too long', 'never', { timeoutMs: 300 }, { reason: 'timed-out', hasStarted: false }],
  ['exits', 'exit', {}, { reason: 'thread-exited', code: 3 }],
  ['breaks its thread', 'throw', {}, { reason: 'thread-failed', message: 'broken' }],
  ['takes too much memory', 'never', { maxBytes: mebibyte }, { reason: 'out-of-memory' }],
] as const)
  test(`a task that ${what} fails with that reason`, async () => {
    const pool = open(limits)
    assert.partialDeepStrictEqual(await failureOf(pool.run(task)), failure)
  })

test('a process that has exited is replaced for the next task', async () => {
  const pool = open()
  const [failure, next] = await Promise.all([failureOf(pool.run('exit')), pool.run('next')])
  assert.equal(failure.reason, 'thread-exited')
  assert.equal(next, 'next')
  assert.equal((await failureOf(pool.run('throw'))).reason, 'thread-failed')
  assert.equal(await pool.run('last'), 'last')
})
