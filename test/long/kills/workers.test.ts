/** Processes that run jobs, many times: killed, started again, and many of them at once. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { createTestDatabase } from '../../support/database.ts'
import { outcomeOf, spawnDocket, waitFor } from '../../support/docket.ts'
import { createJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { add, isEmpty, open, startWorker, traced } from '../../support/processes/job-workers.ts'
import { writeProject } from '../../support/service.ts'
import { addJob, hold, note } from '../../support/test-jobs.ts'
import { until } from '../../support/wait.ts'

test('a process that is killed and started again runs its own jobs again', async () => {
  const { pool, connectionString, drop } = await createJobsDatabase()
  const first = await startWorker(connectionString)
  await add(pool, hold, 'alone')
  await traced(pool, 'alone', 1)
  first.child.kill('SIGKILL')
  await first.ended
  const second = await startWorker(connectionString)
  await traced(pool, 'alone', 2)
  await open(pool, 'alone')
  await until(() => isEmpty(pool))
  second.child.kill('SIGTERM')
  assert.equal((await second.ended).code, 0)
  await drop()
})

test('three processes share a thousand jobs, each run once, also while one of them stops', async () => {
  const { pool, connectionString, drop } = await createJobsDatabase()
  const workers = await Promise.all([1, 2, 3].map(() => startWorker(connectionString)))
  for (let left = 1000; left > 0; left--) await addJob(pool, note, { name: 'shared' })
  await traced(pool, 'shared', 50)
  workers[0]?.child.kill('SIGTERM')
  await until(() => isEmpty(pool))
  for (const { child } of workers.slice(1)) child.kill('SIGTERM')
  const codes = await Promise.all(workers.map(async ({ ended }) => (await ended).code))
  assert.deepEqual(codes, [0, 0, 0])
  const { rows: found } = await pool.query(
    'SELECT count(*) AS runs, count(DISTINCT job) AS jobs, max(attempt) AS attempts FROM test_run',
  )
  assert.deepEqual(found, [{ runs: 1000, jobs: 1000, attempts: 1 }])
  await drop()
})

const project = { 'entities/thing.json': { key: 'thing', fields: [{ key: 'a', type: 'string' }] } }

test('six workers that start simultaneously on an empty database all come up, each with its lock', async () => {
  const { pool, connectionString, drop } = await createTestDatabase()
  const directory = await writeProject(project)
  const environment = { DATABASE_URL: connectionString, PROJECT: directory }
  const started = Array.from({ length: 6 }, () => {
    const child = spawnDocket(['worker'], environment)
    return { child, ended: outcomeOf(child) }
  })
  await Promise.all(started.map(({ child }) => waitFor(child, /run here/)))
  const { rows } = await pool.query(
    'SELECT count(DISTINCT lock_number) AS locks, count(lost_at) AS lost FROM docket.worker',
  )
  assert.deepEqual(rows, [{ locks: 6, lost: 0 }])
  for (const { child } of started) child.kill('SIGINT')
  const codes = await Promise.all(started.map(async ({ ended }) => (await ended).code))
  assert.deepEqual(new Set(codes), new Set([0]))
  await drop()
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})

test('six services that start simultaneously on an empty database all come up', async () => {
  const { connectionString, drop } = await createTestDatabase()
  const directory = await writeProject(project)
  const environment = { DATABASE_URL: connectionString, PROJECT: directory }
  const started = Array.from({ length: 6 }, () => {
    const child = spawnDocket(['start', '--port', '0'], environment)
    return { child, ended: outcomeOf(child) }
  })
  await Promise.all(started.map(({ child }) => waitFor(child, /is up at/)))
  for (const { child } of started) child.kill('SIGTERM')
  const codes = await Promise.all(started.map(async ({ ended }) => (await ended).code))
  assert.deepEqual(new Set(codes), new Set([0]))
  await drop()
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})
