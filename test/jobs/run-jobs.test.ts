/** Jobs run, fail, are tried again and die; runners share them and stop without losing any. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { raw, sql } from '../../src/database/sql.ts'
import { enqueue, enqueueMany } from '../../src/jobs/enqueue.ts'
import { handleJob, jobKind } from '../../src/jobs/job.ts'
import { countJobs } from '../../src/jobs/job-store.ts'
import type { TestDatabase } from '../support/database.ts'
import { fail, hold, note, runSql } from '../support/test-jobs.ts'
import { until, within } from '../support/wait.ts'
import { createJobsDatabase } from './a-jobs-database.ts'
import { startRunner } from './a-runner.ts'

let database: TestDatabase
before(async () => {
  database = await createJobsDatabase()
})
after(() => database.drop())
beforeEach(() =>
  database.pool.query('DELETE FROM graphile_worker._private_jobs; DELETE FROM test_run'),
)

const add = (job: ReturnType<typeof enqueue>) =>
  runSql(database.pool, sql`SELECT ${job} AS id`).then(({ id }) => Number(id))
const open = (name: string) => database.pool.query('INSERT INTO test_gate VALUES ($1)', [name])
const traces = async (): Promise<string[]> =>
  (await database.pool.query('SELECT name, event FROM test_run ORDER BY id')).rows.map(
    ({ name, event }) => `${name} ${event}`,
  )
const traced = (trace: string) => until(async () => (await traces()).includes(trace))
const rowOf = async (id: number) =>
  (
    await database.pool.query(
      'SELECT attempts, last_error, locked_by, run_at > now() AS is_later FROM graphile_worker._private_jobs WHERE id = $1',
      [id],
    )
  ).rows[0]
const gone = (id: number) => until(async () => (await rowOf(id)) === undefined)

test('a job runs with its payload and knows its attempt, and is gone when it is done', async () => {
  const kind = jobKind<{ deep: { text: string } }>('test.told')
  const told: unknown[] = []
  const handler = handleJob(kind, async (payload, { signal, ...context }) => {
    told.push(payload, context, signal.aborted)
  })
  const runner = await startRunner(database, { handlers: [handler] })
  const payload = { deep: { text: '"quoted" ü \u{1f600}' } }
  const id = await add(enqueue({ kind, payload, maxAttempts: 7 }))
  await gone(id)
  assert.deepEqual(told, [payload, { jobId: String(id), attempt: 1, of: 7 }, false])
  assert.deepEqual(
    runner.of('jobDone').map(({ jobId, task }) => [jobId, task]),
    [[String(id), 'test.told']],
  )
  await runner.stop()
})

test('a job of a kind that nobody here handles waits', async () => {
  const runner = await startRunner(database)
  const unknown = await add(enqueue({ kind: jobKind('test.elsewhere'), payload: {} }))
  await gone(await add(enqueue({ kind: note, payload: { name: 'known' } })))
  assert.equal((await rowOf(unknown)).attempts, 0)
  await runner.stop()
})

test('a job that fails waits longer and longer, and works when its cause is mended', async () => {
  const runner = await startRunner(database)
  const id = await add(enqueue({ kind: fail, payload: { name: 'mended', message: 'not yet' } }))
  await until(async () => (await rowOf(id)).last_error === 'not yet')
  const { attempts, locked_by, is_later } = await rowOf(id)
  assert.deepEqual([attempts, locked_by, is_later], [1, null, true])
  assert.deepEqual((await countJobs(database.pool)).failing, 1)
  await open('mended')
  await gone(id)
  assert.deepEqual(await traces(), ['mended tried', 'mended tried'])
  await runner.stop()
})

test('after its last attempt a job is dead and stays, with each failure told', async () => {
  const runner = await startRunner(database)
  const payload = { name: 'dying', message: 'no luck' }
  const id = await add(enqueue({ kind: fail, payload, maxAttempts: 2 }))
  await until(async () => (await countJobs(database.pool)).dead === 1)
  const told = [...runner.of('jobFailed'), ...runner.of('jobDead')].map(
    ({ kind, jobId, task, attempt, of, error }) => ({ kind, jobId, task, attempt, of, error }),
  )
  const error = new Error('no luck')
  const common = { jobId: String(id), task: 'test.fail', of: 2, error }
  assert.deepEqual(told, [
    { kind: 'jobFailed', ...common, attempt: 1 },
    { kind: 'jobDead', ...common, attempt: 2 },
  ])
  assert.deepEqual(runner.of('jobDone'), [])
  await runner.stop()
})

for (const [what, message, kept] of [
  ['several lines', 'the first\n    at stack (file.ts:1)\r\nlast', 'the first'],
  ['a long line', 'x'.repeat(5000), 'x'.repeat(1000)],
  ['what PostgreSQL cannot hold', 'nul \0, half \ud83d', 'nul , half \ufffd'],
  ['no words', '', 'No message.'],
] as const)
  test(`of an error with ${what} one short line is kept`, async () => {
    const runner = await startRunner(database)
    const payload = { name: 'worded', message }
    const id = await add(enqueue({ kind: fail, payload, maxAttempts: 1 }))
    await until(async () => (await rowOf(id)).last_error !== null)
    assert.equal((await rowOf(id)).last_error, kept)
    await runner.stop()
  })

test('a handler that throws at once, or no error at all, fails its job and nothing else', async () => {
  const kind = jobKind<{ name: string }>('test.rude')
  const rude = handleJob(kind, () => {
    throw 'just text'
  })
  const runner = await startRunner(database, { handlers: [rude] })
  const id = await add(enqueue({ kind, payload: { name: 'rude' }, maxAttempts: 1 }))
  await until(async () => (await rowOf(id)).last_error === 'just text')
  await runner.stop()
})

test('no more jobs run at once than are allowed', async () => {
  const runner = await startRunner(database, { atOnce: 2 })
  const names = ['one', 'two', 'three']
  for (const name of names) await add(enqueue({ kind: hold, payload: { name } }))
  await until(async () => (await traces()).length === 2)
  const { running, waiting } = await countJobs(database.pool)
  assert.deepEqual({ running, waiting }, { running: 2, waiting: 1 })
  for (const name of names) await open(name)
  await until(async () => (await traces()).length === 6)
  await runner.stop()
})

test('jobs of one queue run one after the other', async () => {
  const runner = await startRunner(database)
  const names = ['first', 'second', 'third']
  for (const name of names) {
    await open(name)
    await add(enqueue({ kind: hold, payload: { name }, queueName: 'turns' }))
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
  for (const name of ['left', 'right']) await add(enqueue({ kind: hold, payload: { name } }))
  // Each takes one at a time, so that both of them run one.
  await until(async () => (await traces()).length === 2)
  for (const name of ['left', 'right']) await open(name)
  const rows = raw('generate_series(1, 500) i')
  const payload = raw(`json_build_object('name', 'shared ' || i)`)
  await runSql(database.pool, enqueueMany({ kind: note, payload, rows }))
  await until(async () => (await countJobs(database.pool)).waiting === 0)
  for (const runner of runners) await runner.stop()
  const noted = (await traces()).filter((trace) => trace.endsWith('noted'))
  assert.equal(noted.length, 500)
  assert.equal(new Set(noted).size, 500)
  const done = runners.map((runner) => runner.of('jobDone').length)
  assert.equal(
    done.reduce((sum, one) => sum + one, 0),
    502,
  )
})

test('a runner that stops lets running jobs end and leaves waiting ones', async () => {
  const runner = await startRunner(database, { atOnce: 1 })
  const running = await add(enqueue({ kind: hold, payload: { name: 'patient' } }))
  await traced('patient begun')
  const waiting = await add(enqueue({ kind: note, payload: { name: 'later' } }))
  const stopped = runner.stop()
  await open('patient')
  assert.equal(await stopped, 0)
  assert.equal(await rowOf(running), undefined)
  const { attempts, locked_by } = await rowOf(waiting)
  assert.deepEqual({ attempts, locked_by }, { attempts: 0, locked_by: null })
  assert.deepEqual(await traces(), ['patient begun', 'patient ended'])
  const workers = await database.pool.query('SELECT id FROM docket.worker')
  assert.deepEqual(workers.rows, [])
})

test('a job that outlasts the grace time is told so and goes to another runner at once', async () => {
  const kind = jobKind<{ name: string }>('test.endless')
  const told = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const handler = handleJob(kind, async (_payload, { signal }) => {
    begun.resolve()
    signal.addEventListener('abort', () => told.resolve())
    await new Promise(() => undefined)
  })
  const runner = await startRunner(database, { handlers: [handler], graceMs: 50 })
  const id = await add(enqueue({ kind, payload: { name: 'endless' } }))
  await within('the job has begun', begun.promise)
  const other = await startRunner(database, { handlers: [handleJob(kind, async () => undefined)] })
  assert.equal(await runner.stop(), 1)
  await within('the job is told', told.promise)
  await gone(id)
  assert.deepEqual(
    runner.of('workerStopped').map(({ unfinished }) => unfinished),
    [1],
  )
  assert.deepEqual(other.of('jobDone').length, 1)
  await other.stop()
})
