/** Processes that run jobs: killed during one, stopped, started together, and without the connection on which they listen. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countJobs } from '../../../src/jobs/job-store.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { createJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { startRunner } from '../../support/jobs/a-runner.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { addressIn, asking, endWell } from '../../support/processes/a-service.ts'
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
  const database = await createJobsDatabase()
  const { pool } = database
  const first = await startWorker(database.connectionString)
  await add(pool, hold, 'cut')
  await traced(pool, 'cut', 1)
  const { of, stop } = await startRunner(database)
  first.child.kill('SIGKILL')
  const traces = await traced(pool, 'cut', 2)
  assert.deepEqual(
    traces.map(({ event, attempt, pid }) => [event, attempt, pid]),
    [
      ['begun', 1, first.child.pid],
      ['begun', 2, process.pid],
    ],
  )
  await open(pool, 'cut')
  await until(() => isEmpty(pool))
  assert.deepEqual(
    of('workerRecovered').map(({ jobs }) => jobs),
    [1],
  )
  await stop()
})

test('SIGTERM lets a running job finish; after the grace time another process runs it', async () => {
  const database = await createJobsDatabase()
  const { pool, connectionString } = database
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
  const { stop } = await startRunner(database)
  shortGrace.child.kill('SIGTERM')
  assert.equal((await shortGrace.ended).code, 3, 'one job is unfinished')
  const traces = await traced(pool, 'stays', 2)
  assert.deepEqual(
    traces.map(({ attempt, pid }) => [attempt, pid]),
    [
      [1, shortGrace.child.pid],
      [1, process.pid],
    ],
  )
  await open(pool, 'stays')
  await until(() => isEmpty(pool))
  await stop()
})

// A connection that only listens shows LISTEN as its last statement.
const listening = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND (application_name LIKE '%listener' OR query LIKE 'LISTEN%')`

/** Sessions without the shared lock that a restore looks for. */
const withoutLock = `SELECT application_name, query FROM pg_stat_activity a
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
    AND NOT EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.locktype = 'advisory' AND l.mode = 'ShareLock')`

test('processes that start at once on an empty database come up and listen on one connection each, without which nothing is lost', async () => {
  const database = await createTestDatabase()
  const { pool, connectionString } = database
  const environment = {
    DATABASE_URL: connectionString,
    PROJECT: await writeProject({
      'entities/thing.json': {
        key: 'thing',
        fields: [{ key: 'name', type: 'string' }],
        hooks,
        notifications: [{ operation: 'create', recipient: { userFields: ['_created_by'] } }],
      },
    }),
    JOBS_AT_ONCE: '3',
    PORT: '0',
  }
  const start = async (args: readonly string[], pattern: RegExp) => {
    const child = spawnDocket(args, environment)
    const ended = outcomeOf(child)
    return { child, ended, shown: await waitFor(child, pattern) }
  }
  const started = await Promise.all([
    start(['start'], /^(?=[\s\S]*workerStarted)[\s\S]*is up at \S+\s/),
    start(['worker'], /run here, 3 at once/),
  ])
  await until(
    'every session shares the lock that a restore looks for',
    async () => (await pool.query(withoutLock)).rowCount === 0,
  )

  const listeners = async () =>
    (await pool.query<{ pid: number }>(listening)).rows.map(({ pid }) => pid)
  const before = await until('both processes listen', async () => {
    const pids = await listeners()
    return pids.length === 2 && pids
  })
  await pool.query('SELECT pg_terminate_backend(pid) FROM unnest($1::integer[]) AS pid', [before])
  const token = (await callDocket(['token'], environment)).out.trim()
  const ask = asking(addressIn(started[0].shown), token)
  for (let count = 0; count < 5; count++) {
    const { status, text } = await ask('POST', '/thing', { name: `while nobody listens ${count}` })
    assert.equal(status, 201, text)
  }
  const notified = 'SELECT FROM docket.notification'
  await until('all are notified', async () => (await pool.query(notified)).rowCount === 5)
  await until('all listen again', async () => {
    const pids = await listeners()
    return pids.length === 2 && pids.every((pid) => !before.includes(pid))
  })

  await prepareTestJobs(pool)
  await add(pool, note, 'left')
  await Promise.all(started.map((one) => endWell(one, 'SIGINT')))
  // No process above handles jobs of this kind: they wait for one that does.
  assert.equal((await countJobs(pool)).waiting, 1)
  const { stop } = await startRunner(database)
  await until(() => isEmpty(pool))
  assert.equal((await tracesOf(pool, 'left')).length, 1)
  await stop()
})
