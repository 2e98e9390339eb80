/** Jobs run, fail, are retried and become dead; runners share them and stop without losing any. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { handleJob, type JobKind, jobKind } from '../../../src/jobs/job.ts'
import { countJobs } from '../../../src/jobs/job-store.ts'
import { emptyJobsDatabase, shareJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { startRunner } from '../../support/jobs/a-runner.ts'
import {
  addJob,
  addNotes,
  fail,
  hold,
  note,
  testHandlers,
  traces as tracesIn,
} from '../../support/test-jobs.ts'
import { until, within } from '../../support/wait.ts'

const database = await shareJobsDatabase()
const { pool } = database
beforeEach(() => emptyJobsDatabase(database))

const add = <Payload extends object>(
  kind: JobKind<Payload>,
  payload: Payload,
  options: Parameters<typeof addJob>[3] = {},
) => addJob(pool, kind, payload, options)
/** Adds jobs that wait until they are released. */
const addHeld = async (names: readonly string[]) => {
  for (const name of names) await add(hold, { name })
}
const release = async (...names: string[]) => {
  for (const name of names) await pool.query('INSERT INTO test_gate VALUES ($1)', [name])
}
const traces = () => tracesIn(pool)
const untilTraced = (...expected: string[]) =>
  until(`${expected} is traced`, async () => {
    const found = await traces()
    return expected.every((one) => found.includes(one))
  })
const untilCounted = (status: 'dead' | 'failing' | 'waiting', count: number) =>
  until(`${count} jobs are ${status}`, async () => (await countJobs(pool))[status] === count)
const jobs = 'docket.job'
const rowOf = async (id: number) =>
  (await pool.query(`SELECT status, tries, last_error FROM ${jobs} WHERE id = ${id}`)).rows[0]
const runNow = (id: number) => pool.query(`UPDATE ${jobs} SET due_at = now() WHERE id = ${id}`)
const untilRemoved = (id: number) =>
  until('the job is removed', async () => (await rowOf(id)) === undefined)

describe('a runner', () => {
  const received: unknown[] = []
  const receiving = handleJob(
    jobKind<{ deep: { text: string } }>('test.received'),
    async (payload, { signal, ...context }) => {
      received.push(payload, context, signal.aborted)
    },
  )
  const throwing = handleJob(jobKind<object>('test.throwing'), () => {
    throw 'just text'
  })
  let runner: Awaited<ReturnType<typeof startRunner>>
  before(async () => {
    const handlers = [...testHandlers(pool), receiving, throwing]
    runner = await startRunner(database, { handlers })
  })
  after(() => runner.stop())

  test('gives a handler the payload and the attempt, and removes a job that is done', async () => {
    const payload = { deep: { text: '"quoted" ü \u{1f600}' } }
    const id = await add(jobKind('test.received'), payload, { maxTries: 7 })
    await untilRemoved(id)
    assert.deepEqual(received, [payload, { jobId: String(id), attempt: 1, of: 7 }, false])
    const isReported = () => runner.of('jobDone').find(({ jobId }) => jobId === String(id))
    assert.equal((await until('it is reported', isReported)).task, 'test.received')
  })

  test('lets a job of a kind without a handler wait', async () => {
    const unknown = await add(jobKind('test.elsewhere'), {})
    await untilRemoved(await add(note, { name: 'known' }))
    assert.equal((await rowOf(unknown)).tries, 0)
  })

  test('lets a job that fails wait, and the job succeeds when its cause is corrected', async () => {
    const id = await add(fail, { name: 'corrected', message: 'not yet' })
    // It waits for a few seconds only: on a busy machine it may fail more than once before this.
    const attempts = await until('it waits after an error', async () => {
      const { rows } = await pool.query<{ tries: number }>(
        `UPDATE ${jobs} SET due_at = now() + interval '1 hour'
         WHERE id = $1 AND last_error = 'not yet' AND status = 'failed' AND due_at > now()
         RETURNING tries`,
        [id],
      )
      return rows[0]?.tries
    })
    assert.deepEqual(await traces(), Array(attempts).fill('corrected tried'))
    assert.deepEqual((await countJobs(pool)).failing, 1)
    await release('corrected')
    await runNow(id)
    await untilRemoved(id)
    assert.deepEqual(await traces(), Array(attempts + 1).fill('corrected tried'))
  })

  test('keeps a job dead after its last attempt, and each failure is observed', async () => {
    const id = await add(fail, { name: 'dying', message: 'it failed' }, { maxTries: 2 })
    await untilCounted('failing', 1)
    await runNow(id)
    await untilCounted('dead', 1)
    const failures = [...runner.of('jobFailed'), ...runner.of('jobDead')]
      .filter(({ jobId }) => jobId === String(id))
      .map(({ kind, task, attempt, of, error }) => ({ kind, task, attempt, of, error }))
    const common = { task: 'test.fail', of: 2, error: new Error('it failed') }
    assert.deepEqual(failures, [
      { kind: 'jobFailed', ...common, attempt: 1 },
      { kind: 'jobDead', ...common, attempt: 2 },
    ])
    assert.ok(!runner.of('jobDone').some(({ jobId }) => jobId === String(id)))
  })

  test('stores one short line of an error, whatever a handler throws', async () => {
    const failing = (message: string) => add(fail, { name: 'failing', message }, { maxTries: 1 })
    const expected = new Map([
      [await failing('the first\n    at stack (file.ts:1)\r\nlast'), 'the first'],
      [await failing('x'.repeat(5000)), 'x'.repeat(1000)],
      // What PostgreSQL cannot hold.
      [await failing('nul \0, half \ud83d'), 'nul , half \ufffd'],
      [await failing(''), 'No message.'],
      [await add(jobKind('test.throwing'), {}, { maxTries: 1 }), 'just text'],
    ])
    await untilCounted('dead', expected.size)
    for (const [id, kept] of expected) assert.equal((await rowOf(id)).last_error, kept)
  })

  test('finds jobs that were not signalled, and runs them at the same time', async () => {
    const names = ['quiet 1', 'quiet 2', 'quiet 3']
    for (const name of names)
      await pool.query(`SELECT docket.add_job('test.hold', $1::json)`, [JSON.stringify({ name })])
    // All three are held at the same time.
    await untilTraced(...names.map((name) => `${name} begun`))
    await release(...names)
    await untilTraced(...names.map((name) => `${name} ended`))
  })
})

test('a runner runs at most as many jobs concurrently as it is configured for', async () => {
  const runner = await startRunner(database, { atOnce: 2 })
  const names = ['one', 'two', 'three']
  await addHeld(names)
  await until('two run', async () => (await traces()).length === 2)
  const { running, waiting } = await countJobs(pool)
  assert.deepEqual({ running, waiting }, { running: 2, waiting: 1 })
  await release(...names)
  await until('all have ended', async () => (await traces()).length === 6)
  await runner.stop()
})

test('two runners share the work, and no job runs twice', async () => {
  const runners = await Promise.all([1, 2].map(() => startRunner(database, { atOnce: 1 })))
  await addHeld(['left', 'right'])
  // Each runner takes one job at a time, so both of them run one.
  await untilTraced('left begun', 'right begun')
  await release('left', 'right')
  await addNotes(pool, 'shared ', 50)
  await untilCounted('waiting', 0)
  for (const runner of runners) await runner.stop()
  const noted = (await traces()).filter((trace) => trace.endsWith('noted'))
  const done = runners.reduce((sum, runner) => sum + runner.of('jobDone').length, 0)
  assert.deepEqual([noted.length, new Set(noted).size, done], [50, 50, 52])
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
  assert.partialDeepStrictEqual(await rowOf(waiting), { status: 'queued', tries: 0 })
  assert.deepEqual(await traces(), ['running begun', 'running ended'])
})

test('a job that exceeds the grace time is aborted and taken by another runner immediately', async () => {
  const kind = jobKind<{ name: string }>('test.endless')
  const [aborted, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
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
  const unfinished = runner.of('workerStopped').map((one) => one.unfinished)
  assert.deepEqual([unfinished, other.of('jobDone').length], [[1], 1])
  await other.stop()
})
