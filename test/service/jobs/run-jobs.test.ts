/** Jobs run, fail, are retried and become dead; runners share them and stop without losing any. */
import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { handleJob, type JobKind, jobKind } from '../../../src/jobs/job.ts'
import { countJobs } from '../../../src/jobs/job-store.ts'
import type { TestDatabase } from '../../support/database.ts'
import { emptyJobsDatabase, shareJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { startRunner } from '../../support/jobs/a-runner.ts'
import { addJob, addNotes, fail, hold, note, testHandlers } from '../../support/test-jobs.ts'
import { until, within } from '../../support/wait.ts'

let database: TestDatabase
before(async () => {
  database = await shareJobsDatabase()
})
beforeEach(() => emptyJobsDatabase(database))

const add = <Payload extends object>(
  kind: JobKind<Payload>,
  payload: Payload,
  options: Parameters<typeof addJob>[3] = {},
) => addJob(database.pool, kind, payload, options)
const release = (name: string) => database.pool.query('INSERT INTO test_gate VALUES ($1)', [name])
const traces = async (): Promise<string[]> =>
  (await database.pool.query('SELECT name, event FROM test_run ORDER BY id')).rows.map(
    ({ name, event }) => `${name} ${event}`,
  )
const untilTraced = (trace: string) => until(async () => (await traces()).includes(trace))
const rowOf = async (id: number) =>
  (
    await database.pool.query(
      'SELECT attempts, last_error, locked_by FROM graphile_worker._private_jobs WHERE id = $1',
      [id],
    )
  ).rows[0]
/** Postpones the next attempt of a job that waits after an error; returns the number of attempts. */
const postpone = async (id: number): Promise<number | undefined> =>
  (
    await database.pool.query(
      `UPDATE graphile_worker._private_jobs SET run_at = now() + interval '1 hour'
       WHERE id = $1 AND last_error = 'not yet' AND locked_by IS NULL AND run_at > now()
       RETURNING attempts`,
      [id],
    )
  ).rows[0]?.attempts
const untilRemoved = (id: number) => until(async () => (await rowOf(id)) === undefined)

test('a handler gets the payload and the attempt, and a job that is done is removed', async () => {
  const kind = jobKind<{ deep: { text: string } }>('test.received')
  const received: unknown[] = []
  const handler = handleJob(kind, async (payload, { signal, ...context }) => {
    received.push(payload, context, signal.aborted)
  })
  const runner = await startRunner(database, { handlers: [handler] })
  const payload = { deep: { text: '"quoted" ü \u{1f600}' } }
  const id = await add(kind, payload, { maxAttempts: 7 })
  await untilRemoved(id)
  assert.deepEqual(received, [payload, { jobId: String(id), attempt: 1, of: 7 }, false])
  assert.deepEqual(
    runner.of('jobDone').map(({ jobId, task }) => [jobId, task]),
    [[String(id), 'test.received']],
  )
  await runner.stop()
})

test('a job of a kind without a handler waits', async () => {
  const runner = await startRunner(database)
  const unknown = await add(jobKind('test.elsewhere'), {})
  await untilRemoved(await add(note, { name: 'known' }))
  assert.equal((await rowOf(unknown)).attempts, 0)
  await runner.stop()
})

test('a job that fails waits and succeeds when its cause is corrected', async () => {
  const runner = await startRunner(database)
  const id = await add(fail, { name: 'corrected', message: 'not yet' })
  // It waits for a few seconds only: on a busy machine it may fail more than once before this.
  const attempts = await until('it waits after an error', () => postpone(id))
  assert.deepEqual(await traces(), Array(attempts).fill('corrected tried'))
  assert.deepEqual((await countJobs(database.pool)).failing, 1)
  await release('corrected')
  await database.pool.query(
    'UPDATE graphile_worker._private_jobs SET run_at = now() WHERE id = $1',
    [id],
  )
  await untilRemoved(id)
  assert.deepEqual(await traces(), Array(attempts + 1).fill('corrected tried'))
  await runner.stop()
})

test('a job is dead and kept after its last attempt, and each failure is observed', async () => {
  const runner = await startRunner(database)
  const payload = { name: 'dying', message: 'it failed' }
  const id = await add(fail, payload, { maxAttempts: 2 })
  await until(async () => (await countJobs(database.pool)).dead === 1)
  const failures = [...runner.of('jobFailed'), ...runner.of('jobDead')].map(
    ({ kind, jobId, task, attempt, of, error }) => ({ kind, jobId, task, attempt, of, error }),
  )
  const error = new Error('it failed')
  const common = { jobId: String(id), task: 'test.fail', of: 2, error }
  assert.deepEqual(failures, [
    { kind: 'jobFailed', ...common, attempt: 1 },
    { kind: 'jobDead', ...common, attempt: 2 },
  ])
  assert.deepEqual(runner.of('jobDone'), [])
  await runner.stop()
})

test('one short line of an error is stored, whatever a handler throws', async () => {
  const kind = jobKind<object>('test.throwing')
  const throwing = handleJob(kind, () => {
    throw 'just text'
  })
  const handlers = [...testHandlers(database.pool), throwing]
  const runner = await startRunner(database, { handlers })
  const failing = (message: string) => add(fail, { name: 'failing', message }, { maxAttempts: 1 })
  const expected = new Map([
    [await failing('the first\n    at stack (file.ts:1)\r\nlast'), 'the first'],
    [await failing('x'.repeat(5000)), 'x'.repeat(1000)],
    // What PostgreSQL cannot hold.
    [await failing('nul \0, half \ud83d'), 'nul , half \ufffd'],
    [await failing(''), 'No message.'],
    [await add(kind, {}, { maxAttempts: 1 }), 'just text'],
  ])
  await until(async () => (await countJobs(database.pool)).dead === expected.size)
  for (const [id, kept] of expected) assert.equal((await rowOf(id)).last_error, kept)
  await runner.stop()
})

test('a runner runs at most as many jobs concurrently as it is configured for', async () => {
  const runner = await startRunner(database, { atOnce: 2 })
  const names = ['one', 'two', 'three']
  for (const name of names) await add(hold, { name })
  await until(async () => (await traces()).length === 2)
  const { running, waiting } = await countJobs(database.pool)
  assert.deepEqual({ running, waiting }, { running: 2, waiting: 1 })
  for (const name of names) await release(name)
  await until(async () => (await traces()).length === 6)
  await runner.stop()
})

test('jobs that were not signalled are found by one worker, and then run on all', async () => {
  const runner = await startRunner(database, { atOnce: 3 })
  const names = ['quiet 1', 'quiet 2', 'quiet 3']
  for (const name of names)
    await database.pool.query(`SELECT docket.add_job('test.hold', $1::json)`, [
      JSON.stringify({ name }),
    ])
  // All three are held at the same time.
  for (const name of names) await untilTraced(`${name} begun`)
  for (const name of names) await release(name)
  for (const name of names) await untilTraced(`${name} ended`)
  await runner.stop()
})

test('jobs of one queue run one at a time', async () => {
  const runner = await startRunner(database)
  const names = ['first', 'second', 'third']
  for (const name of names) {
    await release(name)
    await add(hold, { name }, { queueName: 'serial' })
  }
  await until(async () => (await traces()).length === 6)
  assert.deepEqual(
    await traces(),
    names.flatMap((name) => [`${name} begun`, `${name} ended`]),
  )
  await runner.stop()
})

test('two runners share the work, and no job runs twice', async () => {
  const runners = await Promise.all([1, 2].map(() => startRunner(database, { atOnce: 1 })))
  for (const name of ['left', 'right']) await add(hold, { name })
  // Each runner takes one job at a time, so both of them run one.
  await until(async () => (await traces()).length === 2)
  for (const name of ['left', 'right']) await release(name)
  await addNotes(database.pool, 'shared ', 100)
  await until(async () => (await countJobs(database.pool)).waiting === 0)
  for (const runner of runners) await runner.stop()
  const noted = (await traces()).filter((trace) => trace.endsWith('noted'))
  assert.equal(noted.length, 100)
  assert.equal(new Set(noted).size, 100)
  const done = runners.map((runner) => runner.of('jobDone').length)
  assert.equal(
    done.reduce((sum, one) => sum + one, 0),
    102,
  )
})

test('a runner that stops finishes running jobs and leaves waiting jobs', async () => {
  const runner = await startRunner(database, { atOnce: 1 })
  const running = await add(hold, { name: 'running' })
  await untilTraced('running begun')
  const waiting = await add(note, { name: 'later' })
  const stopped = runner.stop()
  await release('running')
  assert.equal(await stopped, 0)
  assert.equal(await rowOf(running), undefined)
  const { attempts, locked_by } = await rowOf(waiting)
  assert.deepEqual({ attempts, locked_by }, { attempts: 0, locked_by: null })
  assert.deepEqual(await traces(), ['running begun', 'running ended'])
  const workers = await database.pool.query('SELECT id FROM docket.worker')
  assert.deepEqual(workers.rows, [])
})

test('a job that exceeds the grace time is aborted and taken by another runner immediately', async () => {
  const kind = jobKind<{ name: string }>('test.endless')
  const aborted = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const handler = handleJob(kind, async (_payload, { signal }) => {
    begun.resolve()
    signal.addEventListener('abort', () => aborted.resolve())
    await new Promise(() => undefined)
  })
  const runner = await startRunner(database, { handlers: [handler], graceMs: 50 })
  const id = await add(kind, { name: 'endless' })
  await within('the job has begun', begun.promise)
  const other = await startRunner(database, { handlers: [handleJob(kind, async () => undefined)] })
  assert.equal(await runner.stop(), 1)
  await within('the job is aborted', aborted.promise)
  await untilRemoved(id)
  assert.deepEqual(
    runner.of('workerStopped').map(({ unfinished }) => unfinished),
    [1],
  )
  assert.deepEqual(other.of('jobDone').length, 1)
  await other.stop()
})
