/** A dead worker is detected by the lock that it no longer holds, and its jobs are released. */
import assert from 'node:assert/strict'
import { afterEach, before, beforeEach, test } from 'node:test'
import pg from 'pg'
import { recoverWorkers, registerWorker, removeWorker } from '../../../src/jobs/worker-store.ts'
import type { TestDatabase } from '../../support/database.ts'
import { emptyJobsDatabase, shareJobsDatabase } from '../../support/jobs/a-jobs-database.ts'
import { addJob, addNotes, note } from '../../support/test-jobs.ts'
import { until } from '../../support/wait.ts'

let database: TestDatabase
before(async () => {
  database = await shareJobsDatabase()
})
beforeEach(() => emptyJobsDatabase(database))
let sessions: pg.Client[] = []
afterEach(async () => {
  await Promise.all(sessions.map((session) => session.end()))
  sessions = []
})

const connect = async () => {
  const session = new pg.Client({ connectionString: database.connectionString })
  await session.connect()
  sessions.push(session)
  return session
}

/** Registers a worker that holds its lock as long as its session is open. */
const register = async (id: string) => {
  const session = await connect()
  await registerWorker(session, id)
  return session
}

const endSession = async (session: pg.Client) => {
  await session.end()
  // The server notices a moment later.
  await until(async () => {
    const { rows } = await database.pool.query<{ held: number }>(
      `SELECT count(*) AS held FROM pg_locks l JOIN docket.worker w ON l.objid::bigint = w.lock_number
       WHERE l.locktype = 'advisory' AND l.objsubid = 2
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    const listed = await database.pool.query('SELECT FROM docket.worker')
    return rows[0]?.held !== listed.rowCount
  })
}

const add = (name: string, queueName?: string) =>
  addJob(database.pool, note, { name }, queueName === undefined ? {} : { queueName })

const take = (id: number, worker: string, attempts = 1) =>
  database.pool.query(
    `WITH j AS (UPDATE graphile_worker._private_jobs SET locked_by = $2, locked_at = now(), attempts = $3
       WHERE id = $1 RETURNING job_queue_id)
     UPDATE graphile_worker._private_job_queues q SET locked_by = $2, locked_at = now()
     FROM j WHERE q.id = j.job_queue_id`,
    [id, worker, attempts],
  )

const stateOf = async (id: number) => {
  const { rows } = await database.pool.query(
    `SELECT locked_by, attempts, last_error, run_at > now() AS waits FROM graphile_worker._private_jobs WHERE id = $1`,
    [id],
  )
  return rows[0]
}

test('the jobs of a dead worker are released, those of live workers are not', async () => {
  const dying = await register('dying')
  const living = await register('living')
  const [lost, held] = [await add('lost'), await add('held')]
  await take(lost, 'dying')
  await take(held, 'living')
  assert.deepEqual(await recoverWorkers(living), { workers: 0, jobs: 0 })
  await endSession(dying)
  assert.deepEqual(await recoverWorkers(living), { workers: 1, jobs: 1 })
  assert.deepEqual(await stateOf(lost), {
    locked_by: null,
    attempts: 1,
    last_error: 'The process that ran it ended.',
    waits: false,
  })
  assert.equal((await stateOf(held)).locked_by, 'living')
})

test('a job whose process ended several times waits before its next attempt, and is dead after the last one', async () => {
  const dying = await register('dying')
  const living = await register('living')
  const [again, last] = [await add('again'), await add('last')]
  await take(again, 'dying', 3)
  await take(last, 'dying', 25)
  await endSession(dying)
  await recoverWorkers(living)
  assert.equal((await stateOf(again)).waits, true)
  assert.equal((await stateOf(last)).attempts, 25)
  const { rows } = await living.query(
    'SELECT id::integer FROM graphile_worker._private_jobs WHERE is_available',
  )
  assert.deepEqual(rows, [{ id: again }])
})

test('a queue that a dead worker held becomes available', async () => {
  const dying = await register('dying')
  const living = await register('living')
  const id = await add('queued', 'serial')
  await take(id, 'dying')
  await endSession(dying)
  await recoverWorkers(living)
  const { rows } = await living.query(
    'SELECT queue_name, is_available FROM graphile_worker._private_job_queues',
  )
  assert.deepEqual(rows, [{ queue_name: 'serial', is_available: true }])
})

test('when several workers look for dead workers at the same time, only one releases a job', async () => {
  const dying = await register('dying')
  const others = await Promise.all(Array.from({ length: 5 }, (_, i) => register(`living ${i}`)))
  const id = await add('once')
  await take(id, 'dying')
  await endSession(dying)
  const found = await Promise.all(others.map((session) => recoverWorkers(session)))
  const sum = (name: 'workers' | 'jobs') => found.reduce((all, one) => all + one[name], 0)
  assert.deepEqual([sum('workers'), sum('jobs')], [1, 1])
})

test('a job that a dead worker took late is released later, and the worker is removed', async () => {
  const dying = await register('dying')
  const living = await register('living')
  await endSession(dying)
  await recoverWorkers(living)
  const id = await add('late')
  await take(id, 'dying')
  assert.deepEqual(await recoverWorkers(living), { workers: 0, jobs: 0 })
  await living.query(`UPDATE docket.worker SET lost_at = lost_at - interval '5 minutes'`)
  assert.deepEqual(await recoverWorkers(living), { workers: 0, jobs: 1 })
  assert.equal((await stateOf(id)).locked_by, null)
  const { rows } = await living.query('SELECT id FROM docket.worker')
  assert.deepEqual(rows, [{ id: 'living' }])
})

test('a worker that is removed releases its jobs without counting the attempt', async () => {
  const leaving = await register('leaving')
  const id = await add('released', 'serial')
  await take(id, 'leaving', 4)
  await removeWorker(leaving, 'leaving')
  assert.deepEqual(await stateOf(id), {
    locked_by: null,
    attempts: 3,
    last_error: null,
    waits: false,
  })
  const { rows } = await leaving.query(
    'SELECT id FROM docket.worker UNION SELECT queue_name FROM graphile_worker._private_job_queues WHERE NOT is_available',
  )
  assert.deepEqual(rows, [])
})

test('workers that register at the same time hold different locks', async () => {
  await Promise.all(Array.from({ length: 10 }, (_, i) => register(`worker ${i}`)))
  const { rows } = await database.pool.query(
    'SELECT count(DISTINCT lock_number) AS locks FROM docket.worker',
  )
  assert.deepEqual(rows, [{ locks: 10 }])
})

test('a lock number that is still in use is skipped when the sequence restarts', async () => {
  const restart = () =>
    database.pool.query(`SELECT setval('docket.worker_lock_number', 1000, false)`)
  await restart()
  await register('first')
  await restart()
  await register('second')
  const { rows } = await database.pool.query(
    'SELECT id, lock_number FROM docket.worker ORDER BY lock_number',
  )
  assert.deepEqual(rows, [
    { id: 'first', lock_number: 1000 },
    { id: 'second', lock_number: 1001 },
  ])
})

test('looking for dead workers reads no waiting jobs', async () => {
  const living = await register('living')
  await addNotes(database.pool, 'waiting ', 100)
  const read = async () => {
    await living.query('SELECT pg_stat_force_next_flush()').catch(() => undefined)
    const { rows: found } = await living.query<{ scans: string }>(
      `SELECT seq_scan + coalesce(idx_scan, 0) AS scans FROM pg_stat_user_tables
       WHERE schemaname = 'graphile_worker' AND relname = '_private_jobs'`,
    )
    return found[0]?.scans
  }
  const before = await read()
  await recoverWorkers(living)
  assert.equal(await read(), before)
})
