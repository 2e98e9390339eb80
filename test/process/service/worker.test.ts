/** Processes that run jobs: killed during one, stopped, started together. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Pool } from '../../../src/database/pool.ts'
import { countJobs } from '../../../src/jobs/job-store.ts'
import { createTestDatabase } from '../../support/database.ts'
import {
  endedAfterwards,
  outcomeOf,
  runDocket,
  spawnDocket,
  waitFor,
} from '../../support/docket.ts'
import { createJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { writeProject } from '../../support/service.ts'
import { addJob, hold, note, prepareTestJobs } from '../../support/test-jobs.ts'
import { until } from '../../support/wait.ts'

const program = fileURLToPath(new URL('../../support/test-jobs.ts', import.meta.url))

/** A process that runs the test jobs, four at a time. */
const startWorker = async (connectionString: string, graceMs = 10_000) => {
  const child = endedAfterwards(
    spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, DATABASE_URL: connectionString, GRACE_MS: String(graceMs) },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const ended = outcomeOf(child)
  await waitFor(child, /"workerStarted"/)
  return { child, ended }
}

const add = (pool: Pool, kind: typeof hold | typeof note, name: string) =>
  addJob(pool, kind, { name })
const open = (pool: Pool, name: string) => pool.query('INSERT INTO test_gate VALUES ($1)', [name])
const tracesOf = async (pool: Pool, name: string) =>
  (
    await pool.query<{ event: string; attempt: number; pid: number }>(
      'SELECT event, attempt, pid FROM test_run WHERE name = $1 ORDER BY id',
      [name],
    )
  ).rows
const traced = (pool: Pool, name: string, number: number) =>
  until(async () => {
    const traces = await tracesOf(pool, name)
    return traces.length >= number && traces
  })
const isEmpty = async (pool: Pool) =>
  (await pool.query('SELECT FROM graphile_worker._private_jobs')).rowCount === 0

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

test('with --no-jobs docket worker runs the jobs of a service, without it the service runs them itself', async () => {
  const { pool, connectionString, drop } = await createTestDatabase()
  const environment = {
    DATABASE_URL: connectionString,
    PROJECT: await writeProject(project),
    JOBS_AT_ONCE: '3',
  }
  const workers = async () => (await pool.query('SELECT id FROM docket.worker')).rows
  const start = (...args: string[]) => {
    const child = spawnDocket(args, environment)
    return { child, ended: outcomeOf(child) }
  }
  const without = start('start', '--port', '0', '--no-jobs')
  assert.match(await waitFor(without.child, /is up at/), /Jobs wait for "docket worker"/)
  assert.deepEqual(await workers(), [])
  await prepareTestJobs(pool)
  await add(pool, note, 'left')
  assert.equal((await countJobs(pool)).waiting, 1)
  const alone = start('worker')
  assert.match(await waitFor(alone.child, /run here, 3 at once/), /workerStarted/)
  assert.equal((await workers()).length, 1)
  const both = start('start', '--port', '0')
  await until(async () => (await workers()).length === 2)
  for (const { child } of [without, alone, both]) child.kill('SIGTERM')
  for (const { ended } of [without, alone, both]) assert.equal((await ended).code, 0)
  assert.deepEqual(await workers(), [])
  // No process above handles jobs of this kind: they wait for one that does.
  const { child, ended } = await startWorker(connectionString)
  await until(() => isEmpty(pool))
  assert.equal((await tracesOf(pool, 'left')).length, 1)
  child.kill('SIGTERM')
  await ended
  await drop()
  await rm(environment.PROJECT, { recursive: true, force: true, maxRetries: 10 })
})

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

test('a project with errors starts no worker', async () => {
  const directory = await writeProject({ 'entities/thing.json': { key: 'thing', fields: 'none' } })
  const { code, err } = await runDocket(['worker', '--project', directory])
  assert.notEqual(code, 0)
  assert.match(err, /entities\/thing\.json/)
  await rm(directory, { recursive: true, force: true, maxRetries: 10 })
})
