/** Processes that run jobs: killed during one, stopped, started together. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countJobs } from '../../../src/jobs/job-store.ts'
import { createTestDatabase } from '../../support/database.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { createJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import {
  add,
  isEmpty,
  open,
  startWorker,
  traced,
  tracesOf,
} from '../../support/processes/job-workers.ts'
import { writeProject } from '../../support/service.ts'
import { hold, note, prepareTestJobs } from '../../support/test-jobs.ts'
import { until } from '../../support/wait.ts'

test('a job whose process is killed while it runs is run again by another process', async () => {
  const { pool, connectionString, drop } = await createJobsDatabase()
  const first = await startWorker(connectionString)
  await add(pool, hold, 'cut')
  await traced(pool, 'cut', 1)
  const second = await startWorker(connectionString)
  first.child.kill('SIGKILL')
  const traces = await traced(pool, 'cut', 2)
  assert.deepEqual(
    traces.map(({ event, attempt, pid }) => [event, attempt, pid]),
    [
      ['begun', 1, first.child.pid],
      ['begun', 2, second.child.pid],
    ],
  )
  await open(pool, 'cut')
  await until(() => isEmpty(pool))
  second.child.kill('SIGTERM')
  const { code, out } = await second.ended
  assert.equal(code, 0)
  assert.match(out, /"workerRecovered","workers":1,"jobs":1/)
  await drop()
})

test('SIGTERM lets a running job finish; after the grace time another process runs it', async () => {
  const { pool, connectionString, drop } = await createJobsDatabase()
  const longGrace = await startWorker(connectionString)
  await add(pool, hold, 'ends')
  await traced(pool, 'ends', 1)
  longGrace.child.kill('SIGTERM')
  await open(pool, 'ends')
  assert.equal((await longGrace.ended).code, 0)
  assert.equal((await tracesOf(pool, 'ends')).length, 2)
  const shortGrace = await startWorker(connectionString, 100)
  await add(pool, hold, 'stays')
  await traced(pool, 'stays', 1)
  const other = await startWorker(connectionString)
  shortGrace.child.kill('SIGTERM')
  assert.equal((await shortGrace.ended).code, 3, 'one job is unfinished')
  const traces = await traced(pool, 'stays', 2)
  assert.deepEqual(
    traces.map(({ attempt, pid }) => [attempt, pid]),
    [
      [1, shortGrace.child.pid],
      [1, other.child.pid],
    ],
  )
  await open(pool, 'stays')
  await until(() => isEmpty(pool))
  other.child.kill('SIGTERM')
  await other.ended
  await drop()
})

const project = { 'entities/thing.json': { key: 'thing', fields: [{ key: 'a', type: 'string' }] } }

test('services and workers that start at once on an empty database all come up; those that run jobs have a lock each', async () => {
  const { pool, connectionString } = await createTestDatabase()
  const environment = {
    DATABASE_URL: connectionString,
    PROJECT: await writeProject(project),
    JOBS_AT_ONCE: '3',
    PORT: '0',
  }
  const start = async (args: readonly string[], pattern: RegExp) => {
    const child = spawnDocket(args, environment)
    const ended = outcomeOf(child)
    await waitFor(child, pattern)
    return { child, ended }
  }
  const started = await Promise.all([
    start(['start', '--no-jobs'], /Jobs wait for "docket worker"[\s\S]*is up at/),
    start(['start'], /workerStarted/),
    start(['worker'], /run here, 3 at once/),
    start(['worker'], /run here, 3 at once/),
  ])
  const { rows } = await pool.query(
    'SELECT count(DISTINCT lock_number) AS locks, count(lost_at) AS lost FROM docket.worker',
  )
  assert.deepEqual(rows, [{ locks: 3, lost: 0 }])
  await prepareTestJobs(pool)
  await add(pool, note, 'left')
  for (const { child } of started) child.kill('SIGINT')
  for (const { ended } of started) assert.equal((await ended).code, 0)
  assert.equal((await pool.query('SELECT FROM docket.worker')).rowCount, 0)
  // No process above handles jobs of this kind: they wait for one that does.
  assert.equal((await countJobs(pool)).waiting, 1)
  const { child, ended } = await startWorker(connectionString)
  await until(() => isEmpty(pool))
  assert.equal((await tracesOf(pool, 'left')).length, 1)
  child.kill('SIGTERM')
  await ended
})
